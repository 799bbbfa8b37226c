/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_mutate.c - kyverno/mutate.jsonl: its cases of MutatingAdmissionPolicies, which
 * Kyverno's command line runs as well, become cases as those of map.jsonl.
 */
#include "kinds.h"
#include "value/tree.h"

static struct fx_text name_of(const json_t *policy) {
    return fx_tree_view_string(fx_tree_view_key(policy, "metadata"), "name");
}

static bool is_bound(const json_t *bindings, struct fx_text policy) {
    for (size_t i = 0; i < json_array_size(bindings); i++) {
        const json_t *spec = fx_tree_view_key(json_array_get(bindings, i), "spec");
        if (fx_text_equal(fx_tree_view_string(spec, "policyName"), policy)) {
            return true;
        }
    }
    return false;
}

/* A policy without a binding has no effect on an API server. Kyverno's command line then
 * applies it to all that it matches. */
static void bind_all(const json_t *policies, json_t *bindings) {
    for (size_t i = 0; i < json_array_size(policies); i++) {
        json_t *policy = json_array_get(policies, i);
        const struct fx_text name = name_of(policy);
        if (!is_bound(bindings, name)) {
            (void)json_array_append_new(
                bindings, json_pack("{s:O, s:s, s:{s:o}, s:{s:o}}", "apiVersion",
                                    fx_tree_view_key(policy, "apiVersion"), "kind",
                                    "MutatingAdmissionPolicyBinding", "metadata", "name",
                                    fx_tree_new_string(name), "spec", "policyName",
                                    fx_tree_new_string(name)));
        }
    }
}

/* Policies and bindings are in one list. */
static void add_policies(json_t *case_, const json_t *row) {
    const json_t *given = fx_tree_view_key(row, "policies");
    json_t *policies = json_array();
    json_t *bindings = json_array();
    for (size_t i = 0; i < json_array_size(given); i++) {
        json_t *document = json_array_get(given, i);
        const struct fx_text kind = fx_tree_view_string(document, "kind");
        (void)json_array_append(
            fx_text_is(kind, "MutatingAdmissionPolicy") ? policies : bindings, document);
    }
    bind_all(policies, bindings);
    (void)json_object_set_new(case_, "policies", policies);
    (void)json_object_set_new(case_, "bindings", bindings);
}

static void add_namespace(json_t *case_, const json_t *row, const json_t *object) {
    json_t *labels = fx_tree_view_key(row, "namespaceLabels");
    const struct fx_text name =
        fx_tree_view_string(fx_tree_view_key(object, "metadata"), "namespace");
    if (labels != NULL && name.len > 0) {
        (void)json_object_set_new(case_, "namespaceObject",
                                  json_pack("{s:s, s:s, s:{s:o, s:O}}", "apiVersion",
                                            "v1", "kind", "Namespace", "metadata", "name",
                                            fx_tree_new_string(name), "labels", labels));
    }
}

static json_t *make_expectation(const json_t *expect, json_t *object) {
    if (json_is_true(fx_tree_view_key(expect, "skip"))) {
        return json_pack("{s:b, s:O}", "skipped", 1, "object", object);
    }
    return json_pack("{s:O*}", "object", fx_tree_view_key(expect, "resource"));
}

static json_t *make_case(const json_t *row) {
    json_t *object = fx_tree_view_key(row, "resource");
    json_t *user = fx_tree_view_key(fx_tree_view_key(row, "userInfo"), "userInfo");
    json_t *case_ =
        json_pack("{s:O*, s:O, s:O*, s:{s:O*, s:O*}, s:o}", "source",
                  fx_tree_view_key(row, "source"), "object", object, "params",
                  fx_tree_view_key(row, "params"), "request", "operation",
                  fx_tree_view_key(row, "operation"), "userInfo", user, "expect",
                  make_expectation(fx_tree_view_key(row, "expect"), object));
    add_policies(case_, row);
    add_namespace(case_, row, object);
    return case_;
}

/* Does a binding select several parameters? An API server runs its policy once for each;
 * Kyverno's command line once, with the list as `params`. */
static bool lists_parameters(const json_t *row) {
    const json_t *documents = fx_tree_view_key(row, "policies");
    for (size_t i = 0; i < json_array_size(documents); i++) {
        const json_t *spec = fx_tree_view_key(json_array_get(documents, i), "spec");
        const json_t *reference = fx_tree_view_key(spec, "paramRef");
        if (fx_tree_view_key(reference, "selector") != NULL) {
            return json_array_size(fx_tree_view_key(row, "params")) > 1;
        }
    }
    return false;
}

void fx_case_kyverno_mutate(json_t *row, struct fx_case_result *result) {
    const struct fx_text engine = fx_tree_view_string(row, "engine");
    if (fx_text_is(engine, "mpol")) {
        fx_case_kyverno_mpol(row, result);
        return;
    }
    if (fx_text_is(engine, "kyverno") && json_is_true(fx_tree_view_key(row, "core"))) {
        fx_case_kyverno_rules(row, result);
        return;
    }
    if (fx_text_is(engine, "kyverno") && fx_case_kyverno_has_targets(row)) {
        fx_case_kyverno_targets(row, result);
        return;
    }
    if (!fx_text_is(engine, "map")) {
        result->skipped = FX_CASE_KYVERNO_SKIPPED;
        return;
    }
    if (lists_parameters(row)) {
        result->skipped = "each parameter is one of its own, as in an API server";
        return;
    }
    json_t *case_ = make_case(row);
    fx_case_map(case_, result);
    json_decref(case_);
}
