/* SPDX-License-Identifier: Apache-2.0
 *
 * value/shapes_testing.h - for tests of cost: trees of any size, each of a shape: a text
 * (base/shapes_testing.h), or a list or object of many elements.
 */
#ifndef FX_VALUE_SHAPES_TESTING_H
#define FX_VALUE_SHAPES_TESTING_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/shapes_testing.h"

enum fx_tree_shape {
    FX_TREE_SUBNORMALS,
    FX_TREE_HUGE_NUMBERS,
    FX_TREE_INTEGERS,
    FX_TREE_TEXTS,
    FX_TREE_NESTED,
    FX_TREE_LONG_KEYS,
    FX_TREE_SHORT_KEYS,
    FX_N_TREES
};

static const char *const fx_tree_names[FX_N_TREES] = {
    "SUBNORMALS", "HUGE_NUMBERS", "INTEGERS",   "TEXTS",
    "NESTED",     "LONG_KEYS",    "SHORT_KEYS",
};

static inline size_t fx_value_shapes(void) {
    return (size_t)FX_N_SHAPES + FX_N_TREES;
}

static inline const char *fx_value_shape_name(size_t shape) {
    return shape < FX_N_SHAPES ? fx_shape_texts[shape].name
                               : fx_tree_names[shape - FX_N_SHAPES];
}

/* jansson's function for strings refuses invalid UTF-8. */
static inline json_t *fx_shape_make_text(size_t shape, size_t size) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_shape_add(&buf, (enum fx_shape)shape, size);
    json_t *text = json_stringn_nocheck(buf.data, buf.len);
    fx_buf_finish(&buf);
    return text;
}

static inline json_t *fx_shape_make_nested(size_t size) {
    json_t *value = json_null();
    for (size_t depth = size < 900 ? size : 900; depth > 0; depth--) {
        json_t *list = json_array();
        (void)json_array_append_new(list, value);
        value = list;
    }
    return value;
}

static inline json_t *fx_shape_make_element(size_t tree, size_t i) {
    char text[24];
    switch (tree) {
    case FX_TREE_SUBNORMALS: return json_real(0x1.123456789p-1030 * (double)(i + 1));
    case FX_TREE_HUGE_NUMBERS: return json_real(DBL_MAX);
    case FX_TREE_INTEGERS: return json_integer(INT64_MIN + (json_int_t)i);
    default:
        (void)snprintf(text, sizeof text, "text%zu", i * 7919 % 99991);
        return json_string(text);
    }
}

static inline json_t *fx_shape_make_object(size_t tree, size_t size) {
    const size_t n = tree == FX_TREE_LONG_KEYS ? 16 : size / 16 + 1;
    json_t *object = json_object();
    struct fx_buf key;
    fx_buf_init(&key, 0);
    for (size_t i = 0; i < n; i++) {
        fx_buf_reset(&key);
        fx_buf_fill(&key, 'k', tree == FX_TREE_LONG_KEYS ? size / 16 + 1 : 1);
        fx_buf_number(&key, n - i);
        (void)json_object_set_new(object, key.data, fx_shape_make_element(tree, i));
    }
    fx_buf_finish(&key);
    return object;
}

/* A new value of about that many bytes of text; a list or object has one element for each
 * 16 of them. */
static inline json_t *fx_value_shape_make(size_t shape, size_t size) {
    if (shape < FX_N_SHAPES) {
        return fx_shape_make_text(shape, size);
    }
    const size_t tree = shape - FX_N_SHAPES;
    if (tree == FX_TREE_NESTED) {
        return fx_shape_make_nested(size);
    }
    if (tree == FX_TREE_LONG_KEYS || tree == FX_TREE_SHORT_KEYS) {
        return fx_shape_make_object(tree, size);
    }
    json_t *list = json_array();
    for (size_t i = 0; i < size / 16 + 1; i++) {
        (void)json_array_append_new(list, fx_shape_make_element(tree, i));
    }
    return list;
}

#endif
