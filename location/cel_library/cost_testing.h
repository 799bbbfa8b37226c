/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/cost_testing.h - for tests of cost: makes arguments for any
 * overload, of a shape and a size.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_COST_TESTING_H
#define FX_LOCATION_CEL_LIBRARY_COST_TESTING_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/shapes_testing.h"
#include "location/cel_library/authorizer.h"
#include "location/cel_library/kyverno.h"

/* Values that are no text, numbered after the shapes of texts. */
enum cel_cost_shape {
    CEL_COST_FIRST_VALUE = FX_N_SHAPES - 1,
    CEL_COST_TEXTS,      /* many of them, which differ at their ends */
    CEL_COST_SAME_TEXTS, /* a few long ones */
    CEL_COST_NESTED,
    CEL_COST_MAPS,
    CEL_COST_GREAT, /* numbers */
    CEL_COST_SMALL,
    CEL_COST_THIRDS,
    N_CEL_COST_SHAPES
};

static inline const char *cel_cost_shape_name(unsigned shape) {
    static const char *const values[] = {"texts", "same texts", "nested", "maps",
                                         "great", "small",      "thirds"};
    return shape < FX_N_SHAPES ? fx_shape_texts[shape].name : values[shape - FX_N_SHAPES];
}

#define CEL_COST_NESTING 900u
#define CEL_COST_ELEMENT 32u /* bytes of the size for an element of a list */
#define CEL_COST_LEVELS  4u  /* of calls that make an opaque value */

struct cel_cost_case {
    struct fx_cel_run *run;
    const struct fx_cel_overload *overload;
    unsigned shape;
    unsigned large;       /* bit i: the argument i has the size; the others are small */
    size_t size;          /* in bytes */
    struct fx_text given; /* a shape of the test; empty: none */
};

static inline struct fx_cel_value cel_cost_value(const struct cel_cost_case *of,
                                                 const struct fx_cel_type *type,
                                                 size_t size, size_t number);

/* ---- texts
 * ------------------------------------------------------------------------------- */

/* A text of the shape; of UTF-8, if it is to be a string. */
static inline struct fx_cel_value cel_cost_text(const struct cel_cost_case *of,
                                                size_t size, bool is_string) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    if (of->given.len > 0) {
        while (buf.len < size && !buf.failed) {
            fx_buf_text(&buf, of->given);
        }
    } else if (of->shape < FX_N_SHAPES) {
        fx_shape_add(&buf, (enum fx_shape)of->shape, size);
    }
    if (buf.len == 0 || (is_string && !fx_text_is_utf8(fx_buf_view(&buf)))) {
        fx_buf_reset(&buf);
        fx_buf_fill(&buf, 'a', size);
    }
    const struct fx_text text = {fx_arena_copy(of->run->arena, fx_buf_view(&buf)),
                                 buf.len};
    fx_buf_finish(&buf);
    return text.data == NULL ? fx_cel_no_memory(of->run)
           : is_string       ? fx_cel_make_string(text)
                             : fx_cel_make_bytes(text);
}

/* A text of the size that differs from others at its end only. */
static inline struct fx_cel_value cel_cost_name(const struct cel_cost_case *of,
                                                size_t size, size_t number,
                                                bool is_string) {
    const char *name = fx_arena_printf(of->run->arena, "%0*zu", (int)size, number);
    if (name == NULL) {
        return fx_cel_no_memory(of->run);
    }
    return is_string ? fx_cel_make_string(fx_text_of(name))
                     : fx_cel_make_bytes(fx_text_of(name));
}

/* ---- lists and maps
 * ---------------------------------------------------------------------- */

/* The number of elements, and the size of each. */
static inline size_t cel_cost_count(const struct cel_cost_case *of, size_t size,
                                    size_t *ret_each) {
    const bool is_long = of->shape == CEL_COST_SAME_TEXTS;
    *ret_each = is_long ? size / 8 + 1 : 8;
    return is_long ? 8 : size / CEL_COST_ELEMENT + 1;
}

static inline struct fx_cel_value cel_cost_list(const struct cel_cost_case *of,
                                                const struct fx_cel_type *element,
                                                size_t size) {
    size_t each = 0;
    const size_t n = cel_cost_count(of, size, &each);
    const struct fx_cel_value list = fx_cel_new_list(of->run, n);
    for (size_t i = 0; !fx_cel_is_error(list) && i < n; i++) {
        const struct fx_cel_value value =
            cel_cost_value(of, element, each, i * 7919 % 99991);
        if (fx_cel_is_error(value) || !fx_cel_list_add(of->run, list, value)) {
            return fx_cel_no_memory(of->run);
        }
    }
    return list;
}

