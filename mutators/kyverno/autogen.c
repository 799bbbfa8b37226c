/* SPDX-License-Identifier: Apache-2.0
 *
 * autogen.c - makes rules for controllers of Pods.
 */
#include "autogen.h"

#include "autogen_rule.h"
#include "base/budget.h"
#include "value/tree.h"

/* ---- what the policy asks for --------------------------------------------------------
 */

static bool is_true(const json_t *annotations, const char *name) {
    return fx_text_is(fx_tree_view_string(annotations, name), "true");
}

/* Is the controller on the list of the annotation? An entry counts if it is exactly the
 * kind. */
static bool is_listed(const json_t *annotations, const char *kind) {
    struct fx_text rest = fx_tree_view_string(annotations, KYVERNO_AUTOGEN_CONTROLLERS);
    if (rest.data == NULL || fx_text_is(rest, "all")) {
        return true;
    }
    while (rest.len > 0) {
        if (fx_text_is(fx_text_cut(&rest, ','), kind)) {
            return true;
        }
    }
    return false;
}

/* ---- what the rules allow ------------------------------------------------------------
 */

/* What the filters of all rules say. */
struct autogen_check {
    bool allows_json_patches;
    bool is_needed; /* a filter has exactly "Pod", or a controller */
};

/* Is it there, and not empty? */
static bool is_given(const json_t *node) {
    return json_is_string(node)  ? fx_tree_text(node).len > 0
           : json_is_array(node) ? json_array_size(node) > 0
                                 : node != NULL && !json_is_null(node);
}

static bool check_filter(struct autogen_check *check, const json_t *filter) {
    static const char *const particular[] = {"name", "names", "selector", "annotations"};
    const json_t *resources = fx_tree_view_key(filter, "resources");
    const json_t *kinds = fx_tree_view_key(resources, "kinds");
    for (size_t i = 0; i < FX_COUNT(particular); i++) {
        if (is_given(fx_tree_view_key(resources, particular[i]))) {
            return false;
        }
    }
    for (size_t i = 0; i < json_array_size(kinds); i++) {
        const struct fx_text kind = fx_tree_text(json_array_get(kinds, i));
        check->is_needed =
            check->is_needed || fx_text_is(kind, "Pod") || fx_kyverno_is_controller(kind);
    }
    return json_array_size(kinds) < 2 || !fx_kyverno_lists_pod(kinds);
}

static bool check_filters(struct autogen_check *check, const json_t *block) {
    static const char *const lists[] = {"any", "all"};
    bool ok = check_filter(check, block);
    for (size_t k = 0; k < FX_COUNT(lists); k++) {
        const json_t *list = fx_tree_view_key(block, lists[k]);
        for (size_t i = 0; ok && i < json_array_size(list); i++) {
            ok = check_filter(check, json_array_get(list, i));
        }
    }
    return ok;
}

static bool has_json_patch(const json_t *mutate) {
    const json_t *foreach = fx_tree_view_key(mutate, "foreach");
    bool found = fx_tree_view_string(mutate, "patchesJson6902").len > 0 ||
                 fx_tree_view_key(mutate, "patches") != NULL;
    for (size_t i = 0; !found && i < json_array_size(foreach); i++) {
        const json_t *entry = json_array_get(foreach, i);
        found = fx_tree_view_string(entry, "patchesJson6902").len > 0;
    }
    return found;
}

static bool allows_rules(struct autogen_check *check, const json_t *rule) {
    return fx_tree_view_key(rule, "generate") == NULL &&
           (check->allows_json_patches ||
            !has_json_patch(fx_tree_view_key(rule, "mutate"))) &&
           check_filters(check, fx_tree_view_key(rule, "match")) &&
           check_filters(check, fx_tree_view_key(rule, "exclude"));
}

/* One rule that cannot have generated ones turns them off for all rules. */
static bool allows_all(const json_t *rules, const json_t *annotations) {
    struct autogen_check check = {.allows_json_patches =
                                      is_true(annotations, KYVERNO_AUTOGEN_JSON_PATCHES)};
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(rules); i++) {
        ok = allows_rules(&check, json_array_get(rules, i));
    }
    return ok && check.is_needed;
}

/* ---- the rules -----------------------------------------------------------------------
 */

/* The kinds for a form of generated rules, as the annotation lists them. */
static json_t *list_kinds(enum kyverno_autogen_form form, const json_t *annotations) {
    json_t *kinds = json_array();
    bool ok = kinds != NULL;
    for (size_t i = 0; ok && i < KYVERNO_CONTROLLERS; i++) {
        const struct kyverno_controller *controller = &fx_kyverno_controllers[i];
        if (controller->form == form && is_listed(annotations, controller->kind)) {
            ok = fx_tree_append_take(kinds, json_string(controller->full_kind));
        }
    }
    return fx_tree_keep_if(ok, kinds);
}

static bool add_rules(const json_t *rule, json_t *const kinds[KYVERNO_AUTOGEN_FORMS],
                      json_t *made, struct fx_err *err) {
    bool ok = true;
    for (unsigned i = 0; ok && i < KYVERNO_AUTOGEN_FORMS; i++) {
        json_t *generated = NULL;
        if (json_array_size(kinds[i]) == 0) {
            continue;
        }
        ok = fx_kyverno_autogen_rule(rule, (enum kyverno_autogen_form)i, kinds[i],
                                     &generated, err);
        if (ok && generated != NULL) {
            ok = fx_tree_append_take(made, generated) || fx_fail_nomem(err);
        }
    }
    return ok;
}

bool fx_kyverno_autogen(const json_t *spec, const json_t *annotations, json_t **ret_rules,
                        struct fx_err *err) {
    const json_t *rules = fx_tree_view_key(spec, "rules");
    json_t *kinds[KYVERNO_AUTOGEN_FORMS] = {
        list_kinds(KYVERNO_AUTOGEN_TEMPLATE, annotations),
        list_kinds(KYVERNO_AUTOGEN_CRON_JOB, annotations)};
    json_t *made = json_array();
    bool ok =
        (made != NULL && kinds[0] != NULL && kinds[1] != NULL) || fx_fail_nomem(err);
    if (ok && allows_all(rules, annotations)) {
        for (size_t i = 0; ok && i < json_array_size(rules); i++) {
            ok = add_rules(json_array_get(rules, i), kinds, made, err);
        }
    }
    json_decref(kinds[0]);
    json_decref(kinds[1]);
    *ret_rules = fx_tree_keep_if(ok, made);
    return ok;
}
