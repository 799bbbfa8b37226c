/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/value.h - private: the values that a template computes with: what
 * Go's interface{} would hold. All memory is that of one execution's arena.
 *
 * What can run out of memory or go over a bound takes the `struct template_run` (run.h)
 * and has filled its error when it says false or NULL: the caller only returns false.
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

/* MISSING is the zero reflect.Value of a key that is not there; NIL is nil. Both print
 * `<no value>` by themselves and `<nil>` inside of others. */
enum value_kind {
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
    VALUE_OBJECT, /* of a type that functions bring along: time.Time */
    VALUE_STRUCT, /* the context: fields, not keys */
};

/* A type that functions bring along, and what the language does with its objects. */
struct object_type {
    const char *name, *kind; /* what %T prints; reflect.Kind */
    /* The bytes of text that it holds, which printing it costs. */
    size_t (*size)(const void *object);
    /* Appends its own text, which %v prints. */
    void (*print)(struct fx_buf *buf, const void *object);
    /* ==, and reflect.DeepEqual. */
    bool (*equal)(const void *a, const void *b);
    bool (*deep_equal)(const void *a, const void *b);
    /* A field, or a method without arguments (`.Year`); false: there is none. */
    bool (*member)(const void *object, struct fx_text name, struct value *ret_value);
};

struct value {
    enum value_kind kind;
    bool boxed; /* the interpreter's: Go knows it as interface{} (an element, an entry) */
    union {
        bool boolean;
        int64_t integer;
        double number;
        struct fx_text string;
        struct list *list;
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

/* A slice of that type. Lists are never changed once they are made. */
struct list {
    const char *type;
    size_t n;
    struct value *values;
};

struct map_entry {
    struct fx_text key;
    struct value value;
};

/* map[string]interface{}: has an identity, and can be changed in place (set, merge). The
 * entries are sorted by key. A map that stands for an object of the document is filled
 * one level deep when it is first looked into: see value_map_fill(). */
struct map {
    json_t *source;   /* not looked into yet; NULL: `entries` are true */
    bool integers;    /* of the source: its integers are Go ints */
    bool nil;         /* a nil map: it can be read, not written */
    bool lent;        /* somebody walks the entries: who changes them copies them first */
    const char *type; /* TYPE_MAP, TYPE_TEXTS */
    size_t n, capacity;
    struct map_entry *entries;
};

/* A struct: what `$` is at first. `{{ . }}` prints the values in this order. */
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

/* The bytes are borrowed: of the arena, of the template or of the document. */
static inline struct value value_string(struct fx_text string) {
    return (struct value){.kind = VALUE_STRING, .string = string};
}

static inline struct value value_list(struct list *list) {
    return (struct value){.kind = VALUE_LIST, .list = list};
}

static inline struct value value_map(struct map *map) {
    return (struct value){.kind = VALUE_MAP, .map = map};
}

static inline struct value value_object(const struct object_type *type,
                                        const void *data) {
    return (struct value){.kind = VALUE_OBJECT, .object = {type, data}};
}

/* nil or missing? */
static inline bool value_is_nil(const struct value *value) {
    return value->kind == VALUE_MISSING || value->kind == VALUE_NIL;
}

/* int, int64, uint64: `integer` holds it. */
static inline bool value_is_integer(const struct value *value) {
    return value->kind == VALUE_INT || value->kind == VALUE_INT64 ||
           value->kind == VALUE_UINT64;
}

/* The value that a node of the document stands for. MISSING for NULL, NIL for null. */
bool value_of_json(struct template_run *run, json_t *node, bool integers,
                   struct value *ret_value) FX_MUST_USE;

/* An []interface{} of n values, to be filled in; its `type` may be changed. */
struct list *value_list_new(struct template_run *run, size_t n) FX_MUST_USE;

/* An empty map[string]interface{}; its `type` may be changed. */
struct map *value_map_new(struct template_run *run) FX_MUST_USE;

/* Sorts entries that were written in any order; no key comes twice. */
bool value_map_sort(struct template_run *run, struct map *map) FX_MUST_USE;

/* Makes `entries` and `n` true: before they are looked at, call this once. */
bool value_map_fill(struct template_run *run, struct map *map) FX_MUST_USE;

/* The entry; MISSING where there is none. */
bool value_map_get(struct template_run *run, struct map *map, struct fx_text key,
                   struct value *ret_value) FX_MUST_USE;

/* Adds the entry or replaces it; the key is borrowed. MISSING is put as nil. Errors:
 * FX_EMUTATE, too, for a nil map. */
bool value_map_put(struct template_run *run, struct map *map, struct fx_text key,
                   struct value value) FX_MUST_USE;

/* Takes the entry out, if there is one. */
bool value_map_remove(struct template_run *run, struct map *map,
                      struct fx_text key) FX_MUST_USE;

/* A copy that shares the values. */
struct map *value_map_copy(struct template_run *run, struct map *map) FX_MUST_USE;

/* len(): of lists, maps and strings; 0 of others. */
size_t value_length(const struct value *value);

/* Is it true to `if`? That is also: not empty to Sprig. */
bool value_is_true(const struct value *value);

/* reflect.DeepEqual: types must agree, too; missing is nil. Each pair costs a step. */
bool value_deep_equal(struct template_run *run, const struct value *a,
                      const struct value *b, bool *ret_equal) FX_MUST_USE;

/* What %T prints: `float64`, `[]interface {}`, `<nil>`. */
const char *value_type_name(const struct value *value);

/* reflect.Kind: `float64`, `slice`, `map`, `struct`, `invalid`. */
const char *value_kind_name(const struct value *value);

/* Appends the value as %v does: `map[a:1 b:[x <nil>]]`, `1e+06`, `1h0m0s`. Failure to
 * append sticks in `buf`; false over another bound. */
bool value_print(struct template_run *run, struct fx_buf *buf,
                 const struct value *value) FX_MUST_USE;

/* The text of a value as Sprig's toString has it: that of a string is the string itself,
 * which is borrowed then; else a copy in the arena. */
bool value_text(struct template_run *run, const struct value *value,
                struct fx_text *ret_text) FX_MUST_USE;

#endif
