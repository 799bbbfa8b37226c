/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/check_json.c - prints the findings of `fixpoint check` as JSON.
 */
#include "cli/check_report.h"

#include <string.h>

#include <jansson.h>

#include "explain/names.h"
#include "value/json.h"
#include "value/tree.h"

/* The arrays of the output. */
struct json_lists {
    json_t *mutators, *files;
};

/* File names and messages may contain malformed UTF-8, so it is not checked here. The
 * writer replaces it with U+FFFD. */
static json_t *raw_string(const char *text) {
    return json_string_nocheck(text);
}

static json_t *new_mutator(const char *id, const char *file, uint32_t line) {
    return json_pack("{s:o, s:o, s:i, s:[], s:[], s:[]}", "id", raw_string(id), "file",
                     raw_string(file), "line", (int)line, "errors", "warnings",
                     "conflicts");
}

/* The entry with this text under `key`, or NULL. */
static json_t *find_entry(const json_t *entries, const char *key, const char *text) {
    for (size_t i = 0; i < json_array_size(entries); i++) {
        json_t *entry = json_array_get(entries, i);
        if (fx_text_is(fx_tree_view_string(entry, key), text)) {
            return entry;
        }
    }
    return NULL;
}

/* Adds the entry and returns it, borrowed. NULL without memory. */
static json_t *add_take(json_t *entries, json_t *entry) {
    return json_array_append_new(entries, entry) == 0 ? entry : NULL;
}

static json_t *entry_of(const struct json_lists *lists,
                        const struct fx_finding *finding) {
    if (finding->id == NULL) {
        json_t *entry = find_entry(lists->files, "file", finding->file);
        return entry != NULL
                   ? entry
                   : add_take(lists->files,
                              json_pack("{s:o, s:[], s:[]}", "file",
                                        raw_string(finding->file), "errors", "warnings"));
    }
    json_t *entry = find_entry(lists->mutators, "id", finding->id);
    return entry != NULL
               ? entry
               : add_take(lists->mutators,
                          new_mutator(finding->id, finding->file, finding->line));
}

/* Adds a finding of the policies, except conflicts: add_conflicts() adds these. */
static bool add_finding(const struct json_lists *lists,
                        const struct fx_finding *finding) {
    if (finding->severity == FX_SEVERITY_CONFLICT) {
        return true;
    }
    const json_t *entry = entry_of(lists, finding);
    json_t *texts = fx_tree_view_key(
        entry, finding->severity == FX_SEVERITY_ERROR ? "errors" : "warnings");
    return texts != NULL && json_array_append_new(texts, raw_string(finding->text)) == 0;
}

static json_t *id_of(const struct fx_mutator *mutator) {
    return json_sprintf("%s/%s", mutator->kind, mutator->full_name);
}

static bool add_conflicts(json_t *entry, const struct fx_snapshot *snapshot,
                          size_t index) {
    const struct fx_conflict_set *set = &snapshot->conflicts.sets[index];
    json_t *conflicts = fx_tree_view_key(entry, "conflicts");
    for (size_t i = 0; set->disabled && i < set->n_members; i++) {
        if (set->members[i] != index &&
            json_array_append_new(conflicts,
                                  id_of(snapshot->mutators[set->members[i]])) != 0) {
            return false;
        }
    }
    return true;
}

static bool add_mutator(const struct json_lists *lists,
                        const struct fx_snapshot *snapshot, size_t index) {
    const struct fx_mutator *mutator = snapshot->mutators[index];
    json_t *id = id_of(mutator);
    const char *file = mutator->origin.file != NULL ? mutator->origin.file : "";
    json_t *entry = add_take(
        lists->mutators, new_mutator(json_string_value(id), file, mutator->origin.line));
    json_decref(id);
    return entry != NULL && add_conflicts(entry, snapshot, index);
}

static bool fill_lists(const struct json_lists *lists,
                       const struct fx_policies *policies) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    bool ok = lists->mutators != NULL && lists->files != NULL;
    for (size_t i = 0; ok && i < snapshot->n_mutators; i++) {
        ok = add_mutator(lists, snapshot, i);
    }
    for (size_t i = 0; ok && i < policies->findings.n_items; i++) {
        ok = add_finding(lists, &policies->findings.items[i]);
    }
    return ok;
}

/* ---- the analysis ---------------------------------------------------------------- */

/* Adds the finding as a warning to each mutator that it names. */
static bool add_warning(const struct json_lists *lists,
                        const struct fx_analysis_finding *finding) {
    for (size_t i = 0; i < finding->n_mutators; i++) {
        const json_t *entry = json_array_get(lists->mutators, finding->mutators[i]);
        if (json_array_append_new(fx_tree_view_key(entry, "warnings"),
                                  json_sprintf("%s: %s",
                                               fx_analysis_rule_name(finding->rule),
                                               finding->text)) != 0) {
            return false;
        }
    }
    return true;
}

