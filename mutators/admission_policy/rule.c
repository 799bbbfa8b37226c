/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/rule.c - a rule in the loop: what it does to an object.
 */
#include "mutators/admission_policy/rule.h"

#include <stdlib.h>

#include "engine/failures.h"
#include "mutators/admission_policy/access.h"
#include "mutators/admission_policy/cause.h"
#include "mutators/admission_policy/exceptions.h"
#include "mutators/admission_policy/invoke.h"
#include "mutators/admission_policy/match.h"
#include "mutators/admission_policy/param_ref.h"
#include "mutators/admission_policy/view.h"
#include "value/equal.h"

/* ---- applying ---------------------------------------------------------------------- */

/* Reports the conditions that failed. */
static bool report_conditions(const struct map_owning_rule *own,
                              const struct fx_request *request,
                              const struct fx_buf *message, const struct fx_buf *part,
                              struct fx_err *err) {
    const struct fx_failure failure = {
        .reason = "Invalid", .part = fx_buf_view(part), .message = fx_buf_view(message)};
    return message->failed || part->failed
               ? fx_fail_nomem(err)
               : fx_map_report(&own->rule, request, &failure, err);
}

/* Evaluates the conditions. *ret_goes_on is false if the mutations shall not run. */
static bool check_conditions(const struct map_owning_rule *own,
                             struct map_activation *activation, json_t *object,
                             struct fx_effect *effect, bool *ret_goes_on,
                             struct fx_err *err) {
    size_t at = 0;
    struct fx_buf message = {0};
    struct fx_buf part = {0};
    bool ok = true;
    switch (fx_map_check_conditions(activation, object, &at, &message, &part, err)) {
    case MAP_EVALUATED:
        *ret_goes_on = at == own->rule.policy->n_conditions;
        effect->criterion = *ret_goes_on ? NULL : own->conditions[at];
        break;
    case MAP_FAILED:
    case MAP_EXHAUSTED:
        *ret_goes_on = false;
        effect->criterion = fx_map_rule_criterion_name(MAP_RULE_CONDITIONS);
        ok = report_conditions(own, activation->request, &message, &part, err);
        break;
    case MAP_BROKEN: ok = false; break;
    }
    effect->unmatched = ok && !*ret_goes_on;
    fx_buf_finish(&message);
    fx_buf_finish(&part);
    return ok;
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
    if (!fx_map_mutate(activation, &own->rule, true, root, &mutated, err)) {
        return false;
    }
    effect->applied = mutated.n_succeeded > 0;
    effect->criterion =
        effect->applied ? NULL : fx_map_rule_criterion_name(MAP_RULE_MUTATIONS);
    effect->changed = mutated.change.changed;
    effect->keeps_names = mutated.change.keeps_names;
    effect->keeps_metadata = mutated.change.keeps_metadata;
    return true;
}

/* Invokes the policy on the Pod of the object's template. An object without one does not
 * match. */
static bool invoke_on_view(const struct map_owning_rule *own,
                           struct map_activation *activation, json_t **root,
                           struct fx_effect *effect, struct fx_err *err) {
    json_t *pod = NULL;
    if (!fx_map_view_make(own->rule.view, *root, &pod, err)) {
        return false;
    }
    if (pod == NULL) {
        effect->unmatched = true;
        effect->criterion = fx_map_rule_criterion_name(MAP_RULE_RESOURCE);
        return true;
    }
    json_t *old_pod = NULL;
    activation->whole = *root;
    bool ok =
        fx_map_view_make(own->rule.view, activation->request->old_object, &old_pod, err);
    activation->old_pod = old_pod;
    ok = ok && invoke(own, activation, &pod, effect, err) &&
         (!effect->changed || fx_map_view_write(own->rule.view, pod, root, err));
    json_decref(old_pod);
    json_decref(pod);
    effect->keeps_names = true;
    effect->keeps_metadata = true;
    return ok;
}

