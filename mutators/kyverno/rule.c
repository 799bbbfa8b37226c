/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/rule.c - matches and applies one rule (spec/kyverno.md section 2).
 */
#include "rule.h"

#include <string.h>

#include "evaluation.h"
#include "filters.h"
#include "limits.h"
#include "value/tree.h"

/* ---- match --------------------------------------------------------------------------
 */

/* A Policy concerns objects in its own namespace only. */
static bool is_in_namespace(const struct kyverno_rule *rule,
                            const struct fx_request *request,
                            const struct fx_subject *subject) {
    return rule->policy->namespace_.data == NULL || request->everywhere ||
           (!subject->is_namespace &&
            fx_text_equal(fx_subject_object_namespace(subject, request),
                          rule->policy->namespace_));
}

bool fx_kyverno_rule_match(const struct fx_mutator *self,
                           const struct fx_request *request,
                           const struct fx_subject *subject,
                           struct fx_verdict *ret_verdict, struct fx_err *err) {
    const struct kyverno_rule *rule = fx_kyverno_rule_of(self);
    const struct kyverno_match_subject of = {request, subject};
    bool holds = false;
    bool is_excluded = false;
    *ret_verdict = (struct fx_verdict){.criterion = KYVERNO_BY_POLICY_NAMESPACE};
    if (!is_in_namespace(rule, request, subject)) {
        return true;
    }
    if (!fx_kyverno_match_holds(&rule->body->match, &of, &holds, &ret_verdict->criterion,
                                err)) {
        return false;
    }
    if (holds && rule->body->has_exclude) {
        ret_verdict->criterion = rule->body->exclude.field;
        if (!fx_kyverno_exclude_holds(&rule->body->exclude, &of, &is_excluded, err)) {
            return false;
        }
    }
    ret_verdict->matched = holds && !is_excluded;
    if (ret_verdict->matched &&
        fx_kyverno_filters_exclude(fx_kyverno_filters_of(rule->config), request,
                                   subject)) {
        *ret_verdict = (struct fx_verdict){.criterion = KYVERNO_BY_CONFIG};
    }
    return true;
}

/* ---- an evaluation ------------------------------------------------------------------
 */

bool fx_kyverno_evaluation_begin(struct kyverno_evaluation *evaluation,
                                 const struct kyverno_rule *rule,
                                 const struct kyverno_context_entries *entries,
                                 const struct fx_request *request, json_t *object,
                                 struct fx_err *err) {
    evaluation->rule = rule;
    evaluation->request = request;
    fx_arena_init_within(&evaluation->arena, KYVERNO_RULE_ARENA_BYTES, evaluation->block,
                         sizeof evaluation->block);
    if (!fx_kyverno_context_init(&evaluation->context, evaluation->request, entries,
                                 &evaluation->arena, err)) {
        fx_arena_finish(&evaluation->arena);
        return false;
    }
    evaluation->context.roles = fx_node_unconst(evaluation->request->roles);
    evaluation->context.cluster_roles =
        fx_node_unconst(evaluation->request->cluster_roles);
    evaluation->context.incoming = evaluation->request->incoming;
    evaluation->context.extractors = rule->body->extractors;
    evaluation->context.merge_options = rule->policy->merge_options;
    fx_kyverno_context_set_object(&evaluation->context, object);
    return true;
}

void fx_kyverno_evaluation_end(struct kyverno_evaluation *evaluation) {
    fx_kyverno_context_finish(&evaluation->context);
    fx_arena_finish(&evaluation->arena);
}

/* Do the conditions of an exception hold? They do not if they cannot be evaluated: what
 * is not certain is no exception. */
static bool are_met(struct kyverno_evaluation *evaluation,
                    const struct kyverno_exception *exception, bool *ret_are,
                    struct fx_err *err) {
    if (fx_kyverno_preconditions_eval(exception->conditions, &evaluation->context,
                                      ret_are, NULL, err)) {
        return true;
    }
    if (fx_err_is_ours(err) || err->code == FX_EINPUT) {
        return false;
    }
    fx_err_reset(err);
    *ret_are = false;
    return true;
}

/* Is the object excepted from the rule? */
static bool is_excepted(struct kyverno_evaluation *evaluation, const json_t *root,
                        bool *ret_is, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(root, &subject);
    const struct kyverno_match_subject of = {evaluation->request, &subject};
    *ret_is = false;
    for (size_t i = 0; i < evaluation->rule->n_exceptions && !*ret_is; i++) {
        const struct kyverno_exception *exception =
            (const struct kyverno_exception *)evaluation->rule->exception_units[i]
                ->linkable;
        const char *criterion = NULL;
        if (!fx_kyverno_match_holds(&exception->match, &of, ret_is, &criterion, err)) {
            return false;
        }
        if (*ret_is && !are_met(evaluation, exception, ret_is, err)) {
            return false;
        }
    }
    return true;
}

bool fx_kyverno_evaluation_criterion(struct kyverno_evaluation *evaluation,
                                     const json_t *object, const char **ret_criterion,
                                     struct fx_err *err) {
    bool holds = false;
    bool is = false;
    *ret_criterion = NULL;
    if (!fx_kyverno_preconditions_eval(evaluation->rule->body->preconditions,
                                       &evaluation->context, &holds, NULL, err)) {
        return false;
    }
    if (!holds) {
        *ret_criterion = KYVERNO_BY_PRECONDITIONS;
        return true;
    }
    if (evaluation->rule->n_exceptions > 0 &&
        !is_excepted(evaluation, object, &is, err)) {
        return false;
    }
    *ret_criterion = is ? KYVERNO_BY_EXCEPTIONS : NULL;
    return true;
}

