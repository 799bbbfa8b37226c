/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/value.h - the values of CEL expressions (spec/cel.md sections 3, 4 and
 * 10).
 *
 * A value is 24 bytes and is passed by value. What it points to is borrowed from the
 * object's tree, from the program, or from the arena of the evaluation, so a value is
 * valid until one of these goes. Lists and maps of the object's tree are not copied:
 * their values have the flag FX_CEL_IN_TREE.
 */
#ifndef FX_LOCATION_CEL_VALUE_H
#define FX_LOCATION_CEL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/cel/type.h"

struct fx_cel_run;
struct fx_cel_value;

enum fx_cel_kind {
    FX_CEL_UNSET, /* no value: a variable that is not computed yet */
    FX_CEL_ERROR,
    FX_CEL_NULL,
    FX_CEL_BOOL,
    FX_CEL_INT,
    FX_CEL_UINT,
    FX_CEL_DOUBLE,
    FX_CEL_STRING,
    FX_CEL_BYTES,
    FX_CEL_DURATION,
    FX_CEL_TIMESTAMP,
    FX_CEL_TYPE,
    FX_CEL_LIST,
    FX_CEL_MAP,
    FX_CEL_OPTIONAL,
    FX_CEL_STRUCT, /* Object{…}, JSONPatch{…} */
    FX_CEL_OPAQUE, /* of a library or of the caller */
};

/* Flags of a value. */
#define FX_CEL_IN_TREE 1u /* a list or map: `node` is valid, not `list` or `map` */
/* An error that nothing absorbs: the cost limit, no memory, the deadline, a missing
 * input. `run->err` has its code. */
#define FX_CEL_FATAL 2u
/* A list or map that a library function returned as a native one of Go (split(), findAll,
 * getQuery()): ApplyConfiguration refuses it (mutating-admission-policy.md section 18).
 */
#define FX_CEL_NATIVE 4u

#define FX_CEL_RUNES_UNKNOWN UINT32_MAX

struct fx_cel_list {
    size_t n, cap;
    struct fx_cel_value *items;
};

struct fx_cel_map_entry;

/* The entries in the order in which they were added. `slots` is a hash table of their
 * numbers, 0 for none, made when there are many entries; else NULL. */
struct fx_cel_map {
    size_t n, cap;
    struct fx_cel_map_entry *entries;
    uint32_t *slots;
    size_t n_slots;
};

struct fx_cel_struct;

/* What a library says about its opaque values. */
struct fx_cel_opaque_ops {
    const struct fx_cel_type *type;

    /* Are two values of this type equal? NULL: `==` is "no such overload", as it is with
     * a value of another type, null apart. */
    bool (*equal)(const void *a, const void *b);

    /* On the right of `==` the value fits nothing: "no such overload" (what add() and
     * sub() of quantities return, spec/cel.md section 10). */
    bool fits_no_left;

    /* The Go type of a value that cannot be a key of a map, "cel.Semver"; NULL: it can.
     */
    const char *unhashable;

    /* The field of this name, for values that are read like a struct (`variables`): the
     * value, or an error value; a value of kind FX_CEL_UNSET if there is no such field.
     * NULL: there are no fields. */
    struct fx_cel_value (*field)(struct fx_cel_run *run, const void *self,
                                 struct fx_text name);

    /* Appends the value as a text, for tests and explanations; string() and format() do
     * not use it. NULL: it has none. */
    void (*print)(const void *self, struct fx_buf *buf);
};

struct fx_cel_value {
    uint8_t kind; /* enum fx_cel_kind */
    uint8_t flags;
    uint32_t runes; /* of a string: its code points, or FX_CEL_RUNES_UNKNOWN */
    union {
        bool boolean;
        int64_t integer;
        uint64_t uinteger;
        double real;
        struct fx_text text; /* of a string or bytes */
        const char *error;   /* the message */
        int64_t duration;    /* in nanoseconds */
        struct {
            int64_t seconds;     /* since 1970-01-01T00:00:00Z */
            int32_t nanoseconds; /* 0 to 999,999,999 */
            int32_t offset;      /* of the zone that it is printed in, seconds */
        } timestamp;
        const struct fx_cel_type *type;
        const json_t *node; /* of a list or map in the tree */
        struct fx_cel_list *list;
        struct fx_cel_map *map;
        const struct fx_cel_value *inner; /* of an optional; NULL: optional.none() */
        struct fx_cel_struct *structure;
        struct {
            const struct fx_cel_opaque_ops *ops;
            const void *data;
        } opaque;
    };
};

struct fx_cel_map_entry {
    struct fx_cel_value key, value;
};

/* Object{…} or JSONPatch{…}: the type, and the fields that the expression sets. */
struct fx_cel_struct {
    const struct fx_cel_type *type;
    struct fx_cel_map fields; /* by string keys */
};

/* ---- making values ---------------------------------------------------------------- */

