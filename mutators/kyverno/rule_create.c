/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/rule_create.c - makes the rules of a policy.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "existing.h"
#include "filters.h"
#include "rule.h"
#include "value/json.h"

static void destroy(struct fx_mutator *self) {
    struct kyverno_rule *rule = (struct kyverno_rule *)self; /* its first member */
    for (size_t i = 0; i < rule->n_exceptions; i++) {
        fx_unit_unref(rule->exception_units[i]);
    }
    free(rule->exception_units);
    fx_mutator_finish(&rule->head);
    fx_unit_unref(rule->policy_unit);
    fx_unit_unref(rule->config);
    free(rule);
}

static bool may_match_namespace(const struct fx_mutator *self,
                                struct fx_text object_namespace) {
    const struct kyverno_rule *rule = (const struct kyverno_rule *)self;
    return rule->policy->namespace_.data == NULL ||
           fx_text_equal(object_namespace, rule->policy->namespace_);
}

static const struct fx_mutator_ops ops = {
    .match = fx_kyverno_rule_match,
    .apply = fx_kyverno_rule_apply,
    .validate = fx_kyverno_rule_check_delete,
    .explain = fx_kyverno_rule_explain,
    .found = fx_kyverno_rule_found,
    .may_match_namespace = may_match_namespace,
    .example = fx_kyverno_rule_example,
    .destroy = destroy,
};

/* A rule with targets is only matched in a review. */
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

static const struct fx_mutator_ops existing_ops = {
    .match = fx_kyverno_rule_match,
    .apply = apply_nothing,
    .existing = &fx_kyverno_existing,
    .explain = fx_kyverno_rule_explain,
    .found = fx_kyverno_rule_found,
    .may_match_namespace = may_match_namespace,
    .destroy = destroy,
};

static bool is_existing(const struct kyverno_rule *rule) {
    return rule->body->targets.n > 0;
}

/* ---- what it reads ------------------------------------------------------------------
 */

/* May an expression in this text read `request.oldObject`? It may unless it names each
 * member of `request`, and that one not. */
static bool may_read_old_object(struct fx_text text) {
    const struct fx_text name = FX_TEXT("request");
    if (fx_text_contains(text, FX_TEXT("oldObject")) ||
        fx_text_contains(text, FX_TEXT("@"))) {
        return true;
    }
    for (size_t i = 0; i + name.len < text.len; i++) {
        const struct fx_text rest = fx_text_rest(text, i);
        if (fx_text_starts(rest, name) && rest.data[name.len] != '.') {
            return true;
        }
    }
    return false;
}

static bool reads_old_object(const json_t *document) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, document, FX_JSON_COMPACT);
    const bool may = text.failed || may_read_old_object(fx_buf_view(&text));
    fx_buf_finish(&text);
    return may;
}

static bool reads_objects(const struct kyverno_rule_body *body) {
    return fx_kyverno_context_entries_read_objects(body->context) ||
           fx_kyverno_targets_read_objects(&body->targets) ||
           (body->foreach != NULL && fx_kyverno_foreach_reads_objects(body->foreach));
}

static void set_inputs(struct kyverno_rule *rule,
                       const struct kyverno_rule_parts *parts) {
    struct fx_mutator *head = &rule->head;
    head->reads_request = true; /* matching does */
    head->reads_old_object =
        reads_old_object(rule->body->document) ||
        fx_kyverno_filters_read_old_object(fx_kyverno_filters_of(rule->config));
    for (size_t i = 0; i < parts->n_exceptions; i++) {
        const struct kyverno_exception *exception =
            (const struct kyverno_exception *)parts->exceptions[i]->linkable;
        head->reads_old_object =
            head->reads_old_object || reads_old_object(exception->document);
    }
    if (reads_objects(rule->body)) {
        rule->inputs[0] =
            (struct fx_input){.type = FX_INPUT_OBJECT, .phase = FX_INPUT_BEFORE};
        head->inputs = rule->inputs;
        head->n_inputs = 1;
    }
}

/* ---- the head -----------------------------------------------------------------------
 */

static bool name_head(struct kyverno_rule *rule, uint32_t position) {
    const struct fx_unit *unit = rule->policy_unit;
    return fx_mutator_init(&rule->head, is_existing(rule) ? &existing_ops : &ops,
                           fx_text_of(unit->kind->group), fx_text_of(unit->kind->kind),
                           fx_text_of(unit->name), NULL) &&
           (rule->policy->namespace_.data == NULL ||
            fx_mutator_set_namespace(&rule->head, rule->policy->namespace_)) &&
           fx_mutator_set_rule(&rule->head, rule->body->name, position);
}

static void set_index(struct kyverno_rule *rule) {
    struct fx_mutator *head = &rule->head;
    head->bindings = rule->body->bindings;
    head->n_bindings = rule->body->n_bindings;
    head->namespaces = rule->body->namespaces;
    head->n_namespaces = rule->body->n_namespaces;
    if (rule->policy->namespace_.data != NULL) {
        rule->namespaces[0] = rule->policy->namespace_;
        head->namespaces = rule->namespaces;
        head->n_namespaces = 1;
    }
}

static void set_run(struct kyverno_rule *rule) {
    struct fx_mutator *head = &rule->head;
    head->rank = KYVERNO_RANK;
    if (is_existing(rule)) {
        head->run.action = FX_ACTION_EXISTING;
        head->run.once = true;
        head->run.on_policy_change = rule->body->runs_on_policy_change;
        return;
    }
    head->restores = true;
    head->run.once = true;
    head->run.ignores_failure = rule->policy->ignores_failure;
    head->run.checks_deletes = !rule->policy->ignores_failure &&
                               fx_kyverno_match_names_delete(&rule->body->match);
    head->run.ends_policy = rule->policy->applies_one;
    head->run.restores_policy =
        rule->policy->ignores_failure && rule->policy->n_rules > 1;
}

static bool count_exceptions(struct kyverno_rule *rule, struct fx_unit *const *exceptions,
                             size_t n) {
    rule->exception_units = calloc(n + 1, sizeof(struct fx_unit *));
    for (size_t i = 0; rule->exception_units != NULL && i < n; i++) {
        rule->exception_units[rule->n_exceptions++] = fx_unit_ref(exceptions[i]);
    }
    return rule->exception_units != NULL;
}

struct fx_mutator *fx_kyverno_rule_create(const struct kyverno_rule_parts *parts,
                                          const struct kyverno_rule_body *body) {
    struct kyverno_rule *rule = calloc(1, sizeof *rule);
    if (rule == NULL) {
        return NULL;
    }
    rule->policy_unit = fx_unit_ref(parts->policy);
    rule->policy = (const struct kyverno_policy *)parts->policy->linkable;
    rule->body = body;
    rule->config = parts->config == NULL ? NULL : fx_unit_ref(parts->config);
    if (!name_head(rule, parts->position) ||
        !count_exceptions(rule, parts->exceptions, parts->n_exceptions)) {
        destroy(&rule->head);
        return NULL;
    }
    set_index(rule);
    set_run(rule);
    set_inputs(rule, parts);
    return &rule->head;
}
