/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/values.c - readers, writers, digests and patches, with values of each shape.
 */
#include "meter.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/shapes_testing.h"
#include "value/equal.h"
#include "value/go_text.h"
#include "value/hash.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/yaml.h"
#include "values.h"

/* ---- values
 * ---------------------------------------------------------------------------- */

enum {
    SUBNORMALS,
    HUGE_NUMBERS,
    INTEGERS,
    TEXTS,
    NESTED,
    LONG_KEYS,
    SHORT_KEYS,
    N_TREES
};

static const char *const tree_names[N_TREES] = {
    "SUBNORMALS", "HUGE_NUMBERS", "INTEGERS",   "TEXTS",
    "NESTED",     "LONG_KEYS",    "SHORT_KEYS",
};

size_t values_count_shapes(void) {
    return FX_N_SHAPES + N_TREES;
}

const char *values_shape_name(size_t shape) {
    return shape < FX_N_SHAPES ? fx_shape_texts[shape].name
                               : tree_names[shape - FX_N_SHAPES];
}

/* jansson's own reader of strings would refuse what is no UTF-8. */
static json_t *make_text(size_t shape, size_t size) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_shape_add(&buf, (enum fx_shape)shape, size);
    json_t *text = json_stringn_nocheck(buf.data, buf.len);
    fx_buf_finish(&buf);
    return text;
}

static json_t *make_nested(size_t size) {
    json_t *value = json_null();
    for (size_t depth = size < 900 ? size : 900; depth > 0; depth--) {
        json_t *list = json_array();
        (void)json_array_append_new(list, value);
        value = list;
    }
    return value;
}

static json_t *make_element(size_t tree, size_t i) {
    char text[24];
    switch (tree) {
    case SUBNORMALS: return json_real(0x1.123456789p-1030 * (double)(i + 1));
    case HUGE_NUMBERS: return json_real(DBL_MAX);
    case INTEGERS: return json_integer(INT64_MIN + (json_int_t)i);
    default:
        (void)snprintf(text, sizeof text, "text%zu", i * 7919 % 99991);
        return json_string(text);
    }
}

static json_t *make_object(size_t tree, size_t size) {
    const size_t n = tree == LONG_KEYS ? 16 : size / 16 + 1;
    json_t *object = json_object();
    struct fx_buf key;
    fx_buf_init(&key, 0);
    for (size_t i = 0; i < n; i++) {
        fx_buf_reset(&key);
        fx_buf_fill(&key, 'k', tree == LONG_KEYS ? size / 16 + 1 : 1);
        fx_buf_number(&key, n - i);
        (void)json_object_set_new(object, key.data, make_element(tree, i));
    }
    fx_buf_finish(&key);
    return object;
}

json_t *values_make(size_t shape, size_t size) {
    if (shape < FX_N_SHAPES) {
        return make_text(shape, size);
    }
    const size_t tree = shape - FX_N_SHAPES;
    if (tree == NESTED) {
        return make_nested(size);
    }
    if (tree == LONG_KEYS || tree == SHORT_KEYS) {
        return make_object(tree, size);
    }
    json_t *list = json_array();
    for (size_t i = 0; i < size / 16 + 1; i++) {
        (void)json_array_append_new(list, make_element(tree, i));
    }
    return list;
}

/* ---- work
 * ------------------------------------------------------------------------------ */

/* The text that is read: of the shape itself, or the JSON of the tree. */
static void make_source(size_t shape, size_t size, struct fx_buf *buf) {
    json_t *value = values_make(shape, size);
    if (shape < FX_N_SHAPES) {
        fx_buf_add(buf, json_string_value(value), json_string_length(value));
    } else {
        fx_json_write(buf, value, FX_JSON_COMPACT);
    }
    json_decref(value);
}

typedef void use_text(struct fx_text text);

