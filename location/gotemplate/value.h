/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/value.h - the values that a template computes with, as Go's
 * interface{} holds them. All memory is in the arena of one execution.
 *
 * A function that takes a `struct template_run` (run.h) has set run->err if it returns
 * false or NULL.
 */
#ifndef FX_LOCATION_GOTEMPLATE_VALUE_H
#define FX_LOCATION_GOTEMPLATE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

struct template_run;
struct value;

/* MISSING is Go's zero reflect.Value, the result for a key that does not exist; NIL is
 * nil. Both print `<no value>`, and `<nil>` inside another value. */
enum template_value_kind {
    VALUE_MISSING,
    VALUE_NIL,
    VALUE_BOOL,
    VALUE_INT,     /* Go int: literals ('c' too), len */
    VALUE_INT64,   /* int64: add, int64 */
    VALUE_UINT64,  /* uint64: the numbers of a version; never beyond INT64_MAX */
    VALUE_FLOAT64, /* every number of a document */
    VALUE_STRING,
    VALUE_LIST,
    VALUE_MAP,
    VALUE_OBJECT, /* of a type that functions define: time.Time */
    VALUE_STRUCT, /* the context, which has fields, not keys */
};

/* A type that functions define, and the operations that the language needs. */
struct object_type {
    const char *name, *kind; /* what %T prints; reflect.Kind */
    /* Returns the number of bytes of text in the object, which is the price of printing
     * it. */
    size_t (*size)(const void *object);
    /* Appends the object as %v prints it. */
    void (*print)(struct fx_buf *buf, const void *object);
    /* Compare as == and as reflect.DeepEqual do. */
    bool (*equal)(const void *a, const void *b);
    bool (*deep_equal)(const void *a, const void *b);
    /* Gets a field, or calls a method without arguments (`.Year`). False if it does not
     * exist. */
    bool (*member)(const void *object, struct fx_text name, struct value *ret_value);
};

struct value {
    enum template_value_kind kind;
    bool boxed; /* an interface{} in Go (an element, an entry); for the interpreter */
    union {
        bool boolean;
        int64_t integer;
        double number;
        struct fx_text string;
        struct template_list *list;
        struct map *map;
        struct context *context;
        struct {
            const struct object_type *type;
            const void *data; /* in the arena */
        } object;
    };
};

/* The names of Go's types, compared as text. */
#define TYPE_LIST    "[]interface {}"
#define TYPE_STRINGS "[]string"
#define TYPE_INTS    "[]int"
#define TYPE_LISTS   "[][]interface {}"
#define TYPE_MAP     "map[string]interface {}"
#define TYPE_TEXTS   "map[string]string"

/* A slice; `type` is the name of its Go type. A list does not change after it is made. */
struct template_list {
    const char *type;
    size_t n;
    struct value *values;
};

struct map_entry {
    struct fx_text key;
    struct value value;
};

/* A map, which can be changed in place (set, merge). The entries are sorted by key. A
 * map that represents an object of the document is filled, one level deep, when it is
 * first read: see value_map_fill(). */
struct map {
    json_t *source; /* the object, not read yet; NULL if `entries` are valid */
    bool integers;  /* integers of `source` are Go ints */
    bool nil;       /* a nil map, which can be read but not written */
    bool lent;      /* an iteration uses `entries`; they must be copied before a change */
    const char *type; /* TYPE_MAP, TYPE_TEXTS */
    size_t n, capacity;
    struct map_entry *entries;
};

/* The context, a struct in Go. `{{ . }}` prints the fields in this order. */
struct context {
    size_t n;
    struct context_field {
        struct fx_text name;
        struct value value;
    } *fields;
};

static inline struct value value_nil(void) {
    return (struct value){.kind = VALUE_NIL};
}

static inline struct value value_bool(bool boolean) {
    return (struct value){.kind = VALUE_BOOL, .boolean = boolean};
}

static inline struct value value_int(int64_t integer) {
    return (struct value){.kind = VALUE_INT, .integer = integer};
}

static inline struct value value_int64(int64_t integer) {
    return (struct value){.kind = VALUE_INT64, .integer = integer};
}

