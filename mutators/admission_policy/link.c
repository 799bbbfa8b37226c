/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/link.c - the link step: a rule for each policy, binding and
 * parameter (spec/mutating-admission-policy.md section 4).
 *
 * API servers look parameters up for each request. Here that is done before: a parameter
 * in the namespace of the request gives a rule for requests of its namespace; and what is
 * then an error of the configuration gives a rule that fails, for the requests that have
 * it.
 */
#include <stdlib.h>

#include "base/budget.h"
#include "base/buf.h"
#include "merge/schema.h"
#include "mutators/admission_policy/never.h"
#include "mutators/admission_policy/policy.h"

#define NO_PARAMS                                                      \
    "failed to configure binding: no params found for policy binding " \
    "with `Deny` parameterNotFoundAction"
#define NO_NAMESPACE                                                  \
    "failed to configure binding: cannot use namespaced paramRef in " \
    "policy binding that matches cluster-scoped resources"
#define NOT_IN_NAMESPACE                                           \
    "failed to configure binding: paramRef.namespace must not be " \
    "provided for a cluster-scoped `paramKind`"

/* The scope of the kind of parameters. If it is unknown, the found objects tell. */
enum map_params_scope {
    MAP_PARAMS_UNKNOWN,
    MAP_PARAMS_NAMESPACED,
    MAP_PARAMS_CLUSTER,
};

/* The link step of one policy. */
struct map_linking {
    struct fx_link *link;
    struct fx_unit *unit;
    const struct map_policy *policy;
    struct fx_unit *binding_unit;
    const struct map_binding *binding;
    enum map_params_scope scope;
    const char *unavailable; /* why objects of paramKind cannot be read; NULL: they can */
    uint32_t position;       /* of the next rule */
};

/* Makes the rule of a template and adds it. */
static void create(struct map_linking *linking, const struct map_rule *rule) {
    if (linking->link->failed || linking->link->is_full) {
        return;
    }
    struct fx_mutator *created = fx_map_rule_create(rule, linking->position++);
    if (created == NULL) {
        linking->link->failed = true;
    } else {
        fx_link_add_take(linking->link, created);
    }
}

/* Adds a rule from a template; what all rules have is set here. Beside a rule of a policy
 * that is validated comes its validator. */
static void add(struct map_linking *linking, struct map_rule rule) {
    rule.policy_unit = linking->unit;
    rule.policy = linking->policy;
    rule.binding_unit = linking->binding_unit;
    rule.binding = linking->binding;
    create(linking, &rule);
    if (rule.type == MAP_RULE_INVOKE &&
        linking->policy->validation != MAP_VALIDATION_SKIP) {
        rule.type = MAP_RULE_VALIDATE;
        create(linking, &rule);
    }
}

/* Adds a rule that fails with this message, which is copied. */
static void add_failure(struct map_linking *linking, struct map_rule rule,
                        const char *message) {
    char *copy = fx_text_dup(fx_text_of(message));
    if (copy == NULL) {
        linking->link->failed = true;
        return;
    }
    rule.type = MAP_RULE_FAIL;
    rule.message = copy;
    add(linking, rule);
    free(copy);
}

/* Adds the rule of a binding that finds no parameter: it fails, or does nothing. */
static void add_without_params(struct map_linking *linking, struct map_rule rule) {
    rule.lacks_params = true;
    if (linking->binding->denies_missing) {
        add_failure(linking, rule, NO_PARAMS);
    } else {
        rule.type = MAP_RULE_ABSENT;
        add(linking, rule);
    }
}

/* ---- the kind of parameters ------------------------------------------------------- */

bool fx_map_is_builtin(const struct fx_named_kind *kind) {
    return fx_schema_find(&fx_schema_builtin, kind->group, kind->version, kind->kind)
               .set != NULL;
}

static bool have_namespaces(const struct fx_objects_found *objects) {
    for (size_t i = 0; i < objects->n_items && fx_spend(1); i++) {
        if (objects->items[i]->namespace_ != NULL) {
            return true;
        }
    }
    return false;
}