static inline struct fx_cel_value fx_cel_make_null(void) {
    return (struct fx_cel_value){.kind = FX_CEL_NULL};
}

static inline struct fx_cel_value fx_cel_make_bool(bool boolean) {
    return (struct fx_cel_value){.kind = FX_CEL_BOOL, .boolean = boolean};
}

static inline struct fx_cel_value fx_cel_make_int(int64_t integer) {
    return (struct fx_cel_value){.kind = FX_CEL_INT, .integer = integer};
}

static inline struct fx_cel_value fx_cel_make_uint(uint64_t uinteger) {
    return (struct fx_cel_value){.kind = FX_CEL_UINT, .uinteger = uinteger};
}

static inline struct fx_cel_value fx_cel_make_double(double real) {
    return (struct fx_cel_value){.kind = FX_CEL_DOUBLE, .real = real};
}

/* A string of UTF-8, borrowed. */
static inline struct fx_cel_value fx_cel_make_string(struct fx_text text) {
    return (struct fx_cel_value){
        .kind = FX_CEL_STRING, .runes = FX_CEL_RUNES_UNKNOWN, .text = text};
}

static inline struct fx_cel_value fx_cel_make_bytes(struct fx_text text) {
    return (struct fx_cel_value){.kind = FX_CEL_BYTES, .text = text};
}

static inline struct fx_cel_value fx_cel_make_duration(int64_t nanoseconds) {
    return (struct fx_cel_value){.kind = FX_CEL_DURATION, .duration = nanoseconds};
}

static inline struct fx_cel_value fx_cel_make_type(const struct fx_cel_type *type) {
    return (struct fx_cel_value){.kind = FX_CEL_TYPE, .type = type};
}

static inline struct fx_cel_value fx_cel_make_opaque(const struct fx_cel_opaque_ops *ops,
                                                     const void *data) {
    return (struct fx_cel_value){.kind = FX_CEL_OPAQUE,
                                 .opaque = {.ops = ops, .data = data}};
}

/* The value of a node of a JSON tree, borrowed. `node` is not NULL. The second form sets
 * *ret to it. */
struct fx_cel_value fx_cel_make_node(const json_t *node);
void fx_cel_set_node(struct fx_cel_value *ret, const json_t *node);

/* ---- lists and maps, of either form ----------------------------------------------- */

size_t fx_cel_list_size(struct fx_cel_value list);

/* The element at an index below the size. */
struct fx_cel_value fx_cel_list_at(struct fx_cel_value list, size_t index);

size_t fx_cel_map_size(struct fx_cel_value map);

/* Finds the value of the key. The key of its own kind comes first; then an integer finds
 * the other kind of integer, and a double an integer, with the same value. False if the
 * map does not have it. */
bool fx_cel_map_find(struct fx_cel_value map, struct fx_cel_value key,
                     struct fx_cel_value *ret_value);

/* The same for a string key. */
bool fx_cel_map_find_text(struct fx_cel_value map, struct fx_text key,
                          struct fx_cel_value *ret_value);

/* A walk over the entries of a map in their order. */
struct fx_cel_map_walk {
    const struct fx_cel_map *map;
    size_t next;
    const json_t *node;
    void *iter;
};

void fx_cel_map_walk_start(struct fx_cel_map_walk *walk, struct fx_cel_value map);

/* The next entry; false at the end. */
bool fx_cel_map_walk_next(struct fx_cel_map_walk *walk,
                          struct fx_cel_map_entry *ret_entry);

/* ---- comparing -------------------------------------------------------------------- */

/* Equality of CEL: numbers of all types by value, an integer and a double as doubles; NaN
 * equals nothing, values of other types are not equal. Spends from the thread's budget; a
 * caller that loops checks the budget. */
bool fx_cel_equal(struct fx_cel_value a, struct fx_cel_value b);

/* Orders two numbers, strings, bytes, bools, timestamps or durations: negative, 0 or
 * positive. False if they cannot be ordered (other types, NaN). */
bool fx_cel_compare(struct fx_cel_value a, struct fx_cel_value b, int *ret_order);

/* The type of a value as type() returns it: list, map and the like without parameters. */
const struct fx_cel_type *fx_cel_type_of(struct fx_cel_value value);

/* The name of the type of a value as run-time messages print it: "int", "list",
 * "google.protobuf.Timestamp". */
const char *fx_cel_type_name(struct fx_cel_value value);

/* The name that Go gives the type of a value: "types.Int", "types.Null". */
const char *fx_cel_go_type_name(struct fx_cel_value value);

/* The code points of a string value; counted once if the value is remembered. */
size_t fx_cel_count_runes(struct fx_cel_value string);

static inline bool fx_cel_is_error(struct fx_cel_value value) {
    return value.kind == FX_CEL_ERROR;
}

static inline bool fx_cel_is_true(struct fx_cel_value value) {
    return value.kind == FX_CEL_BOOL && value.boolean;
}

#endif
