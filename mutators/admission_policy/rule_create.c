/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/rule_create.c - how a rule is made: its copies of texts, what
 * it reads, and what the index learns about it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutators/admission_policy/match.h"
#include "mutators/admission_policy/rule.h"
#include "value/tree.h"

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

/* Takes references of the exceptions. False without memory. */
static bool count_exceptions(struct map_owning_rule *own, const struct map_rule *given) {
    own->exceptions = calloc(given->n_exceptions + 1, sizeof(struct fx_unit *));
    own->rule.exceptions = own->exceptions;
    for (size_t i = 0; own->exceptions != NULL && i < given->n_exceptions; i++) {
        own->exceptions[i] = fx_unit_ref(given->exceptions[i]);
    }
    return own->exceptions != NULL;
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
    return fx_map_rule_constraints(rule)->object_selector != NULL ||
           (rule->binding != NULL && rule->binding->match.object_selector != NULL);
}

static unsigned slots_of_conditions(const struct map_policy *policy) {
    unsigned slots = 0;
    for (size_t i = 0; i < policy->n_conditions; i++) {
        slots |= slots_of(&policy->conditions[i].expression);
    }
    return policy->is_kyverno ? slots
                              : slots & ~(1u << MAP_SLOT_NAMESPACE_OBJECT); /* null */
}

static void find_slots(struct map_owning_rule *own) {
    const struct map_policy *policy = own->rule.policy;
    own->slots = slots_of_conditions(policy);
    for (size_t i = 0; i < own->rule.n_exceptions; i++) {
        const struct fx_linkable *linkable = own->rule.exceptions[i]->linkable;
        own->slots |=
            slots_of_conditions(&((const struct map_exception *)linkable)->policy);
    }
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
    if (own->rule.type == MAP_RULE_FAIL || own->rule.type == MAP_RULE_ABSENT) {
        return;
    }
    find_slots(own);
    const unsigned olds = own->rule.policy->is_kyverno
                              ? (1u << MAP_SLOT_OLD_OBJECT) | (1u << MAP_SLOT_REQUEST)
                              : 1u << MAP_SLOT_OLD_OBJECT;
    head->reads_old_object |= (own->slots & olds) != 0;
    head->inputs = own->inputs;
    if ((own->slots & (1u << MAP_SLOT_RESOURCE)) != 0) {
        own->inputs[head->n_inputs++] =
            (struct fx_input){.type = FX_INPUT_OBJECT, .phase = FX_INPUT_BEFORE};
    }
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

/* Prints the binding, the parameter, and what the rule is. Kyverno's names for what it
 * generates from a policy for Pods are "defaults" and "cronjobs". */
static void print_name(struct fx_buf *name, const struct map_rule *rule) {
    static const char *const views[] = {"mutations", "autogen-defaults",
                                        "autogen-cronjobs"};
    const struct fx_unit *param = rule->param_unit;
    if (rule->policy->is_kyverno) {
        fx_buf_str(name, views[rule->view]);
        return;
    }
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
    } else if (rule->type == MAP_RULE_ABSENT) {
        fx_buf_str(name, ":no-params");
    }
}

static bool name_head(struct map_owning_rule *own, uint32_t position) {
    const struct fx_unit *unit = own->rule.policy_unit;
    struct fx_buf name;
    fx_buf_init(&name, 0);
    print_name(&name, &own->rule);
    const bool ok =
        !name.failed &&
        fx_mutator_init(&own->rule.head, fx_map_rule_ops(&own->rule),
                        fx_text_of(unit->kind->group), fx_text_of(unit->kind->kind),
                        fx_text_of(unit->name), NULL) &&
        (!own->rule.is_namespaced ||
         fx_mutator_set_namespace(&own->rule.head, own->rule.only_namespace)) &&
        fx_mutator_set_rule(&own->rule.head, fx_buf_view(&name), position);
    fx_buf_finish(&name);
    return ok;
}

static bool set_index(struct map_owning_rule *own) {
    static const struct fx_binding nothing = {.operations = 0};
    struct fx_mutator *head = &own->rule.head;
    if (own->rule.type == MAP_RULE_ABSENT) {
        head->bindings = &nothing;
        head->n_bindings = 1;
        return true;
    }
    if (own->rule.only_namespace.data != NULL) {
        own->namespaces[0] = own->rule.only_namespace;
        head->namespaces = own->namespaces;
        head->n_namespaces = 1;
    }
    if (!fx_map_match_bindings(fx_map_rule_constraints(&own->rule), &own->bindings,
                               &head->n_bindings)) {
        return false;
    }
    head->bindings = own->bindings;
    return true;
}

static void set_run(struct map_owning_rule *own) {
    const struct map_policy *policy = own->rule.policy;
    struct fx_mutator *head = &own->rule.head;
    head->rank = policy->is_kyverno ? MAP_KYVERNO_RANK : MAP_RANK;
    head->tier =
        own->rule.type == MAP_RULE_FAIL || own->rule.type == MAP_RULE_ABSENT ? -1 : 0;
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
    if (given->binding_unit != NULL) {
        (void)fx_unit_ref(given->binding_unit);
    }
    if (given->param_unit != NULL) {
        (void)fx_unit_ref(given->param_unit);
    }
    if ((given->message != NULL && own->rule.message == NULL) ||
        !count_exceptions(own, given) || !copy_texts(own, given) || !set_params(own) ||
        !name_conditions(own) || !name_head(own, position) || !set_index(own)) {
        fx_map_rule_ops(&own->rule)->destroy(&own->rule.head);
        return NULL;
    }
    set_run(own);
    set_inputs(own);
    return &own->rule.head;
}
