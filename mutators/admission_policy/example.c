/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/example.c - derives a small object from a rule on which it
 * probably acts, for `fixpoint check`: its kind, namespace, name and labels are those
 * that the policy and the binding ask for. What match conditions ask for is not known.
 */
#include <string.h>

#include "engine/kind.h"
#include "mutators/admission_policy/policy.h"
#include "value/tree.h"

#define NAMESPACE_LABEL "kubernetes.io/metadata.name"

/* ---- the kind --------------------------------------------------------------------- */

/* Does "v1/Pod" or "apps/v1/Deployment" fit the binding? Sets its version and kind. */
static bool fits(const struct fx_binding *binding, const char *name,
                 struct fx_named_kind *ret_kind) {
    struct fx_text rest = fx_text_of(name);
    struct fx_text first = fx_text_cut(&rest, '/');
    *ret_kind = (struct fx_named_kind){.group = FX_TEXT("")};
    if (fx_text_contains(rest, FX_TEXT("/"))) {
        ret_kind->group = first;
        first = fx_text_cut(&rest, '/');
    }
    ret_kind->version = first;
    ret_kind->kind = rest;
    return (binding->any_group || fx_text_equal(binding->group, ret_kind->group)) &&
           (binding->any_version || fx_text_equal(binding->version, first)) &&
           (binding->any_kind || fx_text_equal(binding->kind, rest));
}

