/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/rule.c - a rule in the loop: what it does to an object.
 */
#include "mutators/admission_policy/rule.h"

#include <stdlib.h>

#include "mutators/admission_policy/access.h"
#include "mutators/admission_policy/invoke.h"
#include "value/equal.h"
#include "value/tree.h"

/* ---- what a change leaves as it was ------------------------------------------------ */

static bool is_same(const json_t *a, const json_t *b, const char *key) {
    json_t *one = fx_tree_view_key(a, key);
    json_t *other = fx_tree_view_key(b, key);
    return one == other || (one != NULL && other != NULL && fx_equal(one, other));
}

/* Sets the facts about a change that save the loop work. */
static void compare(const json_t *before, const json_t *after,
                    struct fx_effect *ret_effect) {
    const json_t *old = fx_tree_view_key(before, "metadata");
    const json_t *new = fx_tree_view_key(after, "metadata");
    ret_effect->keeps_names =
        is_same(before, after, "apiVersion") && is_same(before, after, "kind") &&
        (old == new || (is_same(old, new, "name") && is_same(old, new, "namespace") &&
                        is_same(old, new, "generateName")));
    ret_effect->keeps_metadata =
        old == new || (is_same(old, new, "labels") && is_same(old, new, "annotations"));
}

/* ---- applying ---------------------------------------------------------------------- */

/* Evaluates the conditions. *ret_goes_on is false if the mutations shall not run. */
static bool check_conditions(const struct map_owning_rule *own,
                             struct map_activation *activation, json_t *object,
                             struct fx_effect *effect, bool *ret_goes_on,
                             struct fx_err *err) {
    const struct map_rule *rule = &own->rule;
    size_t at = 0;
    struct fx_buf message;
    fx_buf_init(&message, 0);
    bool ok = true;
    switch (fx_map_check_conditions(activation, object, &at, &message, err)) {
    case MAP_EVALUATED:
        *ret_goes_on = at == rule->policy->n_conditions;
        effect->criterion = *ret_goes_on ? NULL : own->conditions[at];
        break;
    case MAP_FAILED:
    case MAP_EXHAUSTED:
        *ret_goes_on = false;
        effect->criterion = fx_map_rule_criterion_name(MAP_RULE_CONDITIONS);
        ok = message.failed ? fx_fail_nomem(err)
                            : fx_map_report(rule, activation->request, "Invalid",
                                            fx_buf_view(&message), err);
        break;
    case MAP_BROKEN: ok = false; break;
    }
    effect->unmatched = ok && !*ret_goes_on;
    fx_buf_finish(&message);
    return ok;
}

/* Takes over the reference to the result. An equal result is dropped. */
static void replace(json_t **root, json_t *result, struct fx_effect *effect) {
    effect->changed = result != *root && !fx_equal(result, *root);
    if (!effect->changed) {
        json_decref(result);
        return;
    }
    compare(*root, result, effect);
    json_decref(*root);
    *root = result;
}

static bool invoke(const struct map_owning_rule *own, struct map_activation *activation,
                   json_t **root, struct fx_effect *effect, struct fx_err *err) {
    bool goes_on = false;
    struct map_mutated mutated = {0};
    if (!check_conditions(own, activation, *root, effect, &goes_on, err)) {
        return false;
    }
    if (!goes_on) {
        return true;
    }
    json_t *result = json_incref(*root);
    if (!fx_map_mutate(activation, &own->rule, true, &result, &mutated, err)) {
        json_decref(result);
        return false;
    }
    effect->applied = mutated.n_succeeded > 0;
    effect->criterion =
        effect->applied ? NULL : fx_map_rule_criterion_name(MAP_RULE_MUTATIONS);
    replace(root, result, effect);
    return true;
}

static bool apply(const struct fx_mutator *self, const struct fx_request *request,
                  json_t **root, struct fx_effect *ret_effect, struct fx_err *err) {
    const struct map_owning_rule *own = fx_map_rule_of(self);
    struct map_activation activation;
    *ret_effect = (struct fx_effect){.applied = false};
    fx_map_activation_init(&activation, own->rule.policy, own->params, request);
    const bool ok = invoke(own, &activation, root, ret_effect, err);
    fx_map_activation_finish(&activation);
    return ok;
}

