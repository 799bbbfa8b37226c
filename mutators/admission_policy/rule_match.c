/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/rule_match.c - does a rule match? The policy, the binding and
 * the namespace of the parameter must.
 */
#include "base/budget.h"
#include "mutators/admission_policy/match.h"
#include "mutators/admission_policy/rule.h"
#include "value/tree.h"

const char *fx_map_rule_criterion_name(enum map_rule_criterion criterion) {
    static const char *const names[] = {
#define X(name, text) [MAP_RULE_##name] = (text),
        MAP_RULE_CRITERIA(X)
#undef X
    };
    return names[criterion];
}

static enum map_rule_criterion of_policy(enum map_criterion criterion) {
    switch (criterion) {
    case MAP_CRITERION_NAMESPACE_SELECTOR: return MAP_RULE_POLICY_NAMESPACE;
    case MAP_CRITERION_OBJECT_SELECTOR: return MAP_RULE_POLICY_OBJECT;
    case MAP_CRITERION_EXCLUDE_RESOURCE_RULES: return MAP_RULE_POLICY_EXCLUDES;
    case MAP_CRITERION_RESOURCE_RULES: return MAP_RULE_POLICY_RULES;
    case MAP_CRITERION_NONE: break;
    }
    return MAP_RULE_CRITERIA_END;
}

static enum map_rule_criterion of_binding(enum map_criterion criterion) {
    switch (criterion) {
    case MAP_CRITERION_NAMESPACE_SELECTOR: return MAP_RULE_BINDING_NAMESPACE;
    case MAP_CRITERION_OBJECT_SELECTOR: return MAP_RULE_BINDING_OBJECT;
    case MAP_CRITERION_EXCLUDE_RESOURCE_RULES: return MAP_RULE_BINDING_EXCLUDES;
    case MAP_CRITERION_RESOURCE_RULES: return MAP_RULE_BINDING_RULES;
    case MAP_CRITERION_NONE: break;
    }
    return MAP_RULE_CRITERIA_END;
}

/* Is the namespace of the request one for which the parameter, or the lack of one,
 * counts? (A Namespace looks parameters up in the namespace of its own name.) */
static bool has_namespace(const struct map_rule *rule, struct fx_text namespace_) {
    if ((rule->only_cluster_scoped && namespace_.len > 0) ||
        (rule->only_namespaced && namespace_.len == 0) ||
        (rule->only_namespace.data != NULL &&
         !fx_text_equal(rule->only_namespace, namespace_))) {
        return false;
    }
    for (size_t i = 0; i < rule->n_but_namespaces; i++) {
        (void)fx_spend(1);
        if (fx_text_equal(rule->but_namespaces[i], namespace_)) {
            return false;
        }
    }
    return true;
}

static enum map_rule_criterion of_params(const struct map_rule *rule,
                                         struct fx_text namespace_) {
    const bool is_it = has_namespace(rule, namespace_);
    switch (rule->type) {
    case MAP_RULE_INVOKE:
    case MAP_RULE_VALIDATE: return is_it ? MAP_RULE_CRITERIA_END : MAP_RULE_PARAMS;
    case MAP_RULE_FAIL: return is_it ? MAP_RULE_CRITERIA_END : MAP_RULE_OTHER_PARAMS;
    case MAP_RULE_ABSENT: break;
    }
    return is_it ? MAP_RULE_PARAMS : MAP_RULE_OTHER_PARAMS;
}

/* Finds the first criterion that is false. */
static bool find_false(const struct map_rule *rule,
                       const struct map_attributes *attributes,
                       const struct fx_request *request, const struct fx_subject *subject,
                       enum map_rule_criterion *ret_criterion, struct fx_err *err) {
    enum map_criterion criterion = MAP_CRITERION_NONE;
    if (fx_map_is_exempt(attributes)) {
        *ret_criterion = MAP_RULE_RESOURCE;
        return true;
    }
    if (rule->is_namespaced &&
        (attributes->is_namespace ||
         !fx_text_equal(attributes->namespace_, rule->only_namespace))) {
        *ret_criterion = MAP_RULE_NAMESPACE;
        return true;
    }
    if (!fx_map_match_eval(fx_map_rule_constraints(rule), attributes, request, subject,
                           &criterion, err)) {
        return false;
    }
    *ret_criterion = of_policy(criterion);
    if (*ret_criterion != MAP_RULE_CRITERIA_END) {
        return true;
    }
    if (rule->binding != NULL && rule->binding->has_match) {
        if (!fx_map_match_eval(&rule->binding->match, attributes, request, subject,
                               &criterion, err)) {
            return false;
        }
        *ret_criterion = of_binding(criterion);
    }
    if (*ret_criterion == MAP_RULE_CRITERIA_END) {
        *ret_criterion = of_params(rule, attributes->namespace_);
    }
    return true;
}

bool fx_map_rule_match(const struct fx_mutator *self, const struct fx_request *request,
                       const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                       struct fx_err *err) {
    struct map_attributes attributes;
    enum map_rule_criterion criterion = MAP_RULE_CRITERIA_END;
    const bool ok = fx_map_attributes_read(request, subject, &attributes)
                        ? find_false(&fx_map_rule_of(self)->rule, &attributes, request,
                                     subject, &criterion, err)
                        : fx_fail_nomem(err);
    fx_map_attributes_finish(&attributes);
    ret_verdict->matched = criterion == MAP_RULE_CRITERIA_END;
    ret_verdict->criterion =
        ret_verdict->matched ? NULL : fx_map_rule_criterion_name(criterion);
    return ok;
}

const struct map_match *fx_map_rule_constraints(const struct map_rule *rule) {
    return rule->view == MAP_VIEW_OBJECT ? &rule->policy->match
                                         : &rule->policy->view_matches[rule->view];
}

static const json_t *view_spec(const json_t *document, const char *key) {
    return fx_tree_view_key(fx_tree_view_key(document, "spec"), key);
}

bool fx_map_rule_may_match_namespace(const struct fx_mutator *self,
                                     struct fx_text object_namespace) {
    const struct map_rule *rule = &fx_map_rule_of(self)->rule;
    return fx_map_match_may_match_namespace(
               fx_map_rule_constraints(rule),
               view_spec(rule->policy->document, "matchConstraints"), object_namespace) &&
           (rule->binding == NULL || !rule->binding->has_match ||
            fx_map_match_may_match_namespace(
                &rule->binding->match,
                view_spec(rule->binding->document, "matchResources"), object_namespace));
}
