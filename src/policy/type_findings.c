/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/type_findings.c - checks the types of policies, and finds the places in the
 * sources: these are read once more, since a build does not keep positions.
 */
#include "policy/type_findings.h"

#include <string.h>

#include "base/limits.h"
#include "engine/type_warnings.h"
#include "value/documents.h"
#include "value/tree.h"

/* The policies of one file. */
struct type_finder {
    const struct fx_policies *built;
    const struct fx_schemas *schemas;
    const struct fx_policy_input *input; /* NULL: the file has no text */
    struct fx_documents documents;       /* of the input, when they are needed */
    bool is_read;
    struct fx_type_findings *found;
    struct fx_err *err;
};

void fx_type_findings_finish(struct fx_type_findings *findings) {
    fx_findings_finish(&findings->findings);
    fx_arena_finish(&findings->arena);
}

/* ---- places ------------------------------------------------------------------------ */

/* The node of a field such as "spec.mutations[0].jsonPatch.expression"; NULL: there is
 * none. */
static const json_t *find_field(const json_t *root, struct fx_text field) {
    while (root != NULL && field.len > 0) {
        struct fx_text index = fx_text_cut(&field, '.');
        const struct fx_text key = fx_text_cut(&index, '[');
        root = fx_tree_view_text(root, key);
        if (index.len > 0) {
            size_t at = 0;
            for (size_t i = 0; i < index.len && index.data[i] != ']'; i++) {
                at = at * 10 + (size_t)(index.data[i] - '0');
            }
            root = json_array_get(root, at);
        }
    }
    return root;
}

/* Reads the source of the file again. Findings of documents that cannot be read have only
 * a line. */
static void read_source(struct type_finder *finder) {
    struct fx_err ignored = FX_ERR_INIT;
    if (!finder->is_read && finder->input != NULL &&
        !fx_documents_read(finder->input->text, &finder->documents, &ignored)) {
        fx_err_reset(&ignored);
    }
    finder->is_read = true;
}

static struct fx_source_position find_place(struct type_finder *finder,
                                            const struct fx_unit *unit,
                                            const struct fx_type_warning *warning,
                                            const struct fx_type_fault *fault) {
    const uint32_t line = unit->origin.line;
    struct fx_err place = FX_ERR_INIT;
    read_source(finder);
    for (size_t i = 0; i < finder->documents.n_items; i++) {
        const struct fx_document *document = &finder->documents.items[i];
        if (document->line == line) {
            (void)fx_fail_in(&place,
                             find_field(document->root, fx_text_of(warning->field)),
                             FX_EINVALID, "%s", fault->message);
            place.off = fault->at < warning->expression.len ? fault->at : 0;
            place.len = fault->at < warning->expression.len ? 1 : 0;
            return fx_source_position_of_fault(finder->input->text,
                                               &finder->documents.marks, &place, line);
        }
    }
    return (struct fx_source_position){.line = line};
}

/* ---- one finding ------------------------------------------------------------------- */

static bool has_same(const struct fx_type_warning *warning,
                     const struct fx_type_fault *fault) {
    for (size_t i = 0; i < warning->n_faults; i++) {
        if (warning->faults[i].at == fault->at &&
            strcmp(warning->faults[i].message, fault->message) == 0) {
            return true;
        }
    }
    return false;
}

/* Lists the kinds, among the warnings of one expression, that have the fault. */
static const char *list_kinds(struct fx_arena *arena, const struct fx_type_warning *items,
                              size_t n, const struct fx_type_fault *fault) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (size_t i = 0; i < n; i++) {
        if (has_same(&items[i], fault)) {
            fx_buf_str(&text, text.len > 0 ? "; " : "");
            fx_buf_str(&text, items[i].kind);
        }
    }
    const char *copy = text.failed ? NULL : fx_arena_copy(arena, fx_buf_view(&text));
    fx_buf_finish(&text);
    return copy;
}

static bool add_finding(struct type_finder *finder, const struct fx_unit *unit,
                        const struct fx_type_warning *warning,
                        const struct fx_type_fault *fault,
                        const struct fx_type_finding *parts) {
    const struct fx_source_position place = find_place(finder, unit, warning, fault);
    struct fx_buf text;
    struct fx_buf id;
    fx_buf_init(&text, 0);
    fx_buf_init(&id, 0);
    fx_buf_printf(&id, "%s/%s", unit->kind->kind, unit->name);
    fx_buf_printf(&text, "%s: %s", parts->field, parts->message);
    if (parts->nearest != NULL) {
        fx_buf_printf(&text, "; did you mean '%s'?", parts->nearest);
    }
    fx_buf_printf(&text, " (%s)", parts->kinds);
    const char *file = unit->origin.file == NULL ? "" : unit->origin.file;
    const bool ok = !text.failed && !id.failed &&
                    fx_findings_add(&finder->found->findings, FX_SEVERITY_WARNING, file,
                                    id.data, &place, text.data);
    fx_buf_finish(&text);
    fx_buf_finish(&id);
    return ok;
}

