/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/type.h - the types of CEL (spec/cel.md sections 2, 7 and 8).
 *
 * A type is immutable. Those without parameters are constants of the program; lists, maps
 * and the like that the checker makes live in the arena of their expression.
 */
#ifndef FX_LOCATION_CEL_TYPE_H
#define FX_LOCATION_CEL_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

enum fx_cel_type_kind {
    FX_CEL_TYPE_DYN,
    FX_CEL_TYPE_ERROR, /* of an expression with an error: assignable to and from all */
    FX_CEL_TYPE_NULL,
    FX_CEL_TYPE_BOOL,
    FX_CEL_TYPE_INT,
    FX_CEL_TYPE_UINT,
    FX_CEL_TYPE_DOUBLE,
    FX_CEL_TYPE_STRING,
    FX_CEL_TYPE_BYTES,
    FX_CEL_TYPE_DURATION,
    FX_CEL_TYPE_TIMESTAMP,
    FX_CEL_TYPE_TYPE,      /* type(T): params[0], or none */
    FX_CEL_TYPE_LIST,      /* list(T) */
    FX_CEL_TYPE_MAP,       /* map(K, V) */
    FX_CEL_TYPE_OPTIONAL,  /* optional_type(T) */
    FX_CEL_TYPE_OPAQUE,    /* of a library: kubernetes.Quantity, net.IP */
    FX_CEL_TYPE_STRUCT,    /* with named fields: Object.spec, JSONPatch, request */
    FX_CEL_TYPE_PARAMETER, /* T, K, V of an overload, or a free type of the checker */
};

struct fx_cel_field;

struct fx_cel_type {
    enum fx_cel_type_kind kind;
    /* As messages print it: "int", "kubernetes.Quantity", "Object.spec"; of a parameter
     * its letter. */
    const char *name;
    const struct fx_cel_type *params[2];
    /* Of a struct: its fields, `name` NULL ends; NULL: it may have any field, of type dyn
     * (Object and the types below it). Of a map(string, dyn) that is an object with a
     * schema: the fields that it may have. To select another one is a fault; everything
     * else is as for any map. Equality and assignability ignore them. */
    const struct fx_cel_field *fields;
    unsigned id; /* of a free type of the checker; 0: a parameter of an overload */
};

/* A field of a struct type. */
struct fx_cel_field {
    const char *name;
    const struct fx_cel_type *type;
};

extern const struct fx_cel_type fx_cel_dyn, fx_cel_error_type, fx_cel_null_type,
    fx_cel_bool, fx_cel_int, fx_cel_uint, fx_cel_double, fx_cel_string, fx_cel_bytes,
    fx_cel_duration, fx_cel_timestamp;
/* `type`, and the types with parameters or with dyn in their place. */
extern const struct fx_cel_type fx_cel_type_type, fx_cel_type_t, fx_cel_list_dyn,
    fx_cel_map_dyn, fx_cel_optional_dyn;
/* For overloads: the parameters T, K, V; list(T), map(K, V), optional_type(T), … */
extern const struct fx_cel_type fx_cel_t, fx_cel_k, fx_cel_v, fx_cel_list_t,
    fx_cel_list_list_t, fx_cel_list_string, fx_cel_list_int, fx_cel_list_uint,
    fx_cel_list_double, fx_cel_list_bool, fx_cel_list_bytes, fx_cel_list_duration,
    fx_cel_list_timestamp, fx_cel_map_kv, fx_cel_optional_t, fx_cel_optional_v,
    fx_cel_optional_list_t, fx_cel_optional_map_kv, fx_cel_list_optional_t,
    fx_cel_optional_list_string, fx_cel_map_string_list_string, fx_cel_map_string_dyn;
/* Of mutation expressions (spec/mutating-admission-policy.md section 7). */
extern const struct fx_cel_type fx_cel_object, fx_cel_json_patch, fx_cel_list_json_patch;

/* New types in the arena; NULL without memory. */
const struct fx_cel_type *fx_cel_list_of(struct fx_arena *arena,
                                         const struct fx_cel_type *element) FX_MUST_USE;
const struct fx_cel_type *fx_cel_map_of(struct fx_arena *arena,
                                        const struct fx_cel_type *key,
                                        const struct fx_cel_type *value) FX_MUST_USE;
const struct fx_cel_type *fx_cel_optional_of(struct fx_arena *arena,
                                             const struct fx_cel_type *inner) FX_MUST_USE;

/* type(T), the type of the name of a type. */
const struct fx_cel_type *fx_cel_type_of_type(struct fx_arena *arena,
                                              const struct fx_cel_type *type) FX_MUST_USE;

/* Are they the same type? Parameters by name or id. Spends from the thread's budget. */
bool fx_cel_type_equal(const struct fx_cel_type *a, const struct fx_cel_type *b);

/* Appends the type as the messages of the checker print it: "list(int)", "timestamp"; a
 * free type of the checker as "_var0". FX_LIMIT_CEL_TYPE_BYTES at most, and so below. */
void fx_cel_type_print(struct fx_buf *buf, const struct fx_cel_type *type);

/* Appends it as "must evaluate to … but got …" does: "null_type",
 * "google.protobuf.Timestamp", "list(dyn)". */
void fx_cel_type_print_long(struct fx_buf *buf, const struct fx_cel_type *type);

/* The name alone, as messages of a run print it: "list", "google.protobuf.Timestamp". */
const char *fx_cel_type_long_name(const struct fx_cel_type *type);

/* Reads a type as the conformance cases write it: "map(string, list(int))",
 * "optional(int)", "dyn". NULL for any other text, or without memory. */
const struct fx_cel_type *fx_cel_type_parse(struct fx_arena *arena,
                                            struct fx_text text) FX_MUST_USE;

#endif