/* Invokes the policy unless an exception holds. */
static bool run(const struct map_owning_rule *own, struct map_activation *activation,
                json_t **root, struct fx_effect *effect, struct fx_err *err) {
    bool is_exempt = false;
    if (!fx_map_exceptions_check(&own->rule, activation, *root, &is_exempt, err)) {
        return false;
    }
    if (is_exempt) {
        effect->unmatched = true;
        effect->criterion = fx_map_rule_criterion_name(MAP_RULE_EXCEPTION);
        return true;
    }
    return own->rule.view == MAP_VIEW_OBJECT
               ? invoke(own, activation, root, effect, err)
               : invoke_on_view(own, activation, root, effect, err);
}

static bool apply(const struct fx_mutator *self, const struct fx_request *request,
                  json_t **root, struct fx_effect *ret_effect, struct fx_err *err) {
    const struct map_owning_rule *own = fx_map_rule_of(self);
    struct map_activation activation;
    *ret_effect = (struct fx_effect){.applied = false};
    fx_map_activation_init(&activation, own->rule.policy, own->params, request);
    const bool ok = run(own, &activation, root, ret_effect, err);
    fx_map_activation_finish(&activation);
    return ok;
}

static bool apply_failure(const struct fx_mutator *self, const struct fx_request *request,
                          json_t **root, struct fx_effect *ret_effect,
                          struct fx_err *err) {
    const struct map_rule *rule = &fx_map_rule_of(self)->rule;
    struct fx_subject subject;
    struct fx_buf part = {0};
    *ret_effect = (struct fx_effect){
        .applied = false, .criterion = fx_map_rule_criterion_name(MAP_RULE_PARAMS)};
    fx_subject_read(*root, &subject);
    fx_map_print_failing_part(&part, rule, fx_map_params_namespace(&subject, request));
    const struct fx_failure failure = {.reason = "Forbidden",
                                       .part = fx_buf_view(&part),
                                       .message = fx_text_of(rule->message)};
    const bool ok =
        part.failed ? fx_fail_nomem(err) : fx_map_report(rule, request, &failure, err);
    fx_buf_finish(&part);
    return ok;
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
    struct fx_buf message = {0};
    struct fx_buf part = {0};
    const enum map_evaluation how =
        fx_map_check_conditions(activation, *root, &at, &message, &part, err);
    fx_buf_finish(&message);
    fx_buf_finish(&part);
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
    for (size_t i = 0; own->exceptions != NULL && i < own->rule.n_exceptions; i++) {
        fx_unit_unref(own->exceptions[i]);
    }
    free(own->exceptions);
    fx_mutator_finish(self);
    fx_unit_unref(own->rule.policy_unit);
    fx_unit_unref(own->rule.binding_unit);
    fx_unit_unref(own->rule.param_unit);
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

static const struct fx_mutator_ops invoke_ops = {COMMON_OPS,
                                                 .apply = apply,
                                                 .causes = fx_map_rule_causes,
                                                 .example = fx_map_example,
                                                 .full_example = fx_map_full_example,
                                                 .denial = &denial};
static const struct fx_mutator_ops fail_ops = {
    COMMON_OPS, .apply = apply_failure, .example = fx_map_example,
    .full_example = fx_map_full_example, .denial = &denial};
static const struct fx_mutator_ops absent_ops = {COMMON_OPS, .apply = apply_nothing};
static const struct fx_mutator_ops validate_ops = {
    COMMON_OPS, .apply = apply_nothing, .validate = validate, .denial = &denial};

/* Causes and examples are about the paths of a Pod, so views have none. */
static const struct fx_mutator_ops view_ops = {COMMON_OPS, .apply = apply,
                                               .denial = &denial};

const struct fx_mutator_ops *fx_map_rule_ops(const struct map_rule *rule) {
    switch (rule->type) {
    case MAP_RULE_INVOKE: return rule->view == MAP_VIEW_OBJECT ? &invoke_ops : &view_ops;
    case MAP_RULE_FAIL: return &fail_ops;
    case MAP_RULE_ABSENT: return &absent_ops;
    case MAP_RULE_VALIDATE: break;
    }
    return &validate_ops;
}
