/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/check_json.c - findings gathered by mutator and by file.
 */
#include "cli/check_json.h"

#include <string.h>

#include <jansson.h>

#include "value/json.h"
#include "value/tree.h"

/* What is being made: arrays of entries. */
struct report {
    json_t *mutators, *files;
};

/* Names of files and words may hold any bytes: unchecked here, since what is malformed
 * becomes U+FFFD where it is written. */
static json_t *raw_string(const char *text) {
    return json_string_nocheck(text);
}

static json_t *new_mutator(const char *id, const char *file, uint32_t line) {
    return json_pack("{s:o, s:o, s:i, s:[], s:[], s:[]}", "id", raw_string(id), "file",
                     raw_string(file), "line", (int)line, "errors", "warnings",
                     "conflicts");
}

/* The entry with this text under `key`, or NULL. */
static json_t *find(const json_t *entries, const char *key, const char *text) {
    for (size_t i = 0; i < json_array_size(entries); i++) {
        json_t *entry = json_array_get(entries, i);
        if (fx_text_is(fx_tree_view_string(entry, key), text)) {
            return entry;
        }
    }
    return NULL;
}

/* Adds the entry and gives it, borrowed; NULL without memory. */
static json_t *add_take(json_t *entries, json_t *entry) {
    return json_array_append_new(entries, entry) == 0 ? entry : NULL;
}

static json_t *entry_of(const struct report *report, const struct fx_finding *finding) {
    if (finding->id == NULL) {
        json_t *entry = find(report->files, "file", finding->file);
        return entry != NULL
                   ? entry
                   : add_take(report->files,
                              json_pack("{s:o, s:[], s:[]}", "file",
                                        raw_string(finding->file), "errors", "warnings"));
    }
    json_t *entry = find(report->mutators, "id", finding->id);
    return entry != NULL
               ? entry
               : add_take(report->mutators,
                          new_mutator(finding->id, finding->file, finding->line));
}

/* Conflicts come from the snapshot, which knows the others. */
static bool add_finding(const struct report *report, const struct fx_finding *finding) {
    if (finding->severity == FX_SEVERITY_CONFLICT) {
        return true;
    }
    const json_t *entry = entry_of(report, finding);
    json_t *texts = fx_tree_view_key(
        entry, finding->severity == FX_SEVERITY_ERROR ? "errors" : "warnings");
    return texts != NULL && json_array_append_new(texts, raw_string(finding->text)) == 0;
}

static json_t *id_of(const struct fx_mutator *mutator) {
    return json_sprintf("%s/%s", mutator->kind, mutator->name);
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

static bool add_mutator(const struct report *report, const struct fx_snapshot *snapshot,
                        size_t index) {
    const struct fx_mutator *mutator = snapshot->mutators[index];
    json_t *id = id_of(mutator);
    const char *file = mutator->origin.file != NULL ? mutator->origin.file : "";
    json_t *entry = add_take(
        report->mutators, new_mutator(json_string_value(id), file, mutator->origin.line));
    json_decref(id);
    return entry != NULL && add_conflicts(entry, snapshot, index);
}

static bool make(const struct report *report, const struct fx_policies *policies) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    bool ok = report->mutators != NULL && report->files != NULL;
    for (size_t i = 0; ok && i < snapshot->n_mutators; i++) {
        ok = add_mutator(report, snapshot, i);
    }
    for (size_t i = 0; ok && i < policies->findings.n_items; i++) {
        ok = add_finding(report, &policies->findings.items[i]);
    }
    return ok;
}

void fx_check_print_json(struct fx_buf *buf, const struct fx_policies *policies) {
    const struct report report = {json_array(), json_array()};
    if (make(&report, policies)) {
        fx_buf_str(buf, "{\"mutators\":");
        fx_json_write(buf, report.mutators, FX_JSON_COMPACT);
        fx_buf_str(buf, ",\"files\":");
        fx_json_write(buf, report.files, FX_JSON_COMPACT);
        fx_buf_str(buf, "}\n");
    } else {
        buf->failed = true;
    }
    json_decref(report.mutators);
    json_decref(report.files);
}
