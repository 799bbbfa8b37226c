/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/values.c - readers, writers, digests and patches, with values of each shape.
 */
#include "meter.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/digest.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/go_text.h"
#include "value/hash.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/shapes_testing.h"
#include "value/yaml.h"

/* ---- work
 * ------------------------------------------------------------------------------ */

/* The text that is read: of the shape itself, or the JSON of the tree. */
static void make_source(size_t shape, size_t size, struct fx_buf *buf) {
    json_t *value = fx_value_shape_make(shape, size);
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
    json_t *value = fx_value_shape_make(shape, size);
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
    json_t *a = fx_value_shape_make(shape, size);
    json_t *b = fx_value_shape_make(shape, size);
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
    json_t *before = fx_value_shape_make(shape, size);
    json_t *after = fx_value_shape_make(shape, size / 2);
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
    const size_t n = fx_value_shapes();
    if (index / n >= FX_COUNT(subjects)) {
        return false;
    }
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "%s",
                   subjects[index / n].name);
    (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s",
                   fx_value_shape_name(index % n));
    return true;
}

static void run(size_t index, size_t size) {
    const size_t n = fx_value_shapes();
    subjects[index / n].run(index % n, size);
}

const struct meter_set meter_values = {"values", describe, run};
