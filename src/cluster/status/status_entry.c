/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_entry.c - what a replica has to say of one mutator.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cluster/status/status.h"
#include "engine/conflicts.h"
#include "kube/body.h"
#include "value/tree.h"

#define TYPE_CONFLICT   "ErrConflictingSchema" /* spec section 6 */
#define TYPE_QUARANTINE "Quarantined"

/* ---- what the build says of it --------------------------------------------------- */

static int compare_file(const void *key, const void *element) {
    const struct fx_policy_file *file = element;
    return strcmp(key, file->file);
}

/* Inputs are in the order of their keys. NULL: it is newer than the build. */
static const struct fx_policy_file *find_file(const struct fx_policies *built,
                                              const char *key) {
    return built->n_files == 0 ? NULL
                               : bsearch(key, built->files, built->n_files,
                                         sizeof *built->files, compare_file);
}

static int compare_mutator(const void *key, const void *element) {
    const struct fx_mutator *wanted = key;
    struct fx_mutator *const *mutator = element;
    return fx_mutator_compare(wanted, *mutator);
}

/* Its place in the snapshot; false where it is not there. */
static bool find_index(const struct fx_snapshot *snapshot,
                       const struct fx_mutator *mutator, size_t *ret_index) {
    if (snapshot->n_mutators == 0) {
        return false;
    }
    struct fx_mutator *const *found =
        bsearch(mutator, snapshot->mutators, snapshot->n_mutators,
                sizeof(struct fx_mutator *), compare_mutator);
    *ret_index = found == NULL ? 0 : (size_t)(found - snapshot->mutators);
    return found != NULL;
}

/* ---- writing it ------------------------------------------------------------------ */

static bool append_error(json_t *errors, const char *type, struct fx_text message) {
    json_t *error = json_object();
    if (error == NULL ||
        (type != NULL && !fx_kube_body_set_text(error, "type", fx_text_of(type))) ||
        !fx_kube_body_set_text(error, "message", message)) {
        json_decref(error);
        return false;
    }
    return fx_tree_append_take(errors, error);
}

static bool append_words(json_t *errors, const char *type, const struct fx_buf *words) {
    return !words->failed &&
           append_error(errors, type, (struct fx_text){words->data, words->len});
}

static bool append_findings(json_t *errors, const struct fx_policies *built,
                            const struct fx_policy_file *file) {
    for (size_t i = 0; i < file->n_findings; i++) {
        const struct fx_finding *finding =
            &built->findings.items[file->first_finding + i];
        if (finding->severity == FX_SEVERITY_ERROR &&
            !append_error(errors, NULL, fx_text_of(finding->text))) {
            return false;
        }
    }
    return true;
}

/* Why it is out, though it compiles. */
static bool append_disabled(json_t *errors, const struct fx_snapshot *snapshot,
                            size_t index) {
    const struct fx_quarantined *why = fx_snapshot_quarantined(snapshot, index);
    struct fx_buf words;
    fx_buf_init(&words, 0);
    bool ok = true;
    if (snapshot->conflicts.sets[index].disabled) {
        fx_conflicts_print(&snapshot->conflicts, index, snapshot->mutators, &words);
        ok = append_words(errors, TYPE_CONFLICT, &words);
    } else if (why != NULL) {
        fx_quarantined_print(&words, why);
        ok = append_words(errors, TYPE_QUARANTINE, &words);
    }
    fx_buf_finish(&words);
    return ok;
}

const char *fx_cluster_status_reason(const json_t *error) {
    const struct fx_text type = fx_tree_view_string(error, "type");
    return fx_text_is(type, TYPE_CONFLICT)     ? "Conflicting"
           : fx_text_is(type, TYPE_QUARANTINE) ? "Quarantined"
                                               : "Invalid"; /* findings have no type */
}

/* For each of these rules that is in the snapshot, but disabled. */
static bool append_all_disabled(json_t *errors, const struct fx_snapshot *snapshot,
                                struct fx_mutator *const *rules, size_t n_rules) {
    for (size_t i = 0; i < n_rules; i++) {
        size_t index = 0;
        if (find_index(snapshot, rules[i], &index) &&
            !append_disabled(errors, snapshot, index)) {
            return false;
        }
    }
    return true;
}

/* What the link step of the policy reported, and its rules. */
static bool append_linked(json_t *errors, const struct fx_snapshot *snapshot,
                          const struct fx_linked *linked) {
    for (size_t i = 0; i < linked->n_reports; i++) {
        const struct fx_link_report *report = &linked->reports[i];
        if (report->is_error && !append_error(errors, NULL, fx_text_of(report->text))) {
            return false;
        }
    }
    return append_all_disabled(errors, snapshot, linked->rules, linked->n_rules);
}

/* Fills `errors`; none means that it is enforced. */
static bool append_errors(json_t *errors, const struct fx_policies *built,
                          const struct fx_policy_file *file) {
    if (!append_findings(errors, built, file)) {
        return false;
    }
    for (size_t i = 0; i < file->n_units; i++) {
        const struct fx_unit *unit = file->units[i];
        const struct fx_linked *linked =
            fx_linked_find(built->linked, built->n_linked, unit);
        if (!append_all_disabled(errors, built->snapshot, unit->rules, unit->n_rules) ||
            (linked != NULL && !append_linked(errors, built->snapshot, linked))) {
            return false;
        }
    }
    return true;
}

static bool set_operations(json_t *entry, const struct fx_cluster_identity *identity) {
    json_t *operations = json_array();
    if (operations == NULL) {
        return false;
    }
    for (size_t i = 0; i < identity->n_operations; i++) {
        if (!fx_tree_append_take(
                operations, fx_tree_new_string(fx_text_of(identity->operations[i])))) {
            json_decref(operations);
            return false;
        }
    }
    return fx_tree_set_take(entry, FX_TEXT("operations"), operations);
}

/* As Go writes the struct: what is false or empty is left out (spec section 9). */
static bool fill(json_t *entry, const struct fx_cluster_identity *identity,
                 const struct fx_cluster_object *object, json_t *errors) {
    const bool enforced = json_array_size(errors) == 0;
    return fx_kube_body_set_text(entry, "id", fx_text_of(identity->pod)) &&
           fx_kube_body_set_text(entry, "mutatorUID", object->uid) &&
           set_operations(entry, identity) &&
           fx_tree_set_take(entry, FX_TEXT("observedGeneration"),
                            json_integer(object->generation)) &&
           (enforced ? fx_tree_set_take(entry, FX_TEXT("enforced"), json_true())
                     : fx_tree_set_take(entry, FX_TEXT("errors"), json_incref(errors)));
}

json_t *fx_cluster_status_entry(const struct fx_cluster_identity *identity,
                                const struct fx_policies *built,
                                const struct fx_cluster_object *object) {
    const struct fx_policy_file *file = find_file(built, object->key);
    json_t *entry = json_object();
    json_t *errors = json_array();
    const bool ok = entry != NULL && errors != NULL &&
                    (file == NULL || append_errors(errors, built, file)) &&
                    fill(entry, identity, object, errors);
    json_decref(errors);
    if (!ok) {
        json_decref(entry);
        return NULL;
    }
    return entry;
}

bool fx_cluster_status_is_built(const struct fx_policies *built,
                                const struct fx_cluster_object *object) {
    const struct fx_policy_file *file = find_file(built, object->key);
    return file != NULL && file->object == object->object;
}
