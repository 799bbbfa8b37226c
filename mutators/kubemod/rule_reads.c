/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_reads.c - the union of what its expressions, templates and paths
 * may see.
 */
#include "mutators/kubemod/rule_reads.h"

#include "mutators/kubemod/select_path.h"
#include "mutators/kubemod/synthetic_refs.h"
#include "value/patch.h"

static bool add_item(const struct match_item *item, struct fx_json_part *root) {
    struct fx_json_place place;
    if (!fx_jsonpath_reads(item->select, root, &place)) {
        return false;
    }
    if (fx_match_item_tests(item)) {
        fx_json_place_all(place);
    }
    return true;
}

/* ---- paths ------------------------------------------------------------------------- */

/* May it lead into a list? */
static bool may_be_index(const struct step *step) {
    return step->is_number || fx_text_is(step->text, "-") ||
           fx_select_path_has_places(step->text);
}

/* What tells the elements of a list apart where two lists are compared. */
static bool add_identity(struct fx_json_place element) {
    bool ok = true;
    for (const char *const *key = fx_patch_merge_keys; ok && *key != NULL; key++) {
        struct fx_json_place place = element;
        ok = fx_json_place_member(&place, fx_text_of(*key));
    }
    return ok;
}

/* A list that gets or loses elements is compared element by element. */
static bool add_path(const struct steps *steps, struct fx_json_part *root) {
    struct fx_json_place place = {.part = root};
    bool ok = true;
    for (size_t i = 0; ok && i < steps->n_items; i++) {
        const bool is_last = i + 1 == steps->n_items;
        if (!may_be_index(&steps->items[i])) {
            ok = fx_json_place_member(&place, steps->items[i].text);
        } else if (!is_last) {
            fx_json_place_element(&place);
            ok = add_identity(place);
        }
    }
    if (steps->n_items > 0) {
        fx_json_place_all(place);
    }
    return ok;
}

/* ---- the whole ----------------------------------------------------------------------
 */

static bool add_template(const struct fx_gotemplate *template, struct fx_json_part *root,
                         struct fx_json_place selected) {
    const struct fx_gotemplate_origin origins[] = {
        {FX_TEXT("Target"), {.part = root}},
        {FX_TEXT("SelectedItem"), selected},
    };
    return template == NULL || fx_gotemplate_reads(template, origins, FX_COUNT(origins));
}

/* Where a path cannot be known beforehand, it fails. */
static bool add_operation(const struct patch_operation *operation,
                          struct fx_json_part *root) {
    struct fx_json_place selected = {.part = NULL};
    return (operation->select == NULL ||
            fx_jsonpath_reads(operation->select, root, &selected)) &&
           add_template(operation->value.template, root, selected) &&
           add_path(&operation->steps, root);
}

bool fx_rule_add_reads(const struct modrule *rule, struct fx_json_part *root) {
    const struct fx_json_place nowhere = {.part = NULL};
    bool ok = add_template(rule->message, root, nowhere);
    for (size_t i = 0; ok && i < rule->n_items; i++) {
        ok = add_item(&rule->items[i], root);
    }
    for (size_t i = 0; ok && i < rule->n_patch; i++) {
        ok = add_operation(&rule->patch[i], root);
    }
    fx_json_part_prune(root);
    return ok;
}

static bool is_wanted(const struct fx_json_part *refs, const char *name) {
    return !refs->omits_rest || refs->is_list ||
           fx_json_part_find(refs, fx_text_of(name)) != NULL;
}

bool fx_rule_find_inputs(struct modrule *rule) {
    struct fx_json_part root = {.omits_rest = true};
    const bool ok = fx_rule_add_reads(rule, &root);
    const struct fx_json_part *refs = &root; /* wanted whole, the object's are, too */
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

/* ---- writes -------------------------------------------------------------------------
 */

static bool is_name(const struct step *step, const char *name) {
    return fx_text_is(step->text, name) || fx_select_path_has_places(step->text);
}

static bool is_of_metadata(const struct steps *steps) {
    return is_name(&steps->items[0], "metadata");
}

/* Labels and annotations, and what is in them. */
static bool is_of_names(const struct steps *steps) {
    if (is_name(&steps->items[0], "apiVersion") || is_name(&steps->items[0], "kind")) {
        return true;
    }
    return is_of_metadata(steps) &&
           (steps->n_items == 1 || !(fx_text_is(steps->items[1].text, "labels") ||
                                     fx_text_is(steps->items[1].text, "annotations")));
}

void fx_rule_find_writes(struct modrule *rule) {
    rule->keeps_names = true;
    rule->keeps_metadata = true;
    for (size_t i = 0; i < rule->n_patch; i++) {
        const struct steps *steps = &rule->patch[i].steps;
        const bool is_known = rule->patch[i].is_known && steps->n_items > 0;
        rule->keeps_names = rule->keeps_names && is_known && !is_of_names(steps);
        rule->keeps_metadata = rule->keeps_metadata && is_known && !is_of_metadata(steps);
    }
}
