/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/kyverno_link.c - the link step of Kyverno's MutatingPolicy: a
 * rule for the objects that it matches, and one for each form of the controllers of Pods,
 * with the exceptions that name it. It needs no binding.
 */
#include <stdlib.h>

#include "base/budget.h"
#include "mutators/admission_policy/never.h"
#include "mutators/admission_policy/policy.h"
#include "value/tree.h"

/* Does the exception count, and name this policy? */
static bool names(const struct map_exception *exception, const struct fx_unit *unit) {
    if (!exception->is_allowed) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(exception->references) && fx_spend(1); i++) {
        const json_t *reference = json_array_get(exception->references, i);
        if (fx_text_is(fx_tree_view_string(reference, "kind"), unit->kind->kind) &&
            fx_text_is(fx_tree_view_string(reference, "name"), unit->name)) {
            return true;
        }
    }
    return false;
}

/* Finds the exceptions that name the policy. The caller frees the list; NULL without
 * memory. */
static struct fx_unit **find_exceptions(const struct fx_unit *unit, struct fx_link *link,
                                        size_t *ret_n) {
    size_t n = 0;
    struct fx_unit *const *all =
        fx_link_list(link, &fx_map_kinds[MAP_EXCEPTION], (struct fx_text){0}, &n);
    struct fx_unit **found = calloc(n + 1, sizeof(struct fx_unit *));
    *ret_n = 0;
    for (size_t i = 0; found != NULL && i < n && fx_spend(1); i++) {
        const struct fx_linkable *linkable = all[i]->linkable;
        if (linkable != NULL && names((const struct map_exception *)linkable, unit)) {
            found[(*ret_n)++] = all[i];
        }
    }
    return found;
}

static void add(struct fx_link *link, const struct map_rule *rule, uint32_t position) {
    struct fx_mutator *created = fx_map_rule_create(rule, position);
    if (created == NULL) {
        link->failed = true;
    } else {
        fx_link_add_take(link, created);
    }
}

void fx_map_kyverno_link(struct fx_unit *unit, struct fx_link *link) {
    const struct map_policy *policy = (const struct map_policy *)unit->linkable;
    size_t n = 0;
    struct fx_unit **exceptions = find_exceptions(unit, link, &n);
    if (exceptions == NULL) {
        link->failed = true;
        return;
    }
    struct map_rule rule = {
        .policy_unit = unit,
        .policy = policy,
        .is_namespaced = unit->kind == &fx_map_kinds[MAP_NAMESPACED_MUTATING_POLICY],
        .exceptions = exceptions,
        .n_exceptions = n,
    };
    if (rule.is_namespaced) {
        rule.only_namespace = fx_text_of(unit->namespace_);
    }
    fx_map_report_policy(policy, link);
    for (unsigned view = 0; view < MAP_VIEWS && !policy->is_dormant && !link->failed;
         view++) {
        rule.view = (enum map_view)view;
        if (view == MAP_VIEW_OBJECT || policy->view_matches[view].n_rules > 0) {
            add(link, &rule, view);
        }
    }
    free(exceptions);
}