static inline struct fx_cel_value cel_cost_map(const struct cel_cost_case *of,
                                               size_t size) {
    size_t each = 0;
    const size_t n = cel_cost_count(of, size, &each);
    const struct fx_cel_value map = fx_cel_new_map(of->run, n);
    for (size_t i = 0; !fx_cel_is_error(map) && i < n; i++) {
        const struct fx_cel_value key = cel_cost_name(of, each, i, true);
        if (fx_cel_is_error(key) ||
            !fx_cel_map_set(of->run, map, key, fx_cel_make_int((int64_t)i))) {
            return fx_cel_no_memory(of->run);
        }
    }
    return map;
}

static inline struct fx_cel_value cel_cost_nested(const struct cel_cost_case *of,
                                                  size_t size) {
    struct fx_cel_value value = fx_cel_make_null();
    const size_t depth = size < CEL_COST_NESTING ? size : CEL_COST_NESTING;
    for (size_t i = 0; i < depth; i++) {
        const struct fx_cel_value list = fx_cel_new_list(of->run, 1 + size / 900);
        for (size_t at = 0; !fx_cel_is_error(list) && at < 1 + size / 900; at++) {
            if (!fx_cel_list_add(of->run, list, at == 0 ? value : fx_cel_make_null())) {
                return fx_cel_no_memory(of->run);
            }
        }
        value = list;
    }
    return value;
}

/* Any value. */
static inline struct fx_cel_value cel_cost_dyn(const struct cel_cost_case *of,
                                               size_t size, size_t number) {
    switch (of->shape) {
    case CEL_COST_TEXTS:
    case CEL_COST_SAME_TEXTS: return cel_cost_name(of, size, number, true);
    case CEL_COST_NESTED: return cel_cost_nested(of, size);
    case CEL_COST_MAPS: return cel_cost_map(of, size);
    case CEL_COST_GREAT:
    case CEL_COST_SMALL:
    case CEL_COST_THIRDS: return cel_cost_value(of, &fx_cel_double, size, number);
    default: return cel_cost_text(of, size, true);
    }
}

/* ---- opaque values, which functions make
 * -------------------------------------------------- */

static inline bool cel_cost_review(void *context, struct fx_cel_run *run,
                                   const struct fx_cel_access_review *review,
                                   struct fx_cel_access_decision *ret_decision,
                                   struct fx_err *err) {
    (void)context;
    (void)run;
    (void)review;
    (void)err;
    *ret_decision = (struct fx_cel_access_decision){.access = FX_CEL_ACCESS_ALLOWED};
    return true;
}

static const struct fx_cel_authorizer cel_cost_authorizer = {.review = cel_cost_review};

/* A value, or none. */
static inline bool cel_cost_get(void *context, const struct fx_cel_kyverno_object *wanted,
                                json_t **ret_object, struct fx_err *err) {
    (void)context;
    (void)err;
    *ret_object = wanted->name.len % 2 == 0 ? json_true() : NULL;
    return true;
}

static const struct fx_cel_kyverno_reader cel_cost_reader = {.get = cel_cost_get};

static inline bool cel_cost_is_kyverno(const struct fx_cel_type *type) {
    return type == &fx_cel_kyverno_resource || type == &fx_cel_kyverno_http ||
           type == &fx_cel_kyverno_global_context || type == &fx_cel_kyverno_image_data;
}

/* Texts that some function reads, for texts of the shape that it does not. */
static const char *const cel_cost_samples[] = {
    "1.5Gi", "10.0.0.1", "10.0.0.0/8", "https://a.b/c?d=e", "1.2.3-rc.1", "default",
};

static inline struct fx_cel_value cel_cost_opaque(const struct cel_cost_case *of,
                                                  const struct fx_cel_type *type,
                                                  size_t size, unsigned levels);

/* Calls a function that makes a value of the type. */
static inline struct fx_cel_value cel_cost_made(const struct cel_cost_case *of,
                                                const struct fx_cel_overload *by,
                                                size_t size, unsigned levels) {
    struct fx_cel_value args[FX_CEL_MOST_ARGUMENTS];
    struct fx_cel_value made = {.kind = FX_CEL_ERROR};
    for (size_t i = 0; i < by->n_args; i++) {
        args[i] = by->args[i]->kind == FX_CEL_TYPE_OPAQUE
                      ? cel_cost_opaque(of, by->args[i], size, levels - 1)
                      : cel_cost_value(of, by->args[i], size, 0);
        if (fx_cel_is_error(args[i])) {
            return args[i];
        }
    }
    made = by->call(of->run, args);
    for (size_t i = 0; fx_cel_is_error(made) && i < FX_COUNT(cel_cost_samples); i++) {
        for (size_t at = 0; at < by->n_args; at++) {
            if (by->args[at]->kind == FX_CEL_TYPE_STRING) {
                args[at] = fx_cel_make_string(fx_text_of(cel_cost_samples[i]));
            }
        }
        made = by->call(of->run, args);
    }
    return made;
}

