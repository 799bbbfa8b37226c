/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/link.c - the link step: a rule for each rule of a policy, with the
 * PolicyExceptions that name it.
 */
#include <stdlib.h>

#include "base/budget.h"
#include "base/wildcard.h"
#include "filters.h"
#include "rule.h"
#include "value/tree.h"

static bool names_policy(struct fx_text name, const struct kyverno_policy *policy) {
    if (policy->namespace_.data == NULL || !fx_text_contains(name, FX_TEXT("/"))) {
        return policy->namespace_.data == NULL && fx_text_equal(name, policy->name);
    }
    const struct fx_text namespace_ = fx_text_cut(&name, '/');
    return fx_text_equal(namespace_, policy->namespace_) &&
           fx_text_equal(name, policy->name);
}

static bool names_rule(const struct kyverno_exception *exception,
                       const struct kyverno_policy *policy, struct fx_text rule) {
    for (size_t i = 0; i < exception->n_excepted && exception->is_allowed; i++) {
        const struct kyverno_excepted *one = &exception->excepted[i];
        if (!names_policy(one->policy, policy)) {
            continue;
        }
        for (size_t j = 0; j < json_array_size(one->rules) && fx_spend(1); j++) {
            if (fx_wildcard_match(fx_tree_text(json_array_get(one->rules, j)), rule)) {
                return true;
            }
        }
    }
    return false;
}

/* Adds the rule at this position. `named` has room for all exceptions. */
static void add_rule(const struct kyverno_rule_parts *all, size_t position,
                     struct fx_link *link, struct fx_unit **named) {
    const struct kyverno_policy *policy =
        (const struct kyverno_policy *)all->policy->linkable;
    const struct kyverno_rule_body *body = &policy->rules[position];
    size_t n = 0;
    for (size_t i = 0; i < all->n_exceptions && fx_spend(1); i++) {
        const struct kyverno_exception *exception =
            (const struct kyverno_exception *)all->exceptions[i]->linkable;
        if (exception != NULL && names_rule(exception, policy, body->name)) {
            named[n++] = all->exceptions[i];
        }
    }
    const struct kyverno_rule_parts parts = {.policy = all->policy,
                                             .position = (uint32_t)position,
                                             .exceptions = named,
                                             .n_exceptions = n,
                                             .config = all->config};
    struct fx_mutator *rule = fx_kyverno_rule_create(&parts, body);
    if (rule == NULL) {
        link->failed = true;
    } else {
        fx_link_add_take(link, rule);
    }
}

void fx_kyverno_link(struct fx_unit *unit, struct fx_link *link) {
    const struct kyverno_policy *policy = (const struct kyverno_policy *)unit->linkable;
    struct kyverno_rule_parts all = {.policy = unit};
    all.exceptions = fx_link_list(link, &fx_kyverno_kinds[KYVERNO_EXCEPTION],
                                  (struct fx_text){0}, &all.n_exceptions);
    all.config = fx_link_find(link, &fx_kyverno_kinds[KYVERNO_CONFIG],
                              (struct fx_text){0}, FX_TEXT(KYVERNO_CONFIG_NAME));
    struct fx_unit **named = calloc(all.n_exceptions + 1, sizeof *named);
    if (named == NULL) {
        link->failed = true;
        return;
    }
    for (size_t i = 0; i < policy->n_rules && !link->failed && !link->is_full; i++) {
        add_rule(&all, i, link, named);
    }
    free(named);
}