/* ---- apply --------------------------------------------------------------------------
 */

/* The variables of the whole rule must resolve, not only those of the patch. */
static bool resolve_rest(struct kyverno_evaluation *evaluation, struct fx_err *err) {
    json_t *ignored = NULL;
    if (evaluation->rule->body->rest == NULL) {
        return true;
    }
    const bool ok = fx_kyverno_template_eval(evaluation->rule->body->rest, NULL,
                                             &evaluation->context.scope, &ignored, err);
    json_decref(ok ? ignored : NULL);
    return ok;
}

static bool apply_foreach(struct kyverno_evaluation *evaluation, json_t **root,
                          struct fx_effect *effect, struct fx_err *err) {
    json_t *before = json_incref(*root);
    bool has_changed = false;
    const bool ok = fx_kyverno_foreach_apply(
        evaluation->rule->body->foreach, &evaluation->context, root, &has_changed, err);
    fx_kyverno_effect_compare(before, root, effect);
    return ok;
}

bool fx_kyverno_evaluation_change(struct kyverno_evaluation *evaluation, json_t **root,
                                  struct fx_effect *effect, struct fx_err *err) {
    const struct kyverno_rule_body *body = evaluation->rule->body;
    effect->applied = body->foreach != NULL
                          ? apply_foreach(evaluation, root, effect, err)
                          : resolve_rest(evaluation, err) &&
                                fx_kyverno_patch_object(body->patch, &evaluation->context,
                                                        root, effect, err);
    return effect->applied;
}

bool fx_kyverno_evaluation_fail(const struct kyverno_rule *rule, struct fx_err *err) {
    if (fx_err_is_ours(err) || err->code == FX_EINPUT) {
        return false;
    }
    char why[FX_ERR_TEXT];
    memcpy(why, err->msg, sizeof why);
    return fx_fail(err, FX_EMUTATE, "failed to apply policy %.*s rules [%.*s: %s]",
                   FX_TEXT_ARG(rule->policy->name), FX_TEXT_ARG(rule->body->name), why);
}

bool fx_kyverno_rule_apply(const struct fx_mutator *self,
                           const struct fx_request *request, json_t **root,
                           struct fx_effect *ret_effect, struct fx_err *err) {
    struct kyverno_evaluation evaluation; /* its block is not cleared */
    *ret_effect = (struct fx_effect){.applied = false};
    if (!fx_kyverno_evaluation_begin(&evaluation, fx_kyverno_rule_of(self),
                                     fx_kyverno_rule_of(self)->body->context, request,
                                     *root, err)) {
        return false;
    }
    bool ok =
        fx_kyverno_evaluation_criterion(&evaluation, *root, &ret_effect->criterion, err);
    ret_effect->unmatched = ok && ret_effect->criterion != NULL;
    if (ok && !ret_effect->unmatched) {
        ok = fx_kyverno_evaluation_change(&evaluation, root, ret_effect, err);
    }
    fx_kyverno_evaluation_end(&evaluation);
    return ok || fx_kyverno_evaluation_fail(evaluation.rule, err);
}

/* ---- DELETE -------------------------------------------------------------------------
 */

/* Applies the patch to an object without any field, as Kyverno does, for the words of the
 * failure. Always false. */
static bool fail_delete(struct kyverno_evaluation *evaluation, struct fx_err *err) {
    struct fx_effect effect = {.applied = false};
    json_t *nothing = json_object();
    const bool ok = nothing != NULL
                        ? fx_kyverno_evaluation_change(evaluation, &nothing, &effect, err)
                        : fx_fail_nomem(err);
    json_decref(nothing);
    return ok ? fx_fail(err, FX_EMUTATE, "there is no object to patch on DELETE") : false;
}

bool fx_kyverno_rule_check_delete(const struct fx_mutator *self,
                                  const struct fx_request *request, json_t *root,
                                  struct fx_buf *entry, struct fx_err *note,
                                  struct fx_err *err) {
    struct kyverno_evaluation evaluation; /* its block is not cleared */
    const char *criterion = NULL;
    (void)entry;
    (void)note;
    if (!fx_kyverno_evaluation_begin(&evaluation, fx_kyverno_rule_of(self),
                                     fx_kyverno_rule_of(self)->body->context, request,
                                     root, err)) {
        return false;
    }
    const bool ok = fx_kyverno_evaluation_criterion(&evaluation, root, &criterion, err) &&
                    (criterion != NULL || fail_delete(&evaluation, err));
    fx_kyverno_evaluation_end(&evaluation);
    return ok || fx_kyverno_evaluation_fail(evaluation.rule, err);
}

/* ---- for explanations ---------------------------------------------------------------
 */

bool fx_kyverno_rule_find_false(const struct fx_mutator *self,
                                const struct fx_request *request, json_t *root,
                                struct kyverno_false_condition *ret_false,
                                struct fx_err *err) {
    struct kyverno_evaluation evaluation; /* its block is not cleared */
    bool holds = false;
    if (!fx_kyverno_evaluation_begin(&evaluation, fx_kyverno_rule_of(self),
                                     fx_kyverno_rule_of(self)->body->context, request,
                                     root, err)) {
        return false;
    }
    const bool ok =
        fx_kyverno_preconditions_eval(evaluation.rule->body->preconditions,
                                      &evaluation.context, &holds, ret_false, err);
    fx_kyverno_evaluation_end(&evaluation);
    return ok;
}