static inline struct fx_cel_value cel_cost_opaque(const struct cel_cost_case *of,
                                                  const struct fx_cel_type *type,
                                                  size_t size, unsigned levels) {
    struct fx_cel_value made = {.kind = FX_CEL_ERROR};
    if (type == &fx_cel_authorizer) {
        return fx_cel_make_authorizer(of->run, &cel_cost_authorizer);
    }
    if (cel_cost_is_kyverno(type)) {
        return fx_cel_make_kyverno_resource(&cel_cost_reader);
    }
    for (size_t i = 0; levels > 0 && fx_cel_kyverno_libraries[i] != NULL; i++) {
        const struct fx_cel_overload *by = fx_cel_kyverno_libraries[i];
        for (; by->function != NULL && fx_cel_is_error(made); by++) {
            if (by->result == type && by->call != NULL &&
                (by->n_args == 0 || by->args[0] != type)) {
                made = cel_cost_made(of, by, size, levels);
            }
        }
    }
    return made;
}

/* ---- values of a type
 * -------------------------------------------------------------------- */

static inline int64_t cel_cost_integer(const struct cel_cost_case *of, size_t size,
                                       size_t number) {
    switch (of->shape) {
    case CEL_COST_GREAT: return INT64_MAX - (int64_t)number;
    case CEL_COST_SMALL: return -(int64_t)number;
    case CEL_COST_TEXTS: return (int64_t)number;
    default: return (int64_t)size;
    }
}

static inline double cel_cost_real(const struct cel_cost_case *of, size_t number) {
    switch (of->shape) {
    case CEL_COST_GREAT: return DBL_MAX;
    case CEL_COST_SMALL: return 0x1.123456789p-1030;
    default: return (double)(number + 1) / 3;
    }
}

/* A value of the type; `number` distinguishes the elements of a list. An error if there
 * is none. */
static inline struct fx_cel_value cel_cost_value(const struct cel_cost_case *of,
                                                 const struct fx_cel_type *type,
                                                 size_t size, size_t number) {
    const bool has_names =
        of->shape == CEL_COST_TEXTS || of->shape == CEL_COST_SAME_TEXTS;
    switch (type->kind) {
    case FX_CEL_TYPE_BOOL: return fx_cel_make_bool(number % 2 == 0);
    case FX_CEL_TYPE_INT: return fx_cel_make_int(cel_cost_integer(of, size, number));
    case FX_CEL_TYPE_UINT:
        return fx_cel_make_uint((uint64_t)cel_cost_integer(of, size, number));
    case FX_CEL_TYPE_DOUBLE: return fx_cel_make_double(cel_cost_real(of, number));
    case FX_CEL_TYPE_DURATION:
        return fx_cel_make_duration(cel_cost_integer(of, size, number));
    case FX_CEL_TYPE_TIMESTAMP:
        return (struct fx_cel_value){
            .kind = FX_CEL_TIMESTAMP,
            .timestamp = {.seconds = (int64_t)number * 86399, .nanoseconds = 5}};
    case FX_CEL_TYPE_STRING:
    case FX_CEL_TYPE_BYTES:
        return has_names
                   ? cel_cost_name(of, size, number, type->kind == FX_CEL_TYPE_STRING)
                   : cel_cost_text(of, size, type->kind == FX_CEL_TYPE_STRING);
    case FX_CEL_TYPE_LIST: return cel_cost_list(of, type->params[0], size);
    case FX_CEL_TYPE_MAP: return cel_cost_map(of, size);
    case FX_CEL_TYPE_OPTIONAL:
        return fx_cel_new_optional(of->run,
                                   cel_cost_value(of, type->params[0], size, number));
    case FX_CEL_TYPE_TYPE: return fx_cel_make_type(&fx_cel_int);
    case FX_CEL_TYPE_NULL: return fx_cel_make_null();
    case FX_CEL_TYPE_OPAQUE: return cel_cost_opaque(of, type, size, CEL_COST_LEVELS);
    case FX_CEL_TYPE_DYN:
    case FX_CEL_TYPE_ERROR:
    case FX_CEL_TYPE_STRUCT:
    case FX_CEL_TYPE_PARAMETER: break;
    }
    return cel_cost_dyn(of, size, number);
}

#define CEL_COST_SMALL_SIZE 2u

/* Sets the arguments of the overload. False if there are none for it. */
static inline bool cel_cost_arguments(const struct cel_cost_case *of,
                                      struct fx_cel_value *args) {
    for (size_t i = 0; i < of->overload->n_args; i++) {
        const bool is_large = (of->large >> i & 1) != 0;
        args[i] = cel_cost_value(of, of->overload->args[i],
                                 is_large ? of->size : CEL_COST_SMALL_SIZE, i);
        if (fx_cel_is_error(args[i])) {
            return false;
        }
    }
    return true;
}

#endif
