/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/existing.c - selects the targets of a rule for a trigger, and mutates one.
 */
#include "existing.h"

#include "base/budget.h"
#include "base/wildcard.h"
#include "evaluation.h"
#include "targets.h"

/* ---- the targets of a trigger -------------------------------------------------------
 */

static bool select_each(struct kyverno_evaluation *evaluation,
                        struct fx_existing_queries *queries, struct fx_err *err) {
    const struct kyverno_targets *targets = &evaluation->rule->body->targets;
    bool ok = true;
    for (size_t i = 0; ok && i < targets->n; i++) {
        ok = fx_kyverno_target_select(targets, i, &evaluation->context, queries, err) &&
             (fx_spend(1) || fx_fail_exceeded(err));
    }
    return ok;
}

/* The preconditions and the exceptions of the rule are those of the trigger. */
static bool select_targets(const struct fx_mutator *self,
                           const struct fx_request *request, json_t *trigger,
                           struct fx_existing_queries *queries, struct fx_err *err) {
    struct kyverno_evaluation evaluation;
    const struct kyverno_rule *rule = fx_kyverno_rule_of(self);
    const char *criterion = NULL;
    if (!fx_kyverno_evaluation_begin(&evaluation, rule, rule->body->context, request,
                                     trigger, err)) {
        return false;
    }
    const bool ok =
        fx_kyverno_evaluation_criterion(&evaluation, trigger, &criterion, err) &&
        (criterion != NULL || select_each(&evaluation, queries, err));
    fx_kyverno_evaluation_end(&evaluation);
    return ok || fx_kyverno_evaluation_fail(rule, err);
}

/* ---- one target ---------------------------------------------------------------------
 */

/* Does this entry of the list select the object? */
static bool selects(struct kyverno_evaluation *evaluation, size_t at,
                    const json_t *object, bool *ret_selects, struct fx_err *err) {
    struct fx_existing_queries queries = {0};
    *ret_selects = false;
    bool ok = fx_kyverno_target_select(&evaluation->rule->body->targets, at,
                                       &evaluation->context, &queries, err);
    for (size_t i = 0; ok && !*ret_selects && i < queries.n_items; i++) {
        ok = fx_existing_query_fits(&queries.items[i], object, ret_selects, err);
    }
    fx_existing_queries_finish(&queries);
    return ok;
}

/* Does this entry select the object, and do its preconditions hold? Then `target` of the
 * context is set. */
static bool matches(struct kyverno_evaluation *evaluation, size_t at, json_t *object,
                    bool *ret_matches, struct fx_err *err) {
    const struct kyverno_target *target = &evaluation->rule->body->targets.items[at];
    if (!selects(evaluation, at, object, ret_matches, err)) {
        return false;
    }
    if (!*ret_matches) {
        return true;
    }
    fx_kyverno_context_set_target(&evaluation->context, object);
    return fx_kyverno_preconditions_eval(target->preconditions, &evaluation->context,
                                         ret_matches, NULL, err);
}

/* Mutates the object if this entry matches it. */
static bool apply_entry(struct kyverno_evaluation *evaluation, size_t at, json_t **root,
                        struct fx_effect *effect, struct fx_err *err) {
    struct fx_effect own = {.applied = false};
    bool is = false;
    if (!matches(evaluation, at, *root, &is, err)) {
        return false;
    }
    if (!is) {
        return true;
    }
    const bool ok = fx_kyverno_evaluation_change(evaluation, root, &own, err);
    *effect = (struct fx_effect){.applied = effect->applied || own.applied,
                                 .changed = effect->changed || own.changed};
    return ok;
}

/* Applies each entry that selects the object, in their order. */
static bool apply_rule(const struct fx_mutator *self, const struct fx_request *request,
                       json_t *trigger, json_t **target, struct fx_effect *ret_effect,
                       struct fx_err *err) {
    struct kyverno_evaluation evaluation;
    const struct kyverno_rule *rule = fx_kyverno_rule_of(self);
    const struct kyverno_targets *targets = &rule->body->targets;
    bool ok = true;
    *ret_effect = (struct fx_effect){.unmatched = true,
                                     .criterion = KYVERNO_BY_TARGET_PRECONDITIONS};
    for (size_t i = 0; ok && i < targets->n; i++) {
        const struct kyverno_context_entries *entries = targets->items[i].context;
        entries = entries == NULL ? rule->body->context : entries;
        ok = fx_kyverno_evaluation_begin(&evaluation, rule, entries, request, trigger,
                                         err);
        if (ok) {
            ok = apply_entry(&evaluation, i, target, ret_effect, err);
            fx_kyverno_evaluation_end(&evaluation);
        }
    }
    return ok || fx_kyverno_evaluation_fail(rule, err);
}

/* ---- the triggers of a policy that changed ------------------------------------------
 */

static bool add_kind(const struct kyverno_kind_pattern *pattern,
                     struct fx_existing_queries *queries, struct fx_err *err) {
    const struct fx_existing_query query = {
        .group = pattern->group, .version = pattern->version, .kind = pattern->kind};
    if (fx_wildcard_is_pattern(pattern->kind) || pattern->subresource.len > 0) {
        return fx_fail(err, FX_EMUTATE,
                       "the objects of kind `%.*s` cannot be listed when the policy "
                       "changes: name the kinds in `match`, without a subresource",
                       FX_TEXT_ARG(pattern->kind));
    }
    return fx_kyverno_add_queries(queries, &query, NULL, err);
}

static bool select_triggers(const struct fx_mutator *self,
                            struct fx_existing_queries *queries, struct fx_err *err) {
    const struct kyverno_match *match = &fx_kyverno_rule_of(self)->body->match;
    bool ok = true;
    for (size_t i = 0; ok && i < match->n_filters; i++) {
        const struct kyverno_filter *filter = &match->filters[i];
        for (size_t j = 0; ok && j < filter->n_kinds; j++) {
            ok = add_kind(&filter->kinds[j], queries, err);
        }
    }
    return ok || fx_kyverno_evaluation_fail(fx_kyverno_rule_of(self), err);
}

const struct fx_existing_ops fx_kyverno_existing = {
    .select = select_targets,
    .apply = apply_rule,
    .triggers = select_triggers,
};
