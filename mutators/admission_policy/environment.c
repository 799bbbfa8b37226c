/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/environment.c - the variables that expressions may use, and
 * their types.
 */
#include "mutators/admission_policy/environment.h"

#include <stdlib.h>
#include <string.h>

#include "location/cel_library/authorizer.h"
#include "location/cel_library/kyverno.h"
#include "location/cel_library/library.h"

/* ---- the types -------------------------------------------------------------------- */

#define STRUCT_TYPE(variable, name_, ...)                                 \
    static const struct fx_cel_field variable##_fields[] = {__VA_ARGS__}; \
    static const struct fx_cel_type variable = {                          \
        .kind = FX_CEL_TYPE_STRUCT,                                       \
        .name = (name_),                                                  \
        .fields = variable##_fields,                                      \
    }
#define END {.name = NULL}

static const struct fx_cel_type map_of_lists = {
    .kind = FX_CEL_TYPE_MAP,
    .name = "map",
    .params = {&fx_cel_string, &fx_cel_list_string},
};
static const struct fx_cel_type map_of_strings = {
    .kind = FX_CEL_TYPE_MAP,
    .name = "map",
    .params = {&fx_cel_string, &fx_cel_string},
};

STRUCT_TYPE(kind_type, "kubernetes.GroupVersionKind", {"group", &fx_cel_string},
            {"version", &fx_cel_string}, {"kind", &fx_cel_string}, END);

STRUCT_TYPE(resource_type, "kubernetes.GroupVersionResource", {"group", &fx_cel_string},
            {"version", &fx_cel_string}, {"resource", &fx_cel_string}, END);

STRUCT_TYPE(user_type, "kubernetes.UserInfo", {"username", &fx_cel_string},
            {"uid", &fx_cel_string}, {"groups", &fx_cel_list_string},
            {"extra", &map_of_lists}, END);

STRUCT_TYPE(request_type, "kubernetes.AdmissionRequest", {"kind", &kind_type},
            {"resource", &resource_type}, {"subResource", &fx_cel_string},
            {"requestKind", &kind_type}, {"requestResource", &resource_type},
            {"requestSubResource", &fx_cel_string}, {"name", &fx_cel_string},
            {"namespace", &fx_cel_string}, {"operation", &fx_cel_string},
            {"userInfo", &user_type}, {"dryRun", &fx_cel_bool}, {"options", &fx_cel_dyn},
            END);

STRUCT_TYPE(metadata_type, "kubernetes.NamespaceMetadata", {"name", &fx_cel_string},
            {"generateName", &fx_cel_string}, {"namespace", &fx_cel_string},
            {"labels", &map_of_strings}, {"annotations", &map_of_strings},
            {"UID", &fx_cel_string}, {"creationTimestamp", &fx_cel_timestamp},
            {"deletionGracePeriodSeconds", &fx_cel_int},
            {"deletionTimestamp", &fx_cel_timestamp}, {"generation", &fx_cel_int},
            {"resourceVersion", &fx_cel_string}, {"finalizers", &fx_cel_list_string},
            END);

STRUCT_TYPE(spec_type, "kubernetes.NamespaceSpec", {"finalizers", &fx_cel_list_string},
            END);

STRUCT_TYPE(condition_type, "kubernetes.NamespaceCondition", {"status", &fx_cel_string},
            {"type", &fx_cel_string}, {"lastTransitionTime", &fx_cel_timestamp},
            {"message", &fx_cel_string}, {"reason", &fx_cel_string}, END);

static const struct fx_cel_type list_of_conditions = {
    .kind = FX_CEL_TYPE_LIST,
    .name = "list",
    .params = {&condition_type},
};

STRUCT_TYPE(status_type, "kubernetes.NamespaceStatus",
            {"conditions", &list_of_conditions}, {"phase", &fx_cel_string}, END);

STRUCT_TYPE(namespace_type, "kubernetes.Namespace", {"metadata", &metadata_type},
            {"spec", &spec_type}, {"status", &status_type}, END);

STRUCT_TYPE(exceptions_type, "kyverno.Exceptions", {"allowedImages", &fx_cel_list_string},
            {"allowedValues", &fx_cel_list_string}, END);

/* ---- the environments ------------------------------------------------------------- */

/* The name of a slot that an environment does not declare: no identifier is empty. */
#define UNDECLARED ""

/* The declarations of policies of API servers, by their slots. */
static const struct fx_cel_variable declarations[MAP_SLOTS] = {
    [MAP_SLOT_OBJECT] = {"object", &fx_cel_dyn},
    [MAP_SLOT_OLD_OBJECT] = {"oldObject", &fx_cel_dyn},
    [MAP_SLOT_REQUEST] = {"request", &request_type},
    [MAP_SLOT_NAMESPACE_OBJECT] = {"namespaceObject", &namespace_type},
    [MAP_SLOT_AUTHORIZER] = {"authorizer", &fx_cel_authorizer},
    [MAP_SLOT_REQUEST_RESOURCE] = {"authorizer.requestResource", &fx_cel_resource_check},
    [MAP_SLOT_VARIABLES] = {UNDECLARED, &fx_cel_dyn},
    [MAP_SLOT_PARAMS] = {"params", &fx_cel_dyn},
    [MAP_SLOT_IMAGES] = {UNDECLARED, &fx_cel_dyn},
    [MAP_SLOT_EXCEPTIONS] = {UNDECLARED, &fx_cel_dyn},
    [MAP_SLOT_RESOURCE] = {UNDECLARED, &fx_cel_dyn},
    [MAP_SLOT_IMAGE_DATA] = {UNDECLARED, &fx_cel_dyn},
    [MAP_SLOT_HTTP] = {UNDECLARED, &fx_cel_dyn},
    [MAP_SLOT_GLOBAL_CONTEXT] = {UNDECLARED, &fx_cel_dyn},
};