/* Finds a built-in kind that the rule may match: a Pod, if it may match Pods. */
static bool find_kind(const struct fx_mutator *rule, struct fx_named_kind *ret_kind) {
    static const struct fx_binding any = {
        .any_group = true, .any_version = true, .any_kind = true};
    const struct fx_schema_set *set = &fx_schema_builtin;
    const size_t n = rule->n_bindings == 0 ? 1 : rule->n_bindings;
    const struct fx_binding *bindings = rule->n_bindings == 0 ? &any : rule->bindings;
    for (size_t i = 0; i < n; i++) {
        if (fits(&bindings[i], "v1/Pod", ret_kind)) {
            return true;
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < set->n_kinds; k++) {
            if (fits(&bindings[i], set->texts + set->kinds[k].name, ret_kind)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- labels ----------------------------------------------------------------------- */

/* Adds to `labels` what a requirement of a selector asks for, unless it asks for the
 * absence of something. False without memory. */
static bool add_requirement(json_t *labels, const json_t *requirement) {
    const struct fx_text key = fx_tree_view_string(requirement, "key");
    const struct fx_text operator= fx_tree_view_string(requirement, "operator");
    const json_t *values = fx_tree_view_key(requirement, "values");
    const struct fx_text value = fx_text_is(operator, "In")
                                     ? fx_tree_text(json_array_get(values, 0))
                                 : fx_text_is(operator, "Exists") ? FX_TEXT("example")
                                                                  : (struct fx_text){0};
    return value.data == NULL || fx_tree_set_take(labels, key, fx_tree_new_string(value));
}

static bool add_labels(json_t *labels, const json_t *selector) {
    const json_t *wanted = fx_tree_view_key(selector, "matchLabels");
    const json_t *expressions = fx_tree_view_key(selector, "matchExpressions");
    for (void *iter = wanted == NULL ? NULL : fx_node_first(wanted); iter != NULL;
         iter = fx_node_next(wanted, iter)) {
        if (!fx_tree_set_take(labels, fx_node_key(iter),
                              json_incref(json_object_iter_value(iter)))) {
            return false;
        }
    }
    for (size_t i = 0; i < json_array_size(expressions); i++) {
        if (!add_requirement(labels, json_array_get(expressions, i))) {
            return false;
        }
    }
    return true;
}

/* ---- the object ------------------------------------------------------------------- */

/* What a policy or a binding says about the objects that it matches; either may be
 * NULL. */
struct map_wanted {
    const json_t *of_policy, *of_binding;
};

static struct map_wanted find_wanted(const struct map_rule *rule) {
    const json_t *binding = rule->binding == NULL ? NULL : rule->binding->document;
    return (struct map_wanted){
        .of_policy = fx_tree_view_key(fx_tree_view_key(rule->policy->document, "spec"),
                                      "matchConstraints"),
        .of_binding =
            fx_tree_view_key(fx_tree_view_key(binding, "spec"), "matchResources"),
    };
}

/* The namespace that a selector asks for by its name; the labels of others are not
 * known. NULL without memory. */
static json_t *find_namespace(const struct map_rule *rule,
                              const struct map_wanted *wanted) {
    json_t *labels = json_object();
    if (labels == NULL ||
        !add_labels(labels, fx_tree_view_key(wanted->of_policy, "namespaceSelector")) ||
        !add_labels(labels, fx_tree_view_key(wanted->of_binding, "namespaceSelector"))) {
        json_decref(labels);
        return NULL;
    }
    const json_t *label = fx_tree_view_key(labels, NAMESPACE_LABEL);
    struct fx_text name = rule->only_namespace;
    if (name.data == NULL) {
        name = json_is_string(label) ? fx_tree_text(label) : FX_TEXT("default");
    }
    json_t *namespace_ = fx_tree_new_string(name);
    json_decref(labels);
    return namespace_;
}

/* The first of resourceNames; else a name. */
static struct fx_text find_name(const struct map_rule *rule) {
    const struct map_match *match = &rule->policy->match;
    const json_t *names = match->n_rules == 0 ? NULL : match->rules[0].names;
    return names == NULL ? FX_TEXT("example") : fx_tree_text(json_array_get(names, 0));
}

static json_t *make_metadata(const struct map_rule *rule, const struct map_wanted *wanted,
                             bool is_namespaced) {
    json_t *metadata = json_object();
    json_t *labels = json_object();
    bool ok = metadata != NULL && labels != NULL &&
              fx_tree_set_take(metadata, FX_TEXT("name"),
                               fx_tree_new_string(find_name(rule))) &&
              add_labels(labels, fx_tree_view_key(wanted->of_policy, "objectSelector")) &&
              add_labels(labels, fx_tree_view_key(wanted->of_binding, "objectSelector"));
    if (ok && is_namespaced) {
        ok = fx_tree_set_take(metadata, FX_TEXT("namespace"),
                              find_namespace(rule, wanted));
    }
    if (ok && json_object_size(labels) > 0) {
        ok = fx_tree_set_take(metadata, FX_TEXT("labels"), json_incref(labels));
    }
    json_decref(labels);
    return fx_tree_keep_if(ok, metadata);
}

/* A spec with a container; NULL if the kind has none, or without memory. */
static json_t *make_spec(struct fx_text kind) {
    static const char *const workloads[] = {"Deployment", "StatefulSet", "DaemonSet",
                                            "ReplicaSet", "Job"};
    if (fx_text_is(kind, "Pod")) {
        return json_pack("{s:[{s:s, s:s}]}", "containers", "name", "example", "image",
                         "example");
    }
    if (fx_text_is(kind, "CronJob")) {
        return json_pack("{s:{s:{s:{s:{s:[{s:s, s:s}]}}}}}", "jobTemplate", "spec",
                         "template", "spec", "containers", "name", "example", "image",
                         "example");
    }
    for (size_t i = 0; i < FX_COUNT(workloads); i++) {
        if (fx_text_is(kind, workloads[i])) {
            return json_pack("{s:{s:{s:[{s:s, s:s}]}}}", "template", "spec", "containers",
                             "name", "example", "image", "example");
        }
    }
    return NULL;
}

/* Does it fail for some namespaces only, or for cluster-scoped objects? */
static bool fails_sometimes(const struct map_rule *rule) {
    return rule->type == MAP_RULE_FAIL &&
           (rule->only_cluster_scoped || rule->only_namespaced);
}

json_t *fx_map_example(const struct fx_mutator *self, struct fx_err *err) {
    const struct map_rule *rule = (const struct map_rule *)self; /* its first member */
    struct fx_named_kind kind;
    if (fails_sometimes(rule) || !find_kind(self, &kind)) {
        return NULL;
    }
    const struct map_wanted wanted = find_wanted(rule);
    json_t *spec = make_spec(kind.kind);
    json_t *metadata =
        make_metadata(rule, &wanted, !fx_kind_is_cluster_scoped(kind.group, kind.kind));
    json_t *object = metadata == NULL
                         ? NULL
                         : json_pack("{s:o*, s:o*, s:O, s:O*}", "apiVersion",
                                     json_sprintf("%.*s%s%.*s", FX_TEXT_ARG(kind.group),
                                                  kind.group.len == 0 ? "" : "/",
                                                  FX_TEXT_ARG(kind.version)),
                                     "kind", fx_tree_new_string(kind.kind), "metadata",
                                     metadata, "spec", spec);
    json_decref(metadata);
    json_decref(spec);
    if (object == NULL) {
        (void)fx_fail_nomem(err);
    }
    return object;
}
