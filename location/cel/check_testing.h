/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/check_testing.h - an environment for the tests of the checker: the
 * standard library, and of other libraries what macros use and a little more.
 */
#ifndef FX_LOCATION_CEL_CHECK_TESTING_H
#define FX_LOCATION_CEL_CHECK_TESTING_H

#include "location/cel/check.h"

static const struct fx_cel_type testing_address = {.kind = FX_CEL_TYPE_OPAQUE,
                                                   .name = "net.IP"};
static const struct fx_cel_type testing_quantity = {.kind = FX_CEL_TYPE_OPAQUE,
                                                    .name = "kubernetes.Quantity"};

static const struct fx_cel_overload testing_library[] = {
    {.function = "optional.of", FX_CEL_FUNCTION(&fx_cel_t), .result = &fx_cel_optional_t},
    {.function = "optional.none", .result = &fx_cel_optional_t},
    {.function = "hasValue", FX_CEL_METHOD(&fx_cel_optional_t), .result = &fx_cel_bool},
    {.function = "value", FX_CEL_METHOD(&fx_cel_optional_t), .result = &fx_cel_t},
    {.function = "orValue",
     FX_CEL_METHOD(&fx_cel_optional_t, &fx_cel_t),
     .result = &fx_cel_t},
    {.function = "@sortByAssociatedKeys",
     FX_CEL_METHOD(&fx_cel_list_t, &fx_cel_list_int),
     .result = &fx_cel_list_t},
    {.function = "sets.contains",
     FX_CEL_FUNCTION(&fx_cel_list_t, &fx_cel_list_t),
     .result = &fx_cel_bool},
    {.function = "format",
     FX_CEL_METHOD(&fx_cel_string, &fx_cel_list_dyn),
     .result = &fx_cel_string},
    {.function = "ip", FX_CEL_FUNCTION(&fx_cel_string), .result = &testing_address},
    {.function = "quantity",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &testing_quantity},
    {.function = NULL},
};

static const struct fx_cel_overload *const testing_libraries[] = {
    fx_cel_operators, fx_cel_standard, testing_library, NULL};

static const struct fx_cel_field testing_kind_fields[] = {
    {"group", &fx_cel_string}, {"kind", &fx_cel_string}, {NULL, NULL}};
static const struct fx_cel_type testing_kind = {.kind = FX_CEL_TYPE_STRUCT,
                                                .name = "kubernetes.GroupVersionKind",
                                                .fields = testing_kind_fields};
static const struct fx_cel_field testing_request_fields[] = {
    {"kind", &testing_kind}, {"options", &fx_cel_dyn}, {NULL, NULL}};
static const struct fx_cel_type testing_request = {.kind = FX_CEL_TYPE_STRUCT,
                                                   .name = "kubernetes.AdmissionRequest",
                                                   .fields = testing_request_fields};
static const struct fx_cel_type testing_strings_to_ints = {
    .kind = FX_CEL_TYPE_MAP, .name = "map", .params = {&fx_cel_string, &fx_cel_int}};

/* An object with a schema. */
#define TESTING_OBJECT(variable, ...)                                                   \
    static const struct fx_cel_field variable##_fields[] = {__VA_ARGS__, {NULL, NULL}}; \
    static const struct fx_cel_type variable = {                                        \
        .kind = FX_CEL_TYPE_MAP,                                                        \
        .name = "map",                                                                  \
        .params = {&fx_cel_string, &fx_cel_dyn},                                        \
        .fields = variable##_fields,                                                    \
    }
static const struct fx_cel_type testing_strings = {
    .kind = FX_CEL_TYPE_MAP, .name = "map", .params = {&fx_cel_string, &fx_cel_string}};
TESTING_OBJECT(testing_container, {"name", &fx_cel_string}, {"image", &fx_cel_string});
static const struct fx_cel_type testing_containers = {
    .kind = FX_CEL_TYPE_LIST, .name = "list", .params = {&testing_container}};
TESTING_OBJECT(testing_metadata, {"name", &fx_cel_string}, {"labels", &testing_strings});
TESTING_OBJECT(testing_spec, {"containers", &testing_containers},
               {"nodeName", &fx_cel_string}, {"priority", &fx_cel_int});
TESTING_OBJECT(testing_pod, {"metadata", &testing_metadata}, {"spec", &testing_spec});

static const struct fx_cel_variable testing_variables[] = {
    {"object", &fx_cel_dyn},    {"request", &testing_request},
    {"x", &fx_cel_int},         {"y", &fx_cel_string},
    {"a.b", &fx_cel_int},       {"a", &testing_strings_to_ints},
    {"l", &fx_cel_list_string}, {"n", &fx_cel_null_type},
    {"t", &fx_cel_timestamp},   {"pod", &testing_pod},
};

static const struct fx_cel_env testing_env = {
    .variables = testing_variables,
    .n_variables = sizeof testing_variables / sizeof testing_variables[0],
    .libraries = testing_libraries,
    .has_objects = true,
};

#endif