/* Adds a fault with its kinds. `n` warnings from `items` on are of its expression. */
static bool add_fault(struct type_finder *finder, const struct fx_unit *unit,
                      const struct fx_type_warning *items, size_t n,
                      const struct fx_type_fault *fault) {
    struct fx_type_findings *found = finder->found;
    struct fx_arena *arena = &found->arena;
    if (found->n_items == FX_LIMIT_FINDINGS) {
        return true;
    }
    const char *nearest = fault->nearest;
    const struct fx_type_finding parts = {
        .field = fx_arena_copy(arena, fx_text_of(items->field)),
        .message = fx_arena_copy(arena, fx_text_of(fault->message)),
        .nearest = nearest == NULL ? NULL : fx_arena_copy(arena, fx_text_of(nearest)),
        .kinds = list_kinds(arena, items, n, fault),
    };
    if (parts.field == NULL || parts.message == NULL || parts.kinds == NULL ||
        (nearest != NULL && parts.nearest == NULL) ||
        !FX_ARENA_GROW(arena, found->items, found->n_items, found->cap_items) ||
        !add_finding(finder, unit, items, fault, &parts)) {
        return fx_fail_nomem(finder->err);
    }
    found->items[found->n_items++] = parts;
    return true;
}

/* Adds the faults of one expression: each with the first kind that has it. */
static bool add_expression(struct type_finder *finder, const struct fx_unit *unit,
                           const struct fx_type_warning *items, size_t n) {
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; ok && k < items[i].n_faults; k++) {
            const struct fx_type_fault *fault = &items[i].faults[k];
            bool is_first = true;
            for (size_t before = 0; before < i; before++) {
                is_first = is_first && !has_same(&items[before], fault);
            }
            ok = !is_first || add_fault(finder, unit, items, n, fault);
        }
    }
    return ok;
}

/* ---- all policies ------------------------------------------------------------------ */

static bool check_unit(struct type_finder *finder, const struct fx_unit *unit) {
    if (unit->dialect == NULL || unit->dialect->check_types == NULL ||
        unit->kind->role != FX_ROLE_POLICY || unit->linkable == NULL ||
        fx_units_find_same(&finder->built->units, unit) != unit) {
        return true; /* of several with one id, the last counts */
    }
    struct fx_type_warnings warnings;
    fx_type_warnings_init(&warnings);
    bool ok = unit->dialect->check_types(unit, finder->schemas, &warnings, finder->err) ||
              finder->err->code != FX_ENOMEM;
    size_t n = 0;
    for (size_t i = 0; ok && i < warnings.n_items; i += n) {
        n = fx_type_warnings_count_same(&warnings, i);
        ok = add_expression(finder, unit, &warnings.items[i], n);
    }
    fx_type_warnings_finish(&warnings);
    return ok;
}

static const struct fx_policy_input *find_input(const struct fx_policy_sources *sources,
                                                const char *file) {
    for (size_t i = 0; i < sources->n_inputs; i++) {
        const struct fx_policy_input *input = &sources->inputs[i];
        if (!input->is_flag && input->object == NULL && strcmp(input->file, file) == 0) {
            return input;
        }
    }
    return NULL;
}

bool fx_policies_check_types(const struct fx_policy_sources *sources,
                             const struct fx_policies *built,
                             const struct fx_schemas *schemas,
                             struct fx_type_findings *ret_findings, struct fx_err *err) {
    bool ok = true;
    fx_arena_init(&ret_findings->arena, FX_LIMIT_ARENA_BYTES);
    for (size_t i = 0; ok && i < built->n_files; i++) {
        const struct fx_policy_file *file = &built->files[i];
        struct type_finder finder = {
            .built = built,
            .schemas = schemas,
            .input = find_input(sources, file->file),
            .found = ret_findings,
            .err = err,
        };
        for (size_t k = 0; ok && k < file->n_units; k++) {
            ok = check_unit(&finder, file->units[k]);
        }
        fx_documents_finish(&finder.documents);
    }
    return ok;
}
