/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/dialect.c - the dialect of MutatingAdmissionPolicy: its
 * kinds, in the group of API servers and in Fixpoint's own, for clusters whose API server
 * does not have them; Kyverno's kinds with the same language; and their defaults.
 */
#include "engine/dialect.h"

#include "mutators/admission_policy/policy.h"
#include "mutators/admission_policy/type_check.h"
#include "value/tree.h"

/* ---- the kinds -------------------------------------------------------------------- */

static const char *const versions[] = {"v1", "v1beta1", "v1alpha1", NULL};
static const char *const own_versions[] = {"v1alpha1", NULL};
static const char *const kyverno_versions[] = {"v1", "v1beta1", "v1alpha1", NULL};

/* Spec section 1, "Versions". */
static const struct fx_native_api native = {
    .feature_gate = "MutatingAdmissionPolicy", .first_minor = 32, .default_minor = 36};

const struct fx_kind fx_map_kinds[] = {
    [MAP_POLICY] = {.group = MAP_GROUP,
                    .kind = "MutatingAdmissionPolicy",
                    .resource = "mutatingadmissionpolicies",
                    .versions = versions,
                    .role = FX_ROLE_POLICY,
                    .keeps = FX_KIND_KEEP_ANNOTATIONS,
                    .native = &native},
    [MAP_BINDING] = {.group = MAP_GROUP,
                     .kind = "MutatingAdmissionPolicyBinding",
                     .resource = "mutatingadmissionpolicybindings",
                     .versions = versions,
                     .role = FX_ROLE_BINDING,
                     .policy = &fx_map_kinds[MAP_POLICY],
                     .native = &native},
    [MAP_OWN_POLICY] = {.group = MAP_OWN_GROUP,
                        .kind = "MutatingAdmissionPolicy",
                        .resource = "fixpointmutatingadmissionpolicies",
                        .versions = own_versions,
                        .role = FX_ROLE_POLICY,
                        .keeps = FX_KIND_KEEP_ANNOTATIONS,
                        .status = FX_KIND_STATUS_BY_POD | FX_KIND_STATUS_TYPES},
    [MAP_OWN_BINDING] = {.group = MAP_OWN_GROUP,
                         .kind = "MutatingAdmissionPolicyBinding",
                         .resource = "fixpointmutatingadmissionpolicybindings",
                         .versions = own_versions,
                         .role = FX_ROLE_BINDING,
                         .status = FX_KIND_STATUS_BY_POD,
                         .policy = &fx_map_kinds[MAP_OWN_POLICY]},
    [MAP_MUTATING_POLICY] = {.group = MAP_KYVERNO_GROUP,
                             .kind = "MutatingPolicy",
                             .resource = "mutatingpolicies",
                             .api = MAP_KYVERNO_API,
                             .versions = kyverno_versions,
                             .role = FX_ROLE_POLICY,
                             .keeps = FX_KIND_KEEP_ANNOTATIONS},
    [MAP_NAMESPACED_MUTATING_POLICY] = {.group = MAP_KYVERNO_GROUP,
                                        .kind = "NamespacedMutatingPolicy",
                                        .resource = "namespacedmutatingpolicies",
                                        .api = MAP_KYVERNO_API,
                                        .versions = kyverno_versions,
                                        .scope = FX_SCOPE_NAMESPACE,
                                        .role = FX_ROLE_POLICY,
                                        .keeps = FX_KIND_KEEP_ANNOTATIONS},
    [MAP_EXCEPTION] = {.group = MAP_KYVERNO_GROUP,
                       .kind = "PolicyException",
                       .resource = "policyexceptions",
                       .api = MAP_KYVERNO_API,
                       .versions = kyverno_versions,
                       .scope = FX_SCOPE_NAMESPACE,
                       .role = FX_ROLE_PARAMETER},
    [MAP_KINDS_END] = {.kind = NULL},
};

/* How a document of each kind is compiled, and its defaults. */
enum map_form { MAP_FORM_POLICY, MAP_FORM_BINDING, MAP_FORM_KYVERNO, MAP_FORM_EXCEPTION };

static enum map_form form_of(const json_t *document) {
    static const struct {
        const char *kind;
        enum map_form form;
    } forms[] = {{"MutatingAdmissionPolicy", MAP_FORM_POLICY},
                 {"MutatingAdmissionPolicyBinding", MAP_FORM_BINDING},
                 {"PolicyException", MAP_FORM_EXCEPTION}};
    const struct fx_text kind = fx_tree_view_string(document, "kind");
    for (size_t i = 0; i < FX_COUNT(forms); i++) {
        if (fx_text_is(kind, forms[i].kind)) {
            return forms[i].form;
        }
    }
    return MAP_FORM_KYVERNO;
}

