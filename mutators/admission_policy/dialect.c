/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/dialect.c - the dialect of MutatingAdmissionPolicy: its
 * kinds, in the group of API servers and in Fixpoint's own, for clusters whose API server
 * does not have them; and their defaults.
 */
#include "engine/dialect.h"

#include "mutators/admission_policy/policy.h"
#include "mutators/admission_policy/type_check.h"
#include "value/tree.h"

/* ---- the kinds -------------------------------------------------------------------- */

static const char *const versions[] = {"v1", "v1beta1", "v1alpha1", NULL};
static const char *const own_versions[] = {"v1alpha1", NULL};

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
    [MAP_KINDS_END] = {.kind = NULL},
};

static bool is_policy(const json_t *document) {
    return fx_text_is(fx_tree_view_string(document, "kind"),
                      fx_map_kinds[MAP_POLICY].kind);
}

static bool compile(json_t *document, struct fx_compilation *ret_compilation,
                    struct fx_err *err) {
    return is_policy(document) ? fx_map_policy_compile(document, ret_compilation, err)
                               : fx_map_binding_compile(document, ret_compilation, err);
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

/* Sets the defaults of API servers, copying on write. Fields of a wrong type do not
 * change; compiling reports them. */
static bool set_defaults(json_t **document, struct fx_err *err) {
    static const char *const spec[] = {"spec", NULL};
    static const char *const ref[] = {"spec", "paramRef", NULL};
    const bool ok =
        is_policy(*document)
            ? set_take(document, spec, "failurePolicy", json_string("Fail")) &&
                  set_match(document, "matchConstraints")
            : set_take(document, ref, "parameterNotFoundAction", json_string("Deny")) &&
                  set_match(document, "matchResources");
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