static json_t *list_ids(const struct fx_snapshot *snapshot, const uint32_t *mutators,
                        size_t n_mutators) {
    json_t *ids = json_array();
    bool ok = ids != NULL;
    for (size_t i = 0; ok && i < n_mutators; i++) {
        ok = fx_tree_append_take(ids, id_of(snapshot->mutators[mutators[i]]));
    }
    return fx_tree_keep_if(ok, ids);
}

/* The values of the finding; null if the field is absent. */
static json_t *list_values(const struct fx_analysis *analysis,
                           const struct fx_analysis_finding *finding) {
    json_t *values = json_array();
    bool ok = values != NULL;
    for (size_t i = 0; ok && i < finding->n_values; i++) {
        ok = fx_tree_append_take(
            values,
            finding->values[i] == NULL
                ? json_null()
                : fx_reveal_placeholders(analysis->placeholders, finding->values[i]));
    }
    return fx_tree_keep_if(ok, values);
}

static json_t *origin_of(const struct fx_check_report *given,
                         const struct fx_analysis_finding *finding) {
    if (finding->origin == FX_ANALYSIS_MADE) {
        return json_null();
    }
    const struct fx_input_object *object = &given->objects->items[finding->origin];
    return json_pack("{s:o, s:i}", "file", raw_string(object->file), "line",
                     (int)object->line);
}

static bool add_tried(const struct json_lists *lists, const struct fx_check_report *given,
                      json_t *findings, const struct fx_analysis_finding *finding) {
    const struct fx_snapshot *snapshot = given->policies->snapshot;
    const bool is_note = fx_analysis_rule_is_note(finding->rule);
    json_t *entry = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:O, s:o}", "rule",
        fx_analysis_rule_name(finding->rule), "severity", is_note ? "note" : "warning",
        "mutators", list_ids(snapshot, finding->mutators, finding->n_mutators), "field",
        raw_string(finding->path), "values", list_values(given->analysis, finding),
        "message", raw_string(finding->text), "operation",
        fx_operation_name(finding->operation), "witness", finding->witness, "object",
        origin_of(given, finding));
    return json_array_append_new(findings, entry) == 0 &&
           (is_note || add_warning(lists, finding));
}

static json_t *list_findings(const struct json_lists *lists,
                             const struct fx_check_report *given) {
    json_t *findings = json_array();
    bool ok = findings != NULL;
    for (size_t i = 0; ok && i < given->analysis->n_findings; i++) {
        ok = add_tried(lists, given, findings, &given->analysis->findings[i]);
    }
    return fx_tree_keep_if(ok, findings);
}

/* ---- types ----------------------------------------------------------------------- */

/* Splits "a; b". */
static json_t *list_type_kinds(const char *text) {
    struct fx_text rest = fx_text_of(text);
    json_t *list = json_array();
    bool ok = list != NULL;
    while (ok && rest.len > 0) {
        ok = fx_tree_append_take(
            list, fx_tree_new_string(fx_text_trim_space(fx_text_cut(&rest, ';'))));
    }
    return fx_tree_keep_if(ok, list);
}

static json_t *type_entry(const struct fx_type_findings *types, size_t i) {
    const struct fx_finding *finding = &types->findings.items[i];
    const struct fx_type_finding *parts = &types->items[i];
    return json_pack("{s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o}", "id",
                     raw_string(finding->id), "file", raw_string(finding->file), "line",
                     (int)finding->line, "column", (int)finding->column, "field",
                     raw_string(parts->field), "kinds", list_type_kinds(parts->kinds),
                     "message", raw_string(parts->message), "nearest",
                     parts->nearest == NULL ? json_null() : raw_string(parts->nearest));
}

static json_t *list_types(const struct json_lists *lists,
                          const struct fx_type_findings *types) {
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < types->n_items; i++) {
        ok = add_finding(lists, &types->findings.items[i]) &&
             fx_tree_append_take(list, type_entry(types, i));
    }
    return fx_tree_keep_if(ok, list);
}

void fx_check_print_json(struct fx_buf *buf, const struct fx_check_report *given) {
    const struct fx_analysis *analysis = given->analysis;
    const struct json_lists lists = {json_array(), json_array()};
    json_t *whole = NULL;
    if (fill_lists(&lists, given->policies)) {
        json_t *types = list_types(&lists, given->types);
        json_t *findings = list_findings(&lists, given);
        json_t *untried =
            list_ids(given->policies->snapshot, analysis->untried, analysis->n_untried);
        whole = json_pack("{s:O, s:O, s:o, s:o, s:o, s:I}", "mutators", lists.mutators,
                          "files", lists.files, "findings", findings, "types", types,
                          "untried", untried, "skipped",
                          (json_int_t)analysis->n_skipped + (json_int_t)analysis->n_more);
    }
    if (whole != NULL) {
        fx_json_write(buf, whole, FX_JSON_COMPACT);
        fx_buf_char(buf, '\n');
    } else {
        buf->failed = true;
    }
    json_decref(whole);
    json_decref(lists.mutators);
    json_decref(lists.files);
}