static void with_source(size_t shape, size_t size, use_text *use) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    make_source(shape, size, &buf);
    use((struct fx_text){buf.data, buf.len});
    fx_buf_finish(&buf);
}

static void use_json(struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    meter_start();
    json_t *read = fx_json_read(text, NULL, &err);
    meter_stop(read != NULL);
    json_decref(read);
}

static void use_yaml(struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *read = NULL;
    struct fx_yaml_reader *reader = fx_yaml_open(text);
    meter_start();
    meter_stop(fx_yaml_next(reader, NULL, &read, &err));
    json_decref(read);
    fx_yaml_close(reader);
}

static void read_json(size_t shape, size_t size) {
    with_source(shape, size, use_json);
}

static void read_yaml(size_t shape, size_t size) {
    with_source(shape, size, use_yaml);
}

typedef void writer(struct fx_buf *buf, json_t *value);

static void with_value(size_t shape, size_t size, writer *write) {
    struct fx_buf buf;
    json_t *value = values_make(shape, size);
    fx_buf_init(&buf, 0);
    meter_start();
    write(&buf, value);
    meter_stop(!buf.failed);
    fx_buf_finish(&buf);
    json_decref(value);
}

static void to_json(struct fx_buf *buf, json_t *value) {
    fx_json_write(buf, value, FX_JSON_COMPACT);
}

static void to_html_json(struct fx_buf *buf, json_t *value) {
    fx_json_write(buf, value, FX_JSON_HTML | FX_JSON_SORT_KEYS | FX_JSON_INDENT);
}

static void to_yaml(struct fx_buf *buf, json_t *value) {
    fx_yaml_write(buf, value);
}

static void to_go(struct fx_buf *buf, json_t *value) {
    fx_go_text_add(buf, value, FX_GO_INTEGERS);
}

static void write_json(size_t shape, size_t size) {
    with_value(shape, size, to_json);
}

static void write_html_json(size_t shape, size_t size) {
    with_value(shape, size, to_html_json);
}

static void write_yaml(size_t shape, size_t size) {
    with_value(shape, size, to_yaml);
}

static void write_go(size_t shape, size_t size) {
    with_value(shape, size, to_go);
}

static void compare(size_t shape, size_t size) {
    json_t *a = values_make(shape, size);
    json_t *b = values_make(shape, size);
    meter_start();
    meter_stop(fx_equal(a, b));
    json_decref(a);
    json_decref(b);
}

/* From an object to one whose values are those of its neighbours. */
static void diff_and_apply(size_t shape, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_patch patch;
    json_t *before = values_make(shape, size);
    json_t *after = values_make(shape, size / 2);
    fx_arena_init(&arena, FX_LIMIT_TEMPLATE_BYTES);
    fx_patch_init(&patch, &arena);
    json_t *root = json_incref(before);
    meter_start();
    meter_stop(fx_patch_diff(&patch, before, after, &err) &&
               fx_patch_apply(&patch, &root, &err));
    json_decref(root);
    fx_arena_finish(&arena);
    json_decref(before);
    json_decref(after);
}

static const struct {
    const char *name;
    void (*run)(size_t shape, size_t size);
} subjects[] = {
    {"JSON, read", read_json},     {"YAML, read", read_yaml},
    {"JSON, written", write_json}, {"JSON, written sorted and escaped", write_html_json},
    {"YAML, written", write_yaml}, {"Go's %v", write_go},
    {"equality", compare},         {"patch, made and applied", diff_and_apply},
};

static bool describe(size_t index, struct meter_case *ret_case) {
    const size_t n = values_count_shapes();
    if (index / n >= FX_COUNT(subjects)) {
        return false;
    }
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "%s",
                   subjects[index / n].name);
    (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s",
                   values_shape_name(index % n));
    return true;
}

static void run(size_t index, size_t size) {
    const size_t n = values_count_shapes();
    subjects[index / n].run(index % n, size);
}

const struct meter_set meter_values = {"values", describe, run};
