/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/cost_testing.h - for tests of cost: makes arguments for any function,
 * of a shape and a size.
 */
#ifndef FX_LOCATION_SPRIG_COST_TESTING_H
#define FX_LOCATION_SPRIG_COST_TESTING_H

#include <float.h>

#include "base/shapes_testing.h"
#include "location/go/time.h"
#include "location/gotemplate/function.h"
#include "location/sprig/functions.h"
#include "location/sprig/semver.h"
#include "location/sprig/sprig.h"

/* Values that are no text, numbered after the shapes of texts. */
#define COST_VALUES(X) \
    X(TEXTS)           \
    X(SAME_TEXTS)      \
    X(SUBNORMALS)      \
    X(HUGE_NUMBERS)    \
    X(THIRDS)          \
    X(INTEGERS)        \
    X(NESTED)          \
    X(LONG_KEYS)       \
    X(SHORT_KEYS)      \
    X(TIMES)           \
    X(VERSIONS)        \
    X(SUBNORMAL)       \
    X(HUGE_NUMBER)     \
    X(INTEGER)

enum cost_shape {
    COST_FIRST_VALUE = FX_N_SHAPES - 1,
#define X(name) COST_##name,
    COST_VALUES(X)
#undef X
        N_COST_SHAPES,
    COST_GIVEN = N_COST_SHAPES, /* cost_given, over and over */
};

/* A text from the test, for COST_GIVEN. */
static struct fx_text cost_given;

static inline const char *cost_shape_name(unsigned shape) {
    static const char *const names[] = {
#define X(name) #name,
        COST_VALUES(X)
#undef X
    };
    return shape < FX_N_SHAPES ? fx_shape_texts[shape].name : names[shape - FX_N_SHAPES];
}

#define COST_MOST_ARGUMENTS 4096u

/* A case. Bit i of `large`: the argument i has the size; the others are small. */
struct cost_case {
    const struct function *function;
    unsigned shape; /* enum fx_shape, enum cost_shape */
    unsigned large;
    size_t n_arguments, size;
};

static inline bool cost_text(struct template_run *run, unsigned shape, size_t size,
                             struct value *ret_value) {
    struct fx_buf buf;
    struct fx_text copy = {0};
    fx_buf_init(&buf, 0);
    if (shape == COST_GIVEN && cost_given.len > 0) {
        while (buf.len < size && !buf.failed) {
            fx_buf_text(&buf, cost_given);
        }
    } else {
        fx_shape_add(&buf, shape < FX_N_SHAPES ? (enum fx_shape)shape : FX_SHAPE_LETTERS,
                     size);
    }
    const bool ok =
        !buf.failed && run_copy(run, (struct fx_text){buf.data, buf.len}, &copy);
    fx_buf_finish(&buf);
    *ret_value = value_string(copy);
    return ok;
}

/* Makes a text of 16 bytes that differs from others only at its end. */
static inline bool cost_name(struct template_run *run, unsigned shape, size_t i,
                             size_t size, struct value *ret_value) {
    if (!cost_text(run, shape, size, ret_value)) {
        return false;
    }
    char *text = run_alloc(run, ret_value->string.len + 8);
    if (text == NULL) {
        return false;
    }
    memcpy(text, ret_value->string.data, ret_value->string.len);
    for (int digit = 7; digit >= 0; digit--, i /= 10) {
        text[ret_value->string.len + (size_t)digit] = (char)('0' + i % 10);
    }
    ret_value->string = (struct fx_text){text, ret_value->string.len + 8};
    return true;
}

static inline bool cost_time(struct template_run *run, size_t size,
                             struct value *ret_value) {
    struct fx_go_time *time = run_alloc(run, sizeof *time);
    struct value zone;
    if (time == NULL || !cost_text(run, FX_SHAPE_OFFSETS, size, &zone)) {
        return false;
    }
    *time =
        (struct fx_go_time){.seconds = 1234567890, .nanoseconds = 5, .zone = zone.string};
    *ret_value = value_object(&time_type, time);
    return true;
}

static inline bool cost_version(struct template_run *run, size_t size,
                                struct value *ret_value) {
    struct semantic_version *version = run_alloc(run, sizeof *version);
    struct value text;
    struct fx_err ignored = FX_ERR_INIT;
    if (version == NULL || !cost_text(run, FX_SHAPE_VERSION, size, &text) ||
        !version_parse(text.string, version, &ignored)) {
        return false;
    }
    *ret_value = value_object(&version_type, version);
    return true;
}

/* Makes nested lists. */
static inline bool cost_nested(struct template_run *run, size_t size,
                               struct value *ret_value) {
    *ret_value = value_nil();
    for (size_t depth = size < 900 ? size : 900; depth > 0; depth--) {
        struct template_list *list = value_list_new(run, 1 + size / 900);
        if (list == NULL) {
            return false;
        }
        for (size_t i = 0; i < list->n; i++) {
            list->values[i] = i == 0 ? *ret_value : value_nil();
        }
        *ret_value = value_list(list);
    }
    return true;
}

