/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_entry.c - makes the entry of one mutator.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cluster/status/status.h"
#include "cluster/status/status_internal.h"
#include "engine/conflicts.h"
#include "value/tree.h"

#define TYPE_CONFLICT   "ErrConflictingSchema" /* spec section 6 */
#define TYPE_QUARANTINE "Quarantined"

/* ---- the object in the build --------------------------------------------------- */

static int compare_file(const void *key, const void *element) {
    const struct fx_policy_file *file = element;
    return strcmp(key, file->file);
}

/* Finds the file of the object. Files are sorted by key. NULL: the object is newer than
 * the build. */
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

/* The index of the mutator in the snapshot; false if it is not in it. */
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

/* ---- the entry ------------------------------------------------------------------ */

static bool append_error(json_t *errors, const char *type, struct fx_text message) {
    return fx_tree_append_take(errors, json_pack("{s:s*, s:s#}", "type", type, "message",
                                                 message.len == 0 ? "" : message.data,
                                                 (int)message.len));
}

static bool append_text(json_t *errors, const char *type, const struct fx_buf *text) {
    return !text->failed && append_error(errors, type, fx_buf_view(text));
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

/* Appends why the mutator is disabled although it is valid. */
static bool append_disabled(json_t *errors, const struct fx_snapshot *snapshot,
                            size_t index) {
    const struct fx_quarantined *why = fx_snapshot_quarantined(snapshot, index);
    struct fx_buf text = {0};
    bool ok = true;
    if (snapshot->conflicts.sets[index].disabled) {
        fx_conflicts_print(&snapshot->conflicts, index, snapshot->mutators, &text);
        ok = append_text(errors, TYPE_CONFLICT, &text);
    } else if (why != NULL) {
        fx_quarantined_print(&text, why);
        ok = append_text(errors, TYPE_QUARANTINE, &text);
    }
    fx_buf_finish(&text);
    return ok;
}

const char *fx_cluster_status_reason(const json_t *error) {
    const struct fx_text type = fx_tree_view_string(error, "type");
    return fx_text_is(type, TYPE_CONFLICT)     ? "Conflicting"
           : fx_text_is(type, TYPE_QUARANTINE) ? "Quarantined"
                                               : "Invalid"; /* findings have no type */
}

/* Appends why each of these rules in the snapshot is disabled. */
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

/* Appends the findings of the policy's link step, and why its rules are disabled. */
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

/* Fills `errors`; if there are none, the mutator is enforced. Sets in `entry` what a
 * binding has besides. */
static bool append_errors(json_t *entry, json_t *errors, const struct fx_policies *built,
                          const struct fx_policy_file *file) {
    if (!append_findings(errors, built, file)) {
        return false;
    }
    for (size_t i = 0; i < file->n_units; i++) {
        const struct fx_unit *unit = file->units[i];
        const struct fx_linked *linked =
            fx_linked_find(built->linked, built->n_linked, unit);
        if (!append_all_disabled(errors, built->snapshot, unit->rules, unit->n_rules) ||
            (linked != NULL && !append_linked(errors, built->snapshot, linked)) ||
            !fx_status_add_binding(built, unit, entry, errors)) {
            return false;
        }
    }
    return true;
}

/* NULL without memory. */
static json_t *new_operations(const struct fx_cluster_identity *identity) {
    json_t *operations = json_array();
    bool ok = operations != NULL;
    for (size_t i = 0; ok && i < identity->n_operations; i++) {
        ok = fx_tree_append_take(operations, json_string(identity->operations[i]));
    }
    return fx_tree_keep_if(ok, operations);
}

/* Sets what depends on the errors; false without memory. */
static bool set_outcome(json_t *entry, json_t *errors) {
    return json_array_size(errors) == 0
               ? fx_tree_set_take(entry, FX_TEXT("enforced"), json_true())
               : fx_tree_set_take(entry, FX_TEXT("errors"), json_incref(errors));
}

/* Omits fields that are false or empty, like Go (spec section 9). */
json_t *fx_cluster_status_entry(const struct fx_cluster_identity *identity,
                                const struct fx_policies *built,
                                const struct fx_cluster_object *object) {
    const struct fx_policy_file *file = find_file(built, object->key);
    json_t *errors = json_array();
    json_t *operations = new_operations(identity);
    json_t *entry =
        errors == NULL || operations == NULL
            ? NULL
            : json_pack("{s:s, s:s#, s:O, s:I}", "id", identity->pod, "mutatorUID",
                        object->uid.data, (int)object->uid.len, "operations", operations,
                        "observedGeneration", (json_int_t)object->generation);
    const bool ok = entry != NULL &&
                    (file == NULL || append_errors(entry, errors, built, file)) &&
                    set_outcome(entry, errors);
    json_decref(operations);
    json_decref(errors);
    return fx_tree_keep_if(ok, entry);
}

bool fx_cluster_status_is_built(const struct fx_policies *built,
                                const struct fx_cluster_object *object) {
    const struct fx_policy_file *file = find_file(built, object->key);
    return file != NULL && file->object == object->object;
}