/* Finds out whether the kind exists, and its scope. API servers' own kinds are known. Of
 * another kind, the state of its watch says in a cluster whether it exists; among files,
 * its objects do. Objects are looked up only if they count: each of them whose change is
 * seen links the policy again. */
static bool find_kind(struct map_linking *linking) {
    const struct fx_named_kind *kind = &linking->policy->param_kind;
    struct fx_object_query query = {
        .kind = *kind, .namespace_ = FX_TEXT(""), .name = FX_TEXT(""), /* of no object */
    };
    const bool is_builtin = fx_map_is_builtin(kind);
    const bool is_file = linking->link->units->states == NULL;
    if (is_file && !is_builtin) {
        query.namespace_ = (struct fx_text){0};
        query.name = (struct fx_text){0};
    }
    const struct fx_objects_found found = fx_link_find_objects(linking->link, &query);
    linking->unavailable = found.unavailable;
    if (is_builtin) {
        linking->scope = fx_kind_is_cluster_scoped(kind->group, kind->kind)
                             ? MAP_PARAMS_CLUSTER
                             : MAP_PARAMS_NAMESPACED;
    } else if (is_file) {
        linking->scope =
            have_namespaces(&found) ? MAP_PARAMS_NAMESPACED : MAP_PARAMS_CLUSTER;
    }
    return found.unavailable == NULL && (is_builtin || !is_file || found.n_items > 0);
}

/* Reports about a binding of a policy whose parameters cannot be found. */
static void report_unknown_kind(const struct map_linking *linking, struct fx_unit *unit) {
    const struct fx_named_kind *kind = &linking->policy->param_kind;
    struct fx_buf fault;
    fx_buf_init(&fault, 0);
    fx_buf_str(&fault, "objects of ");
    fx_named_kind_print(&fault, kind);
    fx_buf_printf(&fault, " cannot be read: %s",
                  linking->unavailable == NULL ? "there are none" : linking->unavailable);
    if (fault.failed) {
        linking->link->failed = true;
    } else {
        fx_link_report_binding(linking->link, unit, NULL, fault.data);
    }
    fx_buf_finish(&fault);
}

/* Adds the rule of a policy whose parameters cannot be found: it fails for every request
 * that the policy matches, whatever its bindings are. */
static void add_unknown_kind(struct map_linking *linking) {
    const struct fx_named_kind *kind = &linking->policy->param_kind;
    struct fx_buf message;
    fx_buf_init(&message, 0);
    fx_buf_printf(&message,
                  "failed to configure policy: failed to find resource referenced by "
                  "paramKind: '%.*s/%.*s, Kind=%.*s'",
                  FX_TEXT_ARG(kind->group), FX_TEXT_ARG(kind->version),
                  FX_TEXT_ARG(kind->kind));
    if (message.failed) {
        linking->link->failed = true;
    } else {
        add_failure(linking, (struct map_rule){0}, message.data);
    }
    fx_buf_finish(&message);
}

/* ---- the parameters of a binding -------------------------------------------------- */

/* The namespace that a namespaced object is in. */
static struct fx_text namespace_of(const struct fx_unit *object) {
    return fx_text_of(object->namespace_ != NULL ? object->namespace_
                                                 : object->file_namespace);
}

/* Adds the rules of parameters that do not depend on the namespace of the request. */
static void add_fixed(struct map_linking *linking, const struct fx_objects_found *found) {
    for (size_t i = 0; i < found->n_items; i++) {
        add(linking, (struct map_rule){.param_unit = found->items[i]});
    }
    if (found->n_items == 0) {
        add_without_params(linking, (struct map_rule){0});
    }
}

/* Adds the rule for requests in namespaces without a parameter. The objects
 * are sorted by namespace, except those of files that name none. */
