/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/functions.h - private: the tables of Sprig's functions, by
 * the sections of its manual. Each ends with a NULL name.
 */
#ifndef FX_LOCATION_SPRIG_FUNCTIONS_H
#define FX_LOCATION_SPRIG_FUNCTIONS_H

#include "location/gotemplate/function.h"

extern const struct function functions_strings[];
extern const struct function functions_parts[]; /* of strings: trim, substr, … */
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
#define FUNCTION(name, call, price, ...) \
    {name, call, {__VA_ARGS__, PARAMETER_NONE}, false, price, NULL}
#define VARIADIC(name, call, price, ...) \
    {name, call, {__VA_ARGS__, PARAMETER_NONE}, true, price, NULL}

#define ANY     PARAMETER_ANY
#define STRING  PARAMETER_STRING
#define INT     PARAMETER_INT
#define FLOAT64 PARAMETER_FLOAT64
#define BOOL    PARAMETER_BOOL
#define MAP     PARAMETER_MAP
#define TIME    PARAMETER_TIME
#define NONE    PARAMETER_NONE

/* The types of objects that they return: `struct fx_go_time`, `struct
 * semantic_version`. */
extern const struct object_type time_type;
extern const struct object_type version_type;

/* Go's message where the type of nil is needed. */
#define PANIC_NIL "runtime error: invalid memory address or nil pointer dereference"

/* Returns the argument, which is a string. */
static inline struct fx_text argument_text(const struct call *call, size_t i) {
    return call->arguments[i].string;
}

/* Returns the argument, which is an int. */
static inline int64_t argument_int(const struct call *call, size_t i) {
    return call->arguments[i].integer;
}

/* Returns a string. The bytes must outlive the call. */
static inline bool return_text(struct call *call, struct fx_text text) {
    *call->ret = value_string(text);
    return true;
}

static inline bool return_bool(struct call *call, bool boolean) {
    *call->ret = value_bool(boolean);
    return true;
}

/* Returns the list; false for NULL. */
static inline bool return_list(struct call *call, struct list *list) {
    if (list != NULL) {
        *call->ret = value_list(list);
    }
    return list != NULL;
}

/* Returns the map; false for NULL. */
static inline bool return_map(struct call *call, struct map *map) {
    if (map != NULL) {
        *call->ret = value_map(map);
    }
    return map != NULL;
}

/* Returns the bytes from `from` up to `to`. */
static inline struct fx_text text_between(struct fx_text text, size_t from, size_t to) {
    return to == from ? FX_TEXT("") : (struct fx_text){text.data + from, to - from};
}

#endif