static inline bool cost_scalar(struct template_run *run, unsigned shape, size_t i,
                               size_t size, struct value *ret_value) {
    switch (shape) {
    case COST_SUBNORMALS:
    case COST_SUBNORMAL: *ret_value = value_float64(0x1.123456789p-1030); return true;
    case COST_HUGE_NUMBERS:
    case COST_HUGE_NUMBER: *ret_value = value_float64(DBL_MAX); return true;
    case COST_THIRDS: *ret_value = value_float64((double)(i + 1) / 3); return true;
    case COST_INTEGERS:
    case COST_INTEGER: *ret_value = value_int(INT64_MIN + (int64_t)i); return true;
    case COST_TIMES: return cost_time(run, size, ret_value);
    case COST_VERSIONS: return cost_version(run, size, ret_value);
    default: return cost_name(run, shape, i * 7919 % 99991, size, ret_value);
    }
}

/* Makes a list; `size` counts about 16 bytes for each element. */
static inline bool cost_list(struct template_run *run, unsigned shape, size_t size,
                             struct value *ret_value) {
    struct template_list *list = value_list_new(run, size / 16 + 1);
    struct value text;
    if (list == NULL || !cost_text(run, FX_SHAPE_LETTERS, size, &text)) {
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        list->values[i] = text;
        if (shape != COST_SAME_TEXTS &&
            !cost_scalar(run, shape, i, 8, &list->values[i])) {
            return false;
        }
    }
    *ret_value = value_list(list);
    return true;
}

/* Makes a map of entries of 16 bytes, or of sixteen long keys. */
static inline bool cost_map(struct template_run *run, unsigned shape, size_t size,
                            struct value *ret_value) {
    struct map *map = value_map_new(run);
    const size_t key_size = shape == COST_LONG_KEYS ? 8 + size / 16 : 8;
    const size_t n = shape == COST_LONG_KEYS ? 16 : size / 16 + 1;
    if (map == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        struct value key;
        struct value value;
        if (!cost_name(run, shape, i, key_size, &key) ||
            !cost_scalar(run, shape, i, 8, &value) ||
            !value_map_put(run, map, key.string, value)) {
            return false;
        }
    }
    *ret_value = value_map(map);
    return true;
}

static inline bool cost_any(struct template_run *run, unsigned shape, size_t size,
                            struct value *ret_value) {
    switch (shape) {
    case COST_TEXTS:
    case COST_SAME_TEXTS:
    case COST_SUBNORMALS:
    case COST_HUGE_NUMBERS:
    case COST_THIRDS:
    case COST_INTEGERS: return cost_list(run, shape, size, ret_value);
    case COST_NESTED: return cost_nested(run, size, ret_value);
    case COST_LONG_KEYS:
    case COST_SHORT_KEYS: return cost_map(run, shape, size, ret_value);
    case COST_TIMES:
    case COST_VERSIONS:
    case COST_SUBNORMAL:
    case COST_HUGE_NUMBER:
    case COST_INTEGER: return cost_scalar(run, shape, 0, size, ret_value);
    default: return cost_text(run, shape, size, ret_value);
    }
}

static inline bool cost_argument(struct template_run *run, enum parameter parameter,
                                 unsigned shape, size_t size, struct value *ret_value) {
    switch (parameter) {
    case PARAMETER_STRING: return cost_text(run, shape, size, ret_value);
    case PARAMETER_INT: *ret_value = value_int((int64_t)size); return true;
    case PARAMETER_INT64: *ret_value = value_int64((int64_t)size); return true;
    case PARAMETER_FLOAT64: *ret_value = value_float64(0.5); return true;
    case PARAMETER_BOOL: *ret_value = value_bool(size > 2); return true;
    case PARAMETER_MAP: return cost_map(run, shape, size, ret_value);
    case PARAMETER_LIST: return cost_list(run, shape, size, ret_value);
    case PARAMETER_TIME: return cost_time(run, size, ret_value);
    case PARAMETER_ANY:
    case PARAMETER_VALUE:
    case PARAMETER_NONE: break;
    }
    return cost_any(run, shape, size, ret_value);
}

static inline size_t cost_count_parameters(const struct function *function) {
    size_t n = 0;
    while (function->parameters[n] != PARAMETER_NONE) {
        n++;
    }
    return n;
}

#define COST_SMALL_SIZE 2u

/* True where an argument depends on the shape. */
static inline bool cost_takes_shapes(const struct function *function) {
    for (size_t i = 0; i < cost_count_parameters(function); i++) {
        const enum parameter parameter = function->parameters[i];
        if (parameter == PARAMETER_STRING || parameter == PARAMETER_ANY ||
            parameter == PARAMETER_VALUE) {
            return true;
        }
    }
    return false;
}

/* Makes the arguments in the arena of the run; NULL without memory. The caller
 * subtracts what that spends. */
static inline struct value *cost_arguments(struct template_run *run,
                                           const struct cost_case *of) {
    const size_t n_parameters = cost_count_parameters(of->function);
    struct value *arguments = run_alloc(run, (of->n_arguments + 1) * sizeof *arguments);
    for (size_t i = 0; arguments != NULL && i < of->n_arguments; i++) {
        const size_t at = i < n_parameters ? i : n_parameters - 1;
        const bool is_large = (of->large >> (i < 31 ? i : 31) & 1) != 0;
        if (!cost_argument(run, of->function->parameters[at], of->shape,
                           is_large ? of->size : COST_SMALL_SIZE, &arguments[i])) {
            return NULL;
        }
    }
    return arguments;
}

#endif
