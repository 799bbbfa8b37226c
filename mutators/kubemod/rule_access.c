/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_access.c - the access of a rule: the union of the reads of its
 * expressions and templates, and the paths of its patch.
 */
#include "mutators/kubemod/modrule.h"

#include <string.h>

#include "engine/access.h"
#include "mutators/kubemod/synthetic_refs.h"

/* Adds the reads of the expression; *ret_cursor is the position of its result. */
static void read_expression(struct fx_access *access,
                            const struct fx_jsonpath *expression,
                            struct fx_json_cursor *ret_cursor) {
    *ret_cursor = (struct fx_json_cursor){.part = NULL};
    if (access->parts != NULL && expression != NULL &&
        !fx_jsonpath_reads(expression, access->parts, ret_cursor)) {
        access->failed = true;
    }
}

static void read_template(struct fx_access *access, const struct fx_gotemplate *template,
                          struct fx_json_cursor selected) {
    const struct fx_gotemplate_origin origins[] = {
        {FX_TEXT("Target"), {.part = access->parts}},
        {FX_TEXT("SelectedItem"), selected},
    };
    if (access->parts != NULL && template != NULL &&
        !fx_gotemplate_reads(template, origins, FX_COUNT(origins))) {
        access->failed = true;
    }
}

/* True for a step that is known only when the rule is applied: `-`, an index from the
 * end, and a key that a select finds. */
static bool is_open(struct fx_text step, bool selects) {
    return (selects && step.len > 0 && memchr(step.data, '#', step.len) != NULL) ||
           (step.len > 0 && step.data[0] == '-');
}

/* Adds a path that is written. A path that is too long has no known steps. */
static void write_path(struct fx_access *access,
                       const struct patch_operation *operation) {
    fx_access_write(access, FX_ACCESS_UNTYPED, false);
    for (size_t i = 0; i < operation->steps.n_items; i++) {
        const struct step *step = &operation->steps.items[i];
        struct fx_path_step own = {.type = FX_PATH_MEMBER, .name = step->text};
        if (is_open(step->text, operation->select != NULL)) {
            own.type = FX_PATH_ANY;
        } else if (step->is_number) {
            own.type = FX_PATH_TOKEN;
        }
        fx_access_step(access, own);
    }
}

void fx_modrule_access(const struct fx_mutator *self, struct fx_access *access) {
    const struct modrule *rule = (const struct modrule *)self;
    struct fx_json_cursor cursor = {.part = NULL};
    read_template(access, rule->message, cursor);
    for (size_t i = 0; i < rule->n_items; i++) {
        read_expression(access, rule->items[i].select, &cursor);
        if (fx_match_item_tests(&rule->items[i])) {
            fx_json_cursor_all(cursor);
        }
    }
    for (size_t i = 0; i < rule->n_patch; i++) {
        read_expression(access, rule->patch[i].select, &cursor);
        read_template(access, rule->patch[i].value.template, cursor);
        write_path(access, &rule->patch[i]);
    }
}

static bool is_wanted(const struct fx_json_part *refs, const char *name) {
    return !refs->omits_rest || refs->is_list ||
           fx_json_part_find(refs, fx_text_of(name)) != NULL;
}

bool fx_modrule_find_inputs(struct modrule *rule) {
    struct fx_json_part root = {.omits_rest = true};
    const bool ok = fx_access_add_parts_of(&rule->head, &root);
    const struct fx_json_part *refs = &root; /* if the rule reads everything */
    if (root.omits_rest && !root.is_list) {
        refs = fx_json_part_find(&root, FX_TEXT(SYNTHETIC_REFS));
    }
    const bool wants_namespace = refs != NULL && is_wanted(refs, "namespace");
    const bool wants_node = refs != NULL && is_wanted(refs, "node");
    rule->head.inputs = wants_namespace ? fx_synthetic_inputs : fx_synthetic_inputs + 1;
    rule->head.n_inputs = (wants_namespace ? 1u : 0u) + (wants_node ? 1u : 0u);
    fx_json_part_finish(&root);
    return ok;
}