static bool apply_failure(const struct fx_mutator *self, const struct fx_request *request,
                          json_t **root, struct fx_effect *ret_effect,
                          struct fx_err *err) {
    (void)root;
    const struct map_rule *rule = &fx_map_rule_of(self)->rule;
    *ret_effect = (struct fx_effect){
        .applied = false, .criterion = fx_map_rule_criterion_name(MAP_RULE_PARAMS)};
    return fx_map_report(rule, request, "Forbidden", fx_text_of(rule->message), err);
}

/* ---- validating -------------------------------------------------------------------- */

static bool apply_nothing(const struct fx_mutator *self, const struct fx_request *request,
                          json_t **root, struct fx_effect *ret_effect,
                          struct fx_err *err) {
    (void)self;
    (void)request;
    (void)root;
    (void)err;
    *ret_effect = (struct fx_effect){.applied = false};
    return true;
}

/* Runs conditions and mutations once more; what fails was reported before. */
static bool mutate_again(const struct map_owning_rule *own,
                         struct map_activation *activation, json_t **root,
                         struct fx_err *err) {
    size_t at = 0;
    struct map_mutated mutated;
    struct fx_buf message;
    fx_buf_init(&message, 0);
    const enum map_evaluation how =
        fx_map_check_conditions(activation, *root, &at, &message, err);
    fx_buf_finish(&message);
    if (how != MAP_EVALUATED || at < own->rule.policy->n_conditions) {
        return how != MAP_BROKEN;
    }
    return fx_map_mutate(activation, &own->rule, false, root, &mutated, err);
}

static bool validate(const struct fx_mutator *self, const struct fx_request *request,
                     json_t *root, struct fx_buf *entry, struct fx_err *note,
                     struct fx_err *err) {
    (void)note;
    const struct map_owning_rule *own = fx_map_rule_of(self);
    struct map_activation activation;
    json_t *result = json_incref(root);
    fx_map_activation_init(&activation, own->rule.policy, own->params, request);
    const bool ok = mutate_again(own, &activation, &result, err);
    fx_map_activation_finish(&activation);
    if (ok && result != root && !fx_equal(result, root)) {
        fx_buf_printf(
            entry,
            "policy '%s' with binding '%s': its mutations would change the object "
            "again, after all mutations have been applied",
            own->rule.policy_unit->name, own->rule.binding_unit->name);
    }
    json_decref(result);
    return ok;
}

/* ---- the tables -------------------------------------------------------------------- */

static void destroy(struct fx_mutator *self) {
    struct map_owning_rule *own = (struct map_owning_rule *)self; /* its first member */
    fx_mutator_finish(self);
    fx_unit_unref(own->rule.policy_unit);
    fx_unit_unref(own->rule.binding_unit);
    fx_unit_unref(own->rule.param_unit);
    fx_map_schemas_unref(own->rule.schemas);
    json_decref(own->params);
    free(own->rule.message);
    free(own->texts);
    free(own->but_namespaces);
    free(own->bindings);
    free(own->conditions);
    free(own);
}

static const struct fx_denial denial = {.begin = "", .between = NULL};

#define COMMON_OPS                                                                      \
    .match = fx_map_rule_match, .may_match_namespace = fx_map_rule_may_match_namespace, \
    .access = fx_map_rule_access, .explain = fx_map_rule_explain,                       \
    .found = fx_map_rule_found, .destroy = destroy

static const struct fx_mutator_ops invoke_ops = {
    COMMON_OPS, .apply = apply, .example = fx_map_example,
    .full_example = fx_map_full_example, .denial = &denial};
static const struct fx_mutator_ops fail_ops = {
    COMMON_OPS, .apply = apply_failure, .example = fx_map_example,
    .full_example = fx_map_full_example, .denial = &denial};
static const struct fx_mutator_ops validate_ops = {
    COMMON_OPS, .apply = apply_nothing, .validate = validate, .denial = &denial};

const struct fx_mutator_ops *fx_map_rule_ops(enum map_rule_type type) {
    switch (type) {
    case MAP_RULE_INVOKE: return &invoke_ops;
    case MAP_RULE_FAIL: return &fail_ops;
    case MAP_RULE_VALIDATE: break;
    }
    return &validate_ops;
}
