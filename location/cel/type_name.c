/* SPDX-License-Identifier: Apache-2.0
 *
 * type_name.c - the types of values, and the names that run-time messages give them.
 */
#include <string.h>

#include "location/cel/value.h"

/* By kind: the type, its name at run time, and the name of its type in Go. */
static const struct {
    const struct fx_cel_type *type;
    const char *name, *go_name;
} kinds[] = {
    [FX_CEL_UNSET] = {&fx_cel_error_type, "unset", "<nil>"},
    [FX_CEL_ERROR] = {&fx_cel_error_type, "error", "*types.Err"},
    [FX_CEL_NULL] = {&fx_cel_null_type, "null_type", "types.Null"},
    [FX_CEL_BOOL] = {&fx_cel_bool, "bool", "types.Bool"},
    [FX_CEL_INT] = {&fx_cel_int, "int", "types.Int"},
    [FX_CEL_UINT] = {&fx_cel_uint, "uint", "types.Uint"},
    [FX_CEL_DOUBLE] = {&fx_cel_double, "double", "types.Double"},
    [FX_CEL_STRING] = {&fx_cel_string, "string", "types.String"},
    [FX_CEL_BYTES] = {&fx_cel_bytes, "bytes", "types.Bytes"},
    [FX_CEL_DURATION] = {&fx_cel_duration, "google.protobuf.Duration", "types.Duration"},
    [FX_CEL_TIMESTAMP] = {&fx_cel_timestamp, "google.protobuf.Timestamp",
                          "types.Timestamp"},
    [FX_CEL_TYPE] = {&fx_cel_type_type, "type", "*types.Type"},
    [FX_CEL_LIST] = {&fx_cel_list_dyn, "list", "*types.baseList"},
    [FX_CEL_MAP] = {&fx_cel_map_dyn, "map", "*types.baseMap"},
    [FX_CEL_OPTIONAL] = {&fx_cel_optional_dyn, "optional_type", "*types.Optional"},
    [FX_CEL_STRUCT] = {&fx_cel_type_type, "type", "*dynamic.ObjectVal"},
    [FX_CEL_OPAQUE] = {NULL, "opaque", "types.Opaque"},
};

/* Types of libraries in Go. */
static const struct {
    const char *name, *go_name;
} opaque_names[] = {
    {"kubernetes.Quantity", "cel.Quantity"},
    {"kubernetes.URL", "cel.URL"},
    {"kubernetes.Semver", "cel.Semver"},
    {"kubernetes.NamedFormat", "cel.Format"},
    {"net.IP", "cel.IP"},
    {"net.CIDR", "cel.CIDR"},
};

const struct fx_cel_type *fx_cel_type_of(struct fx_cel_value value) {
    return value.kind == FX_CEL_OPAQUE ? value.opaque.ops->type : kinds[value.kind].type;
}

const char *fx_cel_type_name(struct fx_cel_value value) {
    return value.kind == FX_CEL_OPAQUE   ? value.opaque.ops->type->name
           : value.kind == FX_CEL_STRUCT ? value.structure->type->name
                                         : kinds[value.kind].name;
}

const char *fx_cel_go_type_name(struct fx_cel_value value) {
    if (value.kind != FX_CEL_OPAQUE) {
        return kinds[value.kind].go_name;
    }
    const char *name = value.opaque.ops->type->name;
    for (size_t i = 0; i < sizeof opaque_names / sizeof *opaque_names; i++) {
        if (strcmp(opaque_names[i].name, name) == 0) {
            return opaque_names[i].go_name;
        }
    }
    return kinds[FX_CEL_OPAQUE].go_name;
}
