/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/functions.h - private: the tables of Sprig's functions, by the sections
 * of its manual. Each ends with a NULL name.
 */
#ifndef FX_LOCATION_SPRIG_FUNCTIONS_H
#define FX_LOCATION_SPRIG_FUNCTIONS_H

#include <string.h>

#include "location/gotemplate/function.h"

extern const struct function functions_strings[];
extern const struct function functions_case[];
extern const struct function functions_split[]; /* strings and lists: split, join, … */
extern const struct function functions_integers[];
extern const struct function functions_floats[];
extern const struct function functions_defaults[]; /* defaults, reflection, flow */
extern const struct function functions_json[];
extern const struct function functions_lists[];
extern const struct function functions_dicts[];
extern const struct function functions_dates[];
extern const struct function functions_regex[];
extern const struct function functions_encoding[]; /* base32, base64, hashes, paths */
extern const struct function functions_urls[];
extern const struct function functions_semver[];

/* A row of a table: name, call, price, types of the parameters. The last parameter of a
 * VARIADIC function repeats. */
#define FUNCTION(name, call, price, ...) VARIANT(name, call, 0, price, __VA_ARGS__)
#define VARIADIC(name, call, price, ...) \
    VARIADIC_VARIANT(name, call, 0, price, __VA_ARGS__)

/* The same for one of several functions with the same `call`; `variant` tells them
 * apart. */
#define VARIANT(name, call, variant, price, ...) \
    {name, call, {__VA_ARGS__, PARAMETER_NONE}, false, price, NULL, variant}
#define VARIADIC_VARIANT(name, call, variant, price, ...) \
    {name, call, {__VA_ARGS__, PARAMETER_NONE}, true, price, NULL, variant}

/* Two rows that differ only in the name. `row` is one of the macros above. */
#define WITH_MUST(row, name, must_name, ...) \
    row(name, __VA_ARGS__), row(must_name, __VA_ARGS__)

#define ANY     PARAMETER_ANY
#define STRING  PARAMETER_STRING
#define INT     PARAMETER_INT
#define FLOAT64 PARAMETER_FLOAT64
#define BOOL    PARAMETER_BOOL
#define MAP     PARAMETER_MAP
#define TIME    PARAMETER_TIME
#define NONE    PARAMETER_NONE

/* The types of the objects that functions return: `struct fx_go_time`, `struct
 * semantic_version`. */
extern const struct object_type time_type;
extern const struct object_type version_type;

/* Go's message if the type of nil is needed. */
#define PANIC_NIL "runtime error: invalid memory address or nil pointer dereference"

/* True for the `must` function of a pair, which reports an error; the other one hides
 * it. */
static inline bool is_must(const struct template_call *call) {
    return strncmp(call->function->name, "must", 4) == 0;
}

/* Returns the argument, which is a string. */
static inline struct fx_text argument_text(const struct template_call *call, size_t i) {
    return call->arguments[i].string;
}

/* Returns the argument, which is an int. */
static inline int64_t argument_int(const struct template_call *call, size_t i) {
    return call->arguments[i].integer;
}

/* Returns a string. The bytes must outlive the call. */
static inline bool return_text(struct template_call *call, struct fx_text text) {
    *call->ret = value_string(text);
    return true;
}

static inline bool return_bool(struct template_call *call, bool boolean) {
    *call->ret = value_bool(boolean);
    return true;
}

/* Returns the list; false for NULL. */
static inline bool return_list(struct template_call *call, struct template_list *list) {
    if (list != NULL) {
        *call->ret = value_list(list);
    }
    return list != NULL;
}

/* Returns the map; false for NULL. */
static inline bool return_map(struct template_call *call, struct map *map) {
    if (map != NULL) {
        *call->ret = value_map(map);
    }
    return map != NULL;
}

/* Returns the bytes from `from` up to `to`. */
static inline struct fx_text text_between(struct fx_text text, size_t from, size_t to) {
    return to == from ? FX_TEXT("") : (struct fx_text){text.data + from, to - from};
}

/* ---- conversions: a value that cannot be converted gives 0 ------------------------ */

/* Converts to an integer. Floats are truncated, texts are parsed in the base of their
 * prefix, bool gives 0 or 1. */
int64_t value_to_int64(const struct value *value);

/* Converts to a float. Texts are parsed with strconv.ParseFloat. */
bool value_to_float64(struct template_run *run, const struct value *value,
                      double *ret_number) FX_MUST_USE;

/* Makes a []string. A list gives the texts of its elements that are not nil; nil gives an
 * empty list; any other value gives one text. */
bool value_to_strings(struct template_run *run, const struct value *value,
                      struct template_list **ret_list) FX_MUST_USE;

/* ---- searching --------------------------------------------------------------------- */

/* A search for a text in linear time, even for repetitive texts (Knuth, Morris and Pratt,
 * 1977). */
struct text_finder {
    struct fx_text needle;
    size_t *borders; /* for each prefix of the needle, the length of its longest border */
};

#define FINDER_NONE SIZE_MAX

/* Prepares a search. The needle is borrowed, and must not be empty. */
bool finder_init(struct text_finder *finder, struct template_run *run,
                 struct fx_text needle) FX_MUST_USE;

/* Returns the offset of the next occurrence in the text at or after `from`, or
 * FINDER_NONE. */
size_t finder_next(const struct text_finder *finder, struct fx_text text, size_t from);

#endif