static inline struct value value_float64(double number) {
    return (struct value){.kind = VALUE_FLOAT64, .number = number};
}

/* Makes a string. Its bytes are borrowed from the arena, the template or the document. */
static inline struct value value_string(struct fx_text string) {
    return (struct value){.kind = VALUE_STRING, .string = string};
}

static inline struct value value_list(struct template_list *list) {
    return (struct value){.kind = VALUE_LIST, .list = list};
}

static inline struct value value_map(struct map *map) {
    return (struct value){.kind = VALUE_MAP, .map = map};
}

static inline struct value value_object(const struct object_type *type,
                                        const void *data) {
    return (struct value){.kind = VALUE_OBJECT, .object = {type, data}};
}

/* True for NIL and MISSING. */
static inline bool value_is_nil(const struct value *value) {
    return value->kind == VALUE_MISSING || value->kind == VALUE_NIL;
}

/* True for the kinds whose value is in `integer`. */
static inline bool value_is_integer(const struct value *value) {
    return value->kind == VALUE_INT || value->kind == VALUE_INT64 ||
           value->kind == VALUE_UINT64;
}

/* Converts a node of the document: MISSING for NULL, NIL for null. */
bool value_of_json(struct template_run *run, json_t *node, bool integers,
                   struct value *ret_value) FX_MUST_USE;

/* Makes an []interface{} of n zero values; the caller may change its `type`. */
struct template_list *value_list_new(struct template_run *run, size_t n) FX_MUST_USE;

/* Makes a []string of n values, which the caller sets. */
struct template_list *value_strings_new(struct template_run *run, size_t n) FX_MUST_USE;

/* Makes an empty map[string]interface{}; the caller may change its `type`. */
struct map *value_map_new(struct template_run *run) FX_MUST_USE;

/* Sorts the entries after they were written in any order. Each key occurs once. */
bool value_map_sort(struct template_run *run, struct map *map) FX_MUST_USE;

/* Fills `entries` and `n`, and must be called before they are read. */
bool value_map_fill(struct template_run *run, struct map *map) FX_MUST_USE;

/* Gets the value of `key`; MISSING if there is none. */
bool value_map_get(struct template_run *run, struct map *map, struct fx_text key,
                   struct value *ret_value) FX_MUST_USE;

/* Adds or replaces an entry; the key is borrowed. MISSING is stored as nil. Errors: those
 * of run.h, and FX_EMUTATE for a nil map. */
bool value_map_put(struct template_run *run, struct map *map, struct fx_text key,
                   struct value value) FX_MUST_USE;

/* Removes the entry if it exists. */
bool value_map_remove(struct template_run *run, struct map *map,
                      struct fx_text key) FX_MUST_USE;

/* Copies the map; the copy shares the values. */
struct map *value_map_copy(struct template_run *run, struct map *map) FX_MUST_USE;

/* Returns the length of a list, map or string; 0 for other values. */
size_t value_length(const struct value *value);

/* True for a value that `if` takes as true. Sprig takes all other values as empty. */
bool value_is_true(const struct value *value);

/* Compares as reflect.DeepEqual does: types must be equal, too; MISSING equals NIL.
 * Each pair of values costs one unit. */
bool value_deep_equal(struct template_run *run, const struct value *a,
                      const struct value *b, bool *ret_equal) FX_MUST_USE;

/* Returns what %T prints: `float64`, `[]interface {}`, `<nil>`. */
const char *value_type_name(const struct value *value);

/* Returns the name of the reflect.Kind: `float64`, `slice`, `map`, `struct`, `invalid`.
 */
const char *value_kind_name(const struct value *value);

/* Appends the value as %v prints it: `map[a:1 b:[x <nil>]]`, `1e+06`. A failure to append
 * is kept in `buf`. False if another limit is exceeded. */
bool value_print(struct template_run *run, struct fx_buf *buf,
                 const struct value *value) FX_MUST_USE;

/* Gets the text of a value as Sprig's toString does. The text of a string is borrowed;
 * any other value is printed to the arena. */
bool value_text(struct template_run *run, const struct value *value,
                struct fx_text *ret_text) FX_MUST_USE;

#endif
