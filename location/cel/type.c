/* SPDX-License-Identifier: Apache-2.0
 *
 * type.c - the constant types, types with parameters, and equality.
 */
#include "location/cel/type.h"

#include <string.h>

#include "base/budget.h"
#include "base/limits.h"

#define SIMPLE(variable, kind_, name_)    \
    const struct fx_cel_type variable = { \
        .kind = (kind_),                  \
        .name = (name_),                  \
    }

SIMPLE(fx_cel_dyn, FX_CEL_TYPE_DYN, "dyn");
SIMPLE(fx_cel_error_type, FX_CEL_TYPE_ERROR, "!error!");
SIMPLE(fx_cel_null_type, FX_CEL_TYPE_NULL, "null");
SIMPLE(fx_cel_bool, FX_CEL_TYPE_BOOL, "bool");
SIMPLE(fx_cel_int, FX_CEL_TYPE_INT, "int");
SIMPLE(fx_cel_uint, FX_CEL_TYPE_UINT, "uint");
SIMPLE(fx_cel_double, FX_CEL_TYPE_DOUBLE, "double");
SIMPLE(fx_cel_string, FX_CEL_TYPE_STRING, "string");
SIMPLE(fx_cel_bytes, FX_CEL_TYPE_BYTES, "bytes");
SIMPLE(fx_cel_duration, FX_CEL_TYPE_DURATION, "duration");
SIMPLE(fx_cel_timestamp, FX_CEL_TYPE_TIMESTAMP, "timestamp");
SIMPLE(fx_cel_type_type, FX_CEL_TYPE_TYPE, "type");
SIMPLE(fx_cel_t, FX_CEL_TYPE_PARAMETER, "T");
SIMPLE(fx_cel_k, FX_CEL_TYPE_PARAMETER, "K");
SIMPLE(fx_cel_v, FX_CEL_TYPE_PARAMETER, "V");

#define LIST(variable, element)           \
    const struct fx_cel_type variable = { \
        .kind = FX_CEL_TYPE_LIST,         \
        .name = "list",                   \
        .params = {&(element)},           \
    }
#define MAP(variable, key, value)         \
    const struct fx_cel_type variable = { \
        .kind = FX_CEL_TYPE_MAP,          \
        .name = "map",                    \
        .params = {&(key), &(value)},     \
    }
#define OPTIONAL(variable, inner)         \
    const struct fx_cel_type variable = { \
        .kind = FX_CEL_TYPE_OPTIONAL,     \
        .name = "optional_type",          \
        .params = {&(inner)},             \
    }

LIST(fx_cel_list_dyn, fx_cel_dyn);
LIST(fx_cel_list_t, fx_cel_t);
LIST(fx_cel_list_list_t, fx_cel_list_t);
LIST(fx_cel_list_string, fx_cel_string);
LIST(fx_cel_list_int, fx_cel_int);
LIST(fx_cel_list_uint, fx_cel_uint);
LIST(fx_cel_list_double, fx_cel_double);
LIST(fx_cel_list_bool, fx_cel_bool);
LIST(fx_cel_list_bytes, fx_cel_bytes);
LIST(fx_cel_list_duration, fx_cel_duration);
LIST(fx_cel_list_timestamp, fx_cel_timestamp);
MAP(fx_cel_map_dyn, fx_cel_dyn, fx_cel_dyn);
MAP(fx_cel_map_kv, fx_cel_k, fx_cel_v);
MAP(fx_cel_map_string_list_string, fx_cel_string, fx_cel_list_string);
MAP(fx_cel_map_string_dyn, fx_cel_string, fx_cel_dyn);
OPTIONAL(fx_cel_optional_dyn, fx_cel_dyn);
OPTIONAL(fx_cel_optional_t, fx_cel_t);
OPTIONAL(fx_cel_optional_v, fx_cel_v);
OPTIONAL(fx_cel_optional_list_t, fx_cel_list_t);
OPTIONAL(fx_cel_optional_map_kv, fx_cel_map_kv);
OPTIONAL(fx_cel_optional_list_string, fx_cel_list_string);
LIST(fx_cel_list_optional_t, fx_cel_optional_t);

const struct fx_cel_type fx_cel_type_t = {
    .kind = FX_CEL_TYPE_TYPE,
    .name = "type",
    .params = {&fx_cel_t},
};

const struct fx_cel_type fx_cel_object = {
    .kind = FX_CEL_TYPE_STRUCT,
    .name = "Object",
};

static const struct fx_cel_field json_patch_fields[] = {
    {"op", &fx_cel_string},
    {"path", &fx_cel_string},
    {"from", &fx_cel_string},
    {"value", &fx_cel_dyn},
    {NULL, NULL},
};

const struct fx_cel_type fx_cel_json_patch = {
    .kind = FX_CEL_TYPE_STRUCT,
    .name = "JSONPatch",
    .fields = json_patch_fields,
};
LIST(fx_cel_list_json_patch, fx_cel_json_patch);

/* A copy in the arena; NULL without memory. */
static const struct fx_cel_type *type_new(struct fx_arena *arena,
                                          struct fx_cel_type type) {
    struct fx_cel_type *made = fx_arena_alloc(arena, sizeof *made);
    if (made != NULL) {
        *made = type;
    }
    return made;
}

const struct fx_cel_type *fx_cel_type_of_type(struct fx_arena *arena,
                                              const struct fx_cel_type *type) {
    return type_new(
        arena,
        (struct fx_cel_type){.kind = FX_CEL_TYPE_TYPE, .name = "type", .params = {type}});
}

const struct fx_cel_type *fx_cel_list_of(struct fx_arena *arena,
                                         const struct fx_cel_type *element) {
    return type_new(arena, (struct fx_cel_type){.kind = FX_CEL_TYPE_LIST,
                                                .name = "list",
                                                .params = {element}});
}

const struct fx_cel_type *fx_cel_map_of(struct fx_arena *arena,
                                        const struct fx_cel_type *key,
                                        const struct fx_cel_type *value) {
    return type_new(arena, (struct fx_cel_type){.kind = FX_CEL_TYPE_MAP,
                                                .name = "map",
                                                .params = {key, value}});
}

const struct fx_cel_type *fx_cel_optional_of(struct fx_arena *arena,
                                             const struct fx_cel_type *inner) {
    return type_new(arena, (struct fx_cel_type){.kind = FX_CEL_TYPE_OPTIONAL,
                                                .name = "optional_type",
                                                .params = {inner}});
}

/* Equality down to a nesting that no type of an expression has. */
static bool is_equal_to(const struct fx_cel_type *a, const struct fx_cel_type *b,
                        unsigned nesting) {
    if (a == b) {
        return true;
    }
    if (a == NULL || b == NULL || a->kind != b->kind || a->id != b->id ||
        nesting == FX_LIMIT_CEL_TYPE_DEPTH || !fx_spend(1)) {
        return false;
    }
    if (a->kind < FX_CEL_TYPE_TYPE) {
        return true; /* the wrapper of a type is the same type */
    }
    if (strcmp(a->name, b->name) != 0) {
        return false;
    }
    return is_equal_to(a->params[0], b->params[0], nesting + 1) &&
           is_equal_to(a->params[1], b->params[1], nesting + 1);
}

bool fx_cel_type_equal(const struct fx_cel_type *a, const struct fx_cel_type *b) {
    return is_equal_to(a, b, 0);
}