static bool compile(json_t *document, struct fx_compilation *ret_compilation,
                    struct fx_err *err) {
    switch (form_of(document)) {
    case MAP_FORM_POLICY: return fx_map_policy_compile(document, ret_compilation, err);
    case MAP_FORM_BINDING: return fx_map_binding_compile(document, ret_compilation, err);
    case MAP_FORM_EXCEPTION:
        return fx_map_exception_compile(document, ret_compilation, err);
    case MAP_FORM_KYVERNO: break;
    }
    return fx_map_kyverno_compile(document, ret_compilation, err);
}

/* ---- defaults --------------------------------------------------------------------- */

/* Returns the object at a path of keys, which NULL ends, writable. NULL without memory,
 * or if there is none. */
static json_t *own_path(json_t **document, const char *const *keys) {
    json_t *own = fx_tree_own_root(document);
    for (size_t i = 0; own != NULL && keys[i] != NULL; i++) {
        own = fx_tree_own_key(own, fx_text_of(keys[i]));
    }
    return own;
}

/* Sets object[key] at the path if the object is one and does not have it. `value` is
 * consumed. False without memory. */
static bool set_take(json_t **document, const char *const *keys, const char *key,
                     json_t *value) {
    const json_t *object = *document;
    for (size_t i = 0; keys[i] != NULL; i++) {
        object = fx_tree_view_key(object, keys[i]);
    }
    const json_t *given = fx_tree_view_key(object, key);
    if (!json_is_object(object) || (given != NULL && !json_is_null(given))) {
        json_decref(value);
        return true;
    }
    json_t *own = value == NULL ? NULL : own_path(document, keys);
    if (own == NULL) {
        json_decref(value);
        return false;
    }
    return fx_tree_set_take(own, fx_text_of(key), value);
}

static bool set_scopes(json_t **document, const char *match, const char *key) {
    const char *const path[] = {"spec", match, key, NULL};
    const json_t *list = fx_tree_view_key(
        fx_tree_view_key(fx_tree_view_key(*document, "spec"), match), key);
    for (size_t i = 0; json_is_array(list) && i < json_array_size(list); i++) {
        const json_t *rule = json_array_get(list, i);
        if (!json_is_object(rule) || fx_tree_view_key(rule, "scope") != NULL) {
            continue;
        }
        json_t *own = own_path(document, path);
        json_t *own_rule = own == NULL ? NULL : fx_tree_own_index(own, i);
        if (own_rule == NULL ||
            !fx_tree_set_take(own_rule, FX_TEXT("scope"), json_string("*"))) {
            return false;
        }
        list = own;
    }
    return true;
}

static bool set_match(json_t **document, const char *match) {
    const char *const path[] = {"spec", match, NULL};
    return set_take(document, path, "matchPolicy", json_string("Equivalent")) &&
           set_take(document, path, "namespaceSelector", json_object()) &&
           set_take(document, path, "objectSelector", json_object()) &&
           set_scopes(document, match, "resourceRules") &&
           set_scopes(document, match, "excludeResourceRules");
}

/* Sets the defaults of API servers, and those of Kyverno, which has no others, copying on
 * write. Fields of a wrong type do not change; compiling reports them. */
static bool set_defaults(json_t **document, struct fx_err *err) {
    static const char *const spec[] = {"spec", NULL};
    static const char *const ref[] = {"spec", "paramRef", NULL};
    bool ok = true;
    switch (form_of(*document)) {
    case MAP_FORM_POLICY:
        ok = set_take(document, spec, "failurePolicy", json_string("Fail")) &&
             set_match(document, "matchConstraints");
        break;
    case MAP_FORM_BINDING:
        ok = set_take(document, ref, "parameterNotFoundAction", json_string("Deny")) &&
             set_match(document, "matchResources");
        break;
    case MAP_FORM_KYVERNO:
        ok = set_take(document, spec, "failurePolicy", json_string("Fail"));
        break;
    case MAP_FORM_EXCEPTION: break;
    }
    return ok || fx_fail_nomem(err);
}

const struct fx_dialect fx_dialect_admission_policy = {
    .name = "admission_policy",
    .rank = MAP_RANK,
    .kinds = fx_map_kinds,
    .compile = compile,
    .link = fx_map_link,
    .check_types = fx_map_check_types,
    .set_defaults = set_defaults,
};