/* What policies of Kyverno have instead. Its `request` also has the objects. */
static const struct {
    enum map_slot slot;
    struct fx_cel_variable variable;
} of_kyverno[] = {
    {MAP_SLOT_REQUEST, {"request", &fx_cel_dyn}},
    {MAP_SLOT_NAMESPACE_OBJECT, {"namespaceObject", &fx_cel_dyn}},
    {MAP_SLOT_IMAGES, {"images", &map_of_lists}},
    {MAP_SLOT_EXCEPTIONS, {"exceptions", &exceptions_type}},
    {MAP_SLOT_RESOURCE, {"resource", &fx_cel_kyverno_resource}},
    {MAP_SLOT_IMAGE_DATA, {"image", &fx_cel_kyverno_image_data}},
    {MAP_SLOT_HTTP, {"http", &fx_cel_kyverno_http}},
    {MAP_SLOT_GLOBAL_CONTEXT, {"globalContext", &fx_cel_kyverno_global_context}},
};

static struct fx_cel_env make_env(const struct fx_cel_variable *variables,
                                  const struct fx_cel_overload *const *libraries) {
    return (struct fx_cel_env){
        .variables = variables, .n_variables = MAP_SLOTS, .libraries = libraries};
}

/* Declares the variables of the policy. Match conditions of Kyverno see `variables`. */
static void declare(struct map_policy *policy) {
    const struct fx_cel_variable composite = {"variables", &policy->variables_type};
    struct fx_cel_variable *declared = policy->declared;
    memcpy(declared, declarations, sizeof declarations);
    if (!policy->has_params) {
        declared[MAP_SLOT_PARAMS].name = UNDECLARED;
    }
    for (size_t i = 0; policy->is_kyverno && i < FX_COUNT(of_kyverno); i++) {
        declared[of_kyverno[i].slot] = of_kyverno[i].variable;
    }
    if (policy->is_kyverno) {
        declared[MAP_SLOT_VARIABLES] = composite;
    }
    memcpy(policy->condition_declared, declared, sizeof policy->condition_declared);
    declared[MAP_SLOT_VARIABLES] = composite;
}

bool fx_map_env_init(struct map_policy *policy) {
    const bool is_kyverno = policy->is_kyverno;
    policy->variable_fields =
        calloc(policy->n_variables + 1, sizeof *policy->variable_fields);
    if (policy->variable_fields == NULL) {
        return false;
    }
    policy->variables_type = (struct fx_cel_type){
        .kind = FX_CEL_TYPE_STRUCT,
        .name = "kubernetes.variables",
        .fields = policy->variable_fields,
    };
    declare(policy);
    const struct fx_cel_overload *const *libraries =
        is_kyverno ? fx_cel_kyverno_libraries : fx_cel_policy_libraries;
    policy->condition_env = make_env(policy->condition_declared, libraries);
    policy->variable_env = make_env(policy->declared, libraries);
    policy->mutation_env =
        make_env(policy->declared, is_kyverno ? libraries : fx_cel_mutation_libraries);
    policy->mutation_env.has_objects = true;
    return true;
}

/* ---- the types of variables ------------------------------------------------------- */

const struct fx_cel_type *fx_map_env_seen_type(struct fx_arena *arena,
                                               const struct fx_cel_type *type) {
    switch (type->kind) {
    case FX_CEL_TYPE_NULL: return &fx_cel_null_type;
    case FX_CEL_TYPE_BOOL: return &fx_cel_bool;
    case FX_CEL_TYPE_INT: return &fx_cel_int;
    case FX_CEL_TYPE_UINT: return &fx_cel_uint;
    case FX_CEL_TYPE_DOUBLE: return &fx_cel_double;
    case FX_CEL_TYPE_STRING: return &fx_cel_string;
    case FX_CEL_TYPE_BYTES: return &fx_cel_bytes;
    case FX_CEL_TYPE_DURATION: return &fx_cel_duration;
    case FX_CEL_TYPE_TIMESTAMP: return &fx_cel_timestamp;
    case FX_CEL_TYPE_LIST: {
        const struct fx_cel_type *element = fx_map_env_seen_type(arena, type->params[0]);
        return element == NULL ? NULL : fx_cel_list_of(arena, element);
    }
    case FX_CEL_TYPE_MAP: {
        if (type->fields != NULL) {
            return type;
        }
        const struct fx_cel_type *key = fx_map_env_seen_type(arena, type->params[0]);
        const struct fx_cel_type *value = fx_map_env_seen_type(arena, type->params[1]);
        return key == NULL || value == NULL ? NULL : fx_cel_map_of(arena, key, value);
    }
    case FX_CEL_TYPE_DYN:
    case FX_CEL_TYPE_ERROR:
    case FX_CEL_TYPE_TYPE:
    case FX_CEL_TYPE_OPTIONAL:
    case FX_CEL_TYPE_OPAQUE:
    case FX_CEL_TYPE_STRUCT:
    case FX_CEL_TYPE_PARAMETER: break;
    }
    return &fx_cel_dyn;
}

bool fx_map_env_declare(struct map_policy *policy, size_t index) {
    struct map_variable *variable = &policy->variables[index];
    const struct fx_cel_program *program = variable->expression.program;
    variable->type = program == NULL ? &fx_cel_dyn
                                     : fx_map_env_seen_type(&policy->arena,
                                                            fx_cel_program_type(program));
    policy->variable_fields[index] =
        (struct fx_cel_field){.name = variable->name, .type = variable->type};
    return variable->type != NULL;
}
