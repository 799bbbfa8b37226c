/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/webhook.c - the paths of Kyverno's webhook configurations, and the rules that
 * run on each of them. Only Kyverno's rules do: others have a webhook of their own.
 */
#include "webhook.h"

#include <string.h>

#include "rule.h"
#include "value/tree.h"

/* Returns the policy of one of Kyverno's rules; NULL if it is another dialect's. */
static const struct kyverno_policy *policy_of(const struct fx_mutator *mutator) {
    return strcmp(mutator->group, KYVERNO_GROUP) == 0
               ? ((const struct kyverno_rule *)mutator)->policy
               : NULL;
}

/* Has the policy a webhook of its own? Kyverno gives it one if it has conditions for
 * it. */
static bool has_own_path(const struct kyverno_policy *policy) {
    const json_t *spec = fx_tree_view_key(policy->document, "spec");
    const json_t *configuration = fx_tree_view_key(spec, "webhookConfiguration");
    return json_array_size(fx_tree_view_key(configuration, "matchConditions")) > 0;
}

static bool selects_all(const struct fx_mutator *mutator, struct fx_text argument) {
    (void)argument;
    return policy_of(mutator) != NULL;
}

static bool selects_fail(const struct fx_mutator *mutator, struct fx_text argument) {
    (void)argument;
    const struct kyverno_policy *policy = policy_of(mutator);
    return policy != NULL && !policy->ignores_failure && !has_own_path(policy);
}

static bool selects_ignore(const struct fx_mutator *mutator, struct fx_text argument) {
    (void)argument;
    const struct kyverno_policy *policy = policy_of(mutator);
    return policy != NULL && policy->ignores_failure && !has_own_path(policy);
}

/* The argument is "policy" or "namespace/policy". */
static bool selects_one(const struct fx_mutator *mutator, struct fx_text argument) {
    const struct kyverno_policy *policy = policy_of(mutator);
    struct fx_text namespace_ = {NULL, 0};
    if (fx_text_contains(argument, FX_TEXT("/"))) {
        namespace_ = fx_text_cut(&argument, '/');
    }
    return policy != NULL && fx_text_equal(policy->name, argument) &&
           fx_text_equal(policy->namespace_, namespace_);
}

/* Kyverno asks itself on this path whether its webhooks work. */
static bool selects_none(const struct fx_mutator *mutator, struct fx_text argument) {
    (void)mutator;
    (void)argument;
    return false;
}

static const struct fx_webhook_path paths[] = {
    {"/mutate", FX_ENDPOINT_MUTATE, selects_all},
    {"/mutate/fail", FX_ENDPOINT_MUTATE, selects_fail},
    {"/mutate/ignore", FX_ENDPOINT_MUTATE, selects_ignore},
    {"/mutate/fail/finegrained/", FX_ENDPOINT_MUTATE, selects_one},
    {"/mutate/ignore/finegrained/", FX_ENDPOINT_MUTATE, selects_one},
    {"/verifymutate", FX_ENDPOINT_MUTATE, selects_none},
    {.path = "/policyvalidate", .endpoint = FX_ENDPOINT_ADMIT},
    {.path = "/exceptionvalidate", .endpoint = FX_ENDPOINT_ADMIT},
    {.path = "/policymutate", .endpoint = FX_ENDPOINT_DEFAULTS},
    {.path = NULL},
};

const struct fx_webhook fx_kyverno_webhook = {.paths = paths};
