/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/never.c - warns of what can never match: a rule for resources
 * that Kubernetes does not have, a rule that an exclude rule covers, a match condition
 * that is always false, and a binding with no request in common with its policy.
 */
#include "mutators/admission_policy/never.h"

#include "base/budget.h"
#include "base/limits.h"
#include "mutators/admission_policy/match.h"
#include "mutators/admission_policy/rule.h"
#include "value/tree.h"

/* ---- lists of names ---------------------------------------------------------------- */

typedef bool names_fit(struct fx_text a, struct fx_text b);

/* Do any two items fit? */
static bool have_common(const json_t *a, const json_t *b, names_fit *fit) {
    for (size_t i = 0; i < json_array_size(a); i++) {
        for (size_t k = 0; k < json_array_size(b); k++) {
            (void)fx_spend(1);
            if (fit(fx_tree_text(json_array_get(a, i)),
                    fx_tree_text(json_array_get(b, k)))) {
                return true;
            }
        }
    }
    return false;
}

/* Does each item of `items` fit one of `in`? */
static bool all_within(const json_t *items, const json_t *in, names_fit *fit) {
    for (size_t i = 0; i < json_array_size(items); i++) {
        bool found = false;
        for (size_t k = 0; !found && k < json_array_size(in); k++) {
            (void)fx_spend(1);
            found = fit(fx_tree_text(json_array_get(items, i)),
                        fx_tree_text(json_array_get(in, k)));
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static bool is_any(struct fx_text text) {
    return fx_text_is(text, "*");
}

static bool name_fits(struct fx_text a, struct fx_text b) {
    return is_any(a) || is_any(b) || fx_text_equal(a, b);
}

/* API servers have served some resources in two groups; a request for one of them matches
 * a rule for the other (matchPolicy: Equivalent). */
static bool group_fits(struct fx_text a, struct fx_text b) {
    return name_fits(a, b) || fx_text_is(a, "extensions") ||
           fx_text_is(b, "extensions") ||
           (a.len == 0 && fx_text_is(b, "events.k8s.io")) ||
           (b.len == 0 && fx_text_is(a, "events.k8s.io"));
}

/* "pods/log": without a slash, the subresource is empty. */
static bool resource_fits(struct fx_text a, struct fx_text b) {
    const struct fx_text main_a = fx_text_cut(&a, '/');
    const struct fx_text main_b = fx_text_cut(&b, '/');
    return name_fits(main_a, main_b) && name_fits(a, b);
}

static bool name_is_within(struct fx_text a, struct fx_text b) {
    return is_any(b) || fx_text_equal(a, b);
}

static bool resource_is_within(struct fx_text a, struct fx_text b) {
    const struct fx_text main_a = fx_text_cut(&a, '/');
    const struct fx_text main_b = fx_text_cut(&b, '/');
    return name_is_within(main_a, main_b) && name_is_within(a, b);
}

/* ---- two rules ----------------------------------------------------------------------
 */

static bool same_name(struct fx_text a, struct fx_text b) {
    return fx_text_equal(a, b);
}

static bool scopes_fit(enum map_scope a, enum map_scope b) {
    return a == MAP_SCOPE_ANY || b == MAP_SCOPE_ANY || a == b;
}

/* May a request match both rules? Versions count only if both lists are matched exactly,
 * since another version of a resource is equivalent. */
static bool rules_fit(const struct map_resource_rule *a,
                      const struct map_resource_rule *b, bool is_exact) {
    return (a->operations & b->operations) != 0 && scopes_fit(a->scope, b->scope) &&
           have_common(a->groups, b->groups, is_exact ? name_fits : group_fits) &&
           (!is_exact || have_common(a->versions, b->versions, name_fits)) &&
           have_common(a->resources, b->resources, resource_fits) &&
           (json_array_size(a->names) == 0 || json_array_size(b->names) == 0 ||
            have_common(a->names, b->names, same_name));
}

static bool matches_fit(const struct map_match *a, const struct map_match *b) {
    const bool is_exact = a->is_exact && b->is_exact;
    for (size_t i = 0; i < a->n_rules; i++) {
        for (size_t k = 0; k < b->n_rules; k++) {
            if (rules_fit(&a->rules[i], &b->rules[k], is_exact)) {
                return true;
            }
        }
    }
    return a->n_rules == 0 || b->n_rules == 0;
}

/* Does every request that matches the rule match the exclude rule? */
static bool covers(const struct map_resource_rule *exclude,
                   const struct map_resource_rule *rule) {
    return (rule->operations & ~exclude->operations) == 0 &&
           (exclude->scope == MAP_SCOPE_ANY || exclude->scope == rule->scope) &&
           all_within(rule->groups, exclude->groups, name_is_within) &&
           all_within(rule->versions, exclude->versions, name_is_within) &&
           all_within(rule->resources, exclude->resources, resource_is_within) &&
           (json_array_size(exclude->names) == 0 ||
            (json_array_size(rule->names) > 0 &&
             all_within(rule->names, exclude->names, same_name)));
}

static bool is_excluded(const struct map_match *match,
                        const struct map_resource_rule *rule) {
    for (size_t i = 0; i < match->n_excludes; i++) {
        if (covers(&match->excludes[i], rule)) {
            return true;
        }
    }
    return false;
}

/* ---- resources ----------------------------------------------------------------------
 */

/* Does Kubernetes have the resource in one of the groups? True if that is not known: of
 * groups that are not its own, and of patterns. Sets link->failed without memory. */
static bool may_exist(const json_t *groups, struct fx_text resource,
                      struct fx_link *link) {
    const struct fx_text main = fx_text_cut(&resource, '/');
    bool may = is_any(main);
    for (size_t i = 0; !may && i < json_array_size(groups); i++) {
        const struct fx_text group = fx_tree_text(json_array_get(groups, i));
        may = is_any(group);
        if (!may && !fx_map_may_have_resource(group, main, &may)) {
            link->failed = true;
            may = true;
        }
    }
    return may;
}

static void report_resources(const struct map_match *match, size_t number,
                             const char *whose, struct fx_link *link) {
    const struct map_resource_rule *rule = &match->rules[number];
    for (size_t i = 0; i < json_array_size(rule->resources); i++) {
        const struct fx_text name = fx_tree_text(json_array_get(rule->resources, i));
        if (!may_exist(rule->groups, name, link)) {
            fx_link_report(link, false,
                           "resourceRules[%zu] of %s never matches `%.*s`: Kubernetes "
                           "has no such resource in these apiGroups",
                           number, whose, FX_TEXT_ARG(name));
        }
    }
}

/* ---- reports ------------------------------------------------------------------------
 */

static void report_match(const struct map_match *match, const char *whose,
                         struct fx_link *link) {
    for (size_t i = 0; i < match->n_rules; i++) {
        report_resources(match, i, whose, link);
        if (is_excluded(match, &match->rules[i])) {
            fx_link_report(link, false,
                           "resourceRules[%zu] of %s never matches: "
                           "excludeResourceRules exclude all of it",
                           i, whose);
        }
    }
}

/* Is the condition false whatever the request is? It reads nothing then. */
static bool is_always_false(const struct map_expression *expression) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    if (fx_map_slots_of(fx_cel_program_root(expression->program)) != 0) {
        return false;
    }
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    struct fx_cel_run run = {.arena = &arena, .cost_limit = FX_CEL_COST_LIMIT};
    const struct fx_cel_value value = fx_cel_eval(expression->program, &run, &err);
    const bool is_false = value.kind == FX_CEL_BOOL && !value.boolean;
    fx_arena_finish(&arena);
    return is_false;
}

void fx_map_report_policy(const struct map_policy *policy, struct fx_link *link) {
    report_match(&policy->match, "matchConstraints", link);
    for (size_t i = 0; i < policy->n_conditions; i++) {
        const struct map_condition *condition = &policy->conditions[i];
        if (is_always_false(&condition->expression)) {
            fx_link_report(link, false,
                           "the policy never matches: matchConditions[%zu] `%.*s` is "
                           "always false",
                           i, FX_TEXT_ARG(condition->name));
        }
    }
}

void fx_map_report_binding(const struct map_policy *policy,
                           const struct map_binding *binding, const char *name,
                           struct fx_link *link) {
    if (!binding->has_match) {
        return;
    }
    if (!matches_fit(&policy->match, &binding->match)) {
        fx_link_report(
            link, false,
            "its MutatingAdmissionPolicyBinding `%s` never matches: no request "
            "fits matchConstraints and matchResources",
            name);
    }
    struct fx_buf whose;
    fx_buf_init(&whose, 0);
    fx_buf_printf(&whose, "matchResources of MutatingAdmissionPolicyBinding `%s`", name);
    if (whose.failed) {
        link->failed = true;
    } else {
        report_match(&binding->match, whose.data, link);
    }
    fx_buf_finish(&whose);
}