static void add_missing(struct map_linking *linking,
                        const struct fx_objects_found *found) {
    struct fx_text *namespaces = calloc(found->n_items + 1, sizeof *namespaces);
    size_t n = 0;
    if (namespaces == NULL) {
        linking->link->failed = true;
        return;
    }
    for (size_t i = 0; i < found->n_items; i++) {
        const struct fx_text one = namespace_of(found->items[i]);
        if (n == 0 || !fx_text_equal(namespaces[n - 1], one)) {
            namespaces[n++] = one;
        }
    }
    const struct map_rule rule = {
        .but_namespaces = namespaces,
        .n_but_namespaces = n,
        .only_namespaced = true,
    };
    add_without_params(linking, rule);
    free(namespaces);
}

/* Adds the rules of parameters in the namespace of the request. */
static void add_by_namespace(struct map_linking *linking,
                             const struct fx_objects_found *found) {
    for (size_t i = 0; i < found->n_items; i++) {
        add(linking, (struct map_rule){
                         .param_unit = found->items[i],
                         .only_namespace = namespace_of(found->items[i]),
                     });
    }
    add_missing(linking, found);
    add_failure(linking, (struct map_rule){.only_cluster_scoped = true}, NO_NAMESPACE);
}

static void link_params(struct map_linking *linking) {
    const struct map_binding *binding = linking->binding;
    const bool has_namespace = binding->param_namespace.data != NULL;
    if (linking->scope == MAP_PARAMS_CLUSTER && has_namespace) {
        add_failure(linking, (struct map_rule){0}, NOT_IN_NAMESPACE);
        fx_link_report_binding(linking->link, linking->binding_unit,
                               &(struct fx_objects_found){0}, NOT_IN_NAMESPACE);
        return;
    }
    const struct fx_object_query query = {
        .kind = linking->policy->param_kind,
        .namespace_ = has_namespace ? binding->param_namespace : (struct fx_text){0},
        .name = binding->param_name,
        .selector = binding->param_selector,
    };
    const struct fx_objects_found found = fx_link_find_objects(linking->link, &query);
    if (has_namespace || linking->scope == MAP_PARAMS_CLUSTER ||
        (linking->scope == MAP_PARAMS_UNKNOWN && found.n_items > 0 &&
         !have_namespaces(&found))) {
        add_fixed(linking, &found);
    } else {
        add_by_namespace(linking, &found);
    }
    fx_link_report_binding(linking->link, linking->binding_unit, &found,
                           found.n_items == 0 && binding->denies_missing ? NO_PARAMS
                                                                         : NULL);
}

/* ---- the bindings of a policy ----------------------------------------------------- */

static void link_binding(struct map_linking *linking, struct fx_unit *unit) {
    linking->binding_unit = unit;
    linking->binding = (const struct map_binding *)unit->linkable;
    fx_map_report_binding(linking->policy, linking->binding, unit->name, linking->link);
    if (linking->policy->has_params && linking->binding->has_param_ref) {
        link_params(linking);
    } else {
        add(linking, (struct map_rule){.type = MAP_RULE_INVOKE});
        fx_link_report_binding(linking->link, unit, NULL, NULL);
    }
}

void fx_map_link(struct fx_unit *unit, struct fx_link *link) {
    if (((const struct map_policy *)unit->linkable)->is_kyverno) {
        fx_map_kyverno_link(unit, link);
        return;
    }
    struct map_linking linking = {
        .link = link,
        .unit = unit,
        .policy = (const struct map_policy *)unit->linkable,
    };
    const size_t kind =
        unit->kind == &fx_map_kinds[MAP_POLICY] ? MAP_BINDING : MAP_OWN_BINDING;
    size_t n = 0;
    fx_map_report_policy(linking.policy, link);
    struct fx_unit *const *bindings =
        fx_link_list(link, &fx_map_kinds[kind], fx_text_of(unit->name), &n);
    if (n == 0) {
        fx_link_report(link, false,
                       "no MutatingAdmissionPolicyBinding names this policy, so it does "
                       "nothing");
        return;
    }
    if (linking.policy->has_params && !find_kind(&linking)) {
        add_unknown_kind(&linking);
        for (size_t i = 0; i < n && fx_spend(1); i++) {
            report_unknown_kind(&linking, bindings[i]);
        }
        return;
    }
    for (size_t i = 0; i < n && fx_spend(1); i++) {
        link_binding(&linking, bindings[i]);
    }
}
