/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/rule.c - a rule in the loop: what it does to an object, and
 * how it is made.
 */
#include "mutators/admission_policy/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutators/admission_policy/invoke.h"
#include "mutators/admission_policy/match.h"
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

/* ---- creation ---------------------------------------------------------------------- */

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
    .explain = fx_map_rule_explain, .found = fx_map_rule_found, .destroy = destroy

static const struct fx_mutator_ops invoke_ops = {
    COMMON_OPS, .apply = apply, .example = fx_map_example, .denial = &denial};
static const struct fx_mutator_ops fail_ops = {COMMON_OPS, .apply = apply_failure,
                                               .denial = &denial};
static const struct fx_mutator_ops validate_ops = {
    COMMON_OPS, .apply = apply_nothing, .validate = validate, .denial = &denial};

static const struct fx_mutator_ops *ops_of(enum map_rule_type type) {
    switch (type) {
    case MAP_RULE_INVOKE: return &invoke_ops;
    case MAP_RULE_FAIL: return &fail_ops;
    case MAP_RULE_VALIDATE: break;
    }
    return &validate_ops;
}

/* Copies the texts of the template into one block. */
static bool copy_texts(struct map_owning_rule *own, const struct map_rule *given) {
    size_t bytes = given->only_namespace.len + 1;
    for (size_t i = 0; i < given->n_but_namespaces; i++) {
        bytes += given->but_namespaces[i].len;
    }
    own->texts = malloc(bytes);
    own->but_namespaces =
        calloc(given->n_but_namespaces + 1, sizeof *own->but_namespaces);
    if (own->texts == NULL || own->but_namespaces == NULL) {
        return false;
    }
    char *at = own->texts;
    if (given->only_namespace.data != NULL) {
        memcpy(at, given->only_namespace.data, given->only_namespace.len);
        own->rule.only_namespace.data = at;
        at += given->only_namespace.len;
    }
    for (size_t i = 0; i < given->n_but_namespaces; i++) {
        const struct fx_text text = given->but_namespaces[i];
        if (text.len > 0) {
            memcpy(at, text.data, text.len);
        }
        own->but_namespaces[i] = (struct fx_text){at, text.len};
        at += text.len;
    }
    own->rule.but_namespaces = own->but_namespaces;
    return true;
}

/* Sets the value of `params`. Objects of Kubernetes' own kinds have no apiVersion and
 * kind there, because API servers take them from typed caches. */
static bool set_params(struct map_owning_rule *own) {
    struct fx_unit *unit = own->rule.param_unit;
    if (unit == NULL) {
        return true;
    }
    own->params = json_incref(fx_unit_get_object(unit));
    if (own->params == NULL || !fx_map_is_builtin(&unit->named)) {
        return own->params != NULL;
    }
    if (fx_tree_own_root(&own->params) == NULL) {
        return false;
    }
    fx_tree_remove_key(own->params, FX_TEXT("apiVersion"));
    fx_tree_remove_key(own->params, FX_TEXT("kind"));
    return true;
}

static bool name_conditions(struct map_owning_rule *own) {
    const size_t n = own->rule.policy->n_conditions;
    own->conditions = calloc(n + 1, sizeof *own->conditions);
    for (size_t i = 0; i < n && own->conditions != NULL; i++) {
        (void)snprintf(own->conditions[i], MAP_CRITERION_BYTES, "matchConditions[%zu]",
                       i);
    }
    return own->conditions != NULL;
}

/* ---- what it reads ----------------------------------------------------------------- */

static unsigned slots_of(const struct map_expression *expression) {
    return fx_map_slots_of(fx_cel_program_root(expression->program));
}

static bool selects_objects(const struct map_rule *rule) {
    return rule->policy->match.object_selector != NULL ||
           (rule->binding != NULL && rule->binding->match.object_selector != NULL);
}

static void find_slots(struct map_owning_rule *own) {
    const struct map_policy *policy = own->rule.policy;
    unsigned of_conditions = 0;
    for (size_t i = 0; i < policy->n_conditions; i++) {
        of_conditions |= slots_of(&policy->conditions[i].expression);
    }
    own->slots = of_conditions & ~(1u << MAP_SLOT_NAMESPACE_OBJECT); /* null there */
    for (size_t i = 0; i < policy->n_variables; i++) {
        own->slots |= slots_of(&policy->variables[i].expression);
    }
    for (size_t i = 0; i < policy->n_mutations; i++) {
        own->slots |= slots_of(&policy->mutations[i].expression);
    }
}

/* Sets what the rule reads beside the object. */
static void set_inputs(struct map_owning_rule *own) {
    struct fx_mutator *head = &own->rule.head;
    const unsigned authorizers =
        (1u << MAP_SLOT_AUTHORIZER) | (1u << MAP_SLOT_REQUEST_RESOURCE);
    head->reads_request = true; /* matching does */
    head->reads_old_object = selects_objects(&own->rule);
    if (own->rule.type == MAP_RULE_FAIL) {
        return;
    }
    find_slots(own);
    head->reads_old_object |= (own->slots & (1u << MAP_SLOT_OLD_OBJECT)) != 0;
    head->inputs = own->inputs;
    if ((own->slots & (1u << MAP_SLOT_NAMESPACE_OBJECT)) != 0) {
        own->inputs[head->n_inputs++] = (struct fx_input){.type = FX_INPUT_OBJECT,
                                                          .phase = FX_INPUT_BEFORE,
                                                          .key = fx_input_namespace_key};
    }
    if ((own->slots & authorizers) != 0) {
        own->inputs[head->n_inputs++] =
            (struct fx_input){.type = FX_INPUT_ACCESS, .phase = FX_INPUT_BEFORE};
    }
}

/* ---- the head ---------------------------------------------------------------------- */

/* Prints the binding, the parameter, and what the rule is. */
static void print_name(struct fx_buf *name, const struct map_rule *rule) {
    const struct fx_unit *param = rule->param_unit;
    fx_buf_str(name, rule->binding_unit == NULL ? "policy" : rule->binding_unit->name);
    if (param != NULL) {
        fx_buf_char(name, '/');
        if (param->namespace_ != NULL) {
            fx_buf_printf(name, "%s/", param->namespace_);
        }
        fx_buf_str(name, param->name);
    }
    if (rule->type == MAP_RULE_FAIL) {
        fx_buf_str(name, rule->only_cluster_scoped ? ":cluster-scoped" : ":failure");
    } else if (rule->type == MAP_RULE_VALIDATE) {
        fx_buf_str(name, ":validation");
    }
}

static bool name_head(struct map_owning_rule *own, uint32_t position) {
    const struct fx_unit *unit = own->rule.policy_unit;
    struct fx_buf name;
    fx_buf_init(&name, 0);
    print_name(&name, &own->rule);
    const bool ok =
        !name.failed &&
        fx_mutator_init(&own->rule.head, ops_of(own->rule.type),
                        fx_text_of(unit->kind->group), fx_text_of(unit->kind->kind),
                        fx_text_of(unit->name), NULL) &&
        fx_mutator_set_rule(&own->rule.head, fx_buf_view(&name), position);
    fx_buf_finish(&name);
    return ok;
}

static bool set_index(struct map_owning_rule *own) {
    struct fx_mutator *head = &own->rule.head;
    if (own->rule.only_namespace.data != NULL) {
        own->namespaces[0] = own->rule.only_namespace;
        head->namespaces = own->namespaces;
        head->n_namespaces = 1;
    }
    if (!fx_map_match_bindings(&own->rule.policy->match, &own->bindings,
                               &head->n_bindings)) {
        return false;
    }
    head->bindings = own->bindings;
    return true;
}

static void set_run(struct map_owning_rule *own) {
    const struct map_policy *policy = own->rule.policy;
    struct fx_mutator *head = &own->rule.head;
    head->rank = MAP_RANK;
    head->tier = own->rule.type == MAP_RULE_FAIL ? -1 : 0;
    head->restores = true;
    if (own->rule.type == MAP_RULE_VALIDATE) {
        head->run.action =
            policy->validation == MAP_VALIDATION_FAIL ? FX_ACTION_DENY : FX_ACTION_WARN;
        return;
    }
    head->run.once = true;
    head->run.again = policy->reinvokes;
    head->run.match_first = true;
    head->run.ignores_failure = policy->ignores_failure;
}

struct fx_mutator *fx_map_rule_create(const struct map_rule *given, uint32_t position) {
    struct map_owning_rule *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->rule = *given;
    own->rule.head = (struct fx_mutator){0};
    own->rule.message = given->message == NULL ? NULL : strdup(given->message);
    (void)fx_unit_ref(given->policy_unit);
    (void)fx_map_schemas_ref(given->schemas);
    if (given->binding_unit != NULL) {
        (void)fx_unit_ref(given->binding_unit);
    }
    if (given->param_unit != NULL) {
        (void)fx_unit_ref(given->param_unit);
    }
    if ((given->message != NULL && own->rule.message == NULL) ||
        !copy_texts(own, given) || !set_params(own) || !name_conditions(own) ||
        !name_head(own, position) || !set_index(own)) {
        destroy(&own->rule.head);
        return NULL;
    }
    set_run(own);
    set_inputs(own);
    return &own->rule.head;
}
