/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_write.c - values as block-style YAML, laid out as kubectl does: two spaces a
 * level, lists not indented under their key, `- ` and the first line of an item together.
 */
#include "value/yaml.h"

#include "base/budget.h"
#include "value/node.h"
#include "value/number.h"
#include "value/tree.h"
#include "value/yaml_string.h"

#define INDENT         2
#define UNITS_OF_VALUE 4u

/* Recursion is as deep as the value. `column` is where the value's own lines begin. */
static void write_block(struct fx_buf *buf, const json_t *value, size_t column);

static bool is_block(const json_t *value) {
    return json_array_size(value) > 0 || json_object_size(value) > 0;
}

static void write_scalar(struct fx_buf *buf, const json_t *value, size_t column) {
    char number[FX_NUMBER_SIZE];
    if (!fx_spend(UNITS_OF_VALUE)) {
        buf->failed = true;
        return;
    }
    switch (json_typeof(value)) {
    case JSON_NULL: fx_buf_str(buf, "null"); break;
    case JSON_TRUE:
    case JSON_FALSE: fx_buf_str(buf, json_is_true(value) ? "true" : "false"); break;
    case JSON_INTEGER:
    case JSON_REAL: fx_buf_add(buf, number, fx_number_print(value, number)); break;
    case JSON_STRING: fx_yaml_write_string(buf, fx_tree_text(value), column); break;
    case JSON_ARRAY: fx_buf_str(buf, "[]"); break;
    case JSON_OBJECT: fx_buf_str(buf, "{}"); break;
    }
}

/* What follows a key's colon: on the same line, or, for collections, on lines of its own.
 */
static void write_under_key(struct fx_buf *buf, const json_t *value, size_t column) {
    if (!is_block(value)) {
        fx_buf_char(buf, ' ');
        write_scalar(buf, value, column + INDENT);
        fx_buf_char(buf, '\n');
        return;
    }
    const size_t inner = json_is_array(value) ? column : column + INDENT;
    fx_buf_char(buf, '\n');
    fx_buf_fill(buf, ' ', inner);
    write_block(buf, value, inner);
}

/* What follows an indicator (`-` or `:`) and a space: collections begin on its line. */
static void write_behind_indicator(struct fx_buf *buf, const json_t *value,
                                   size_t column) {
    if (is_block(value)) {
        write_block(buf, value, column + INDENT);
        return;
    }
    write_scalar(buf, value, column + INDENT);
    fx_buf_char(buf, '\n');
}

static void write_list(struct fx_buf *buf, const json_t *list, size_t column) {
    for (size_t i = 0; i < json_array_size(list) && !buf->failed; i++) {
        fx_buf_fill(buf, ' ', i == 0 ? 0 : column);
        fx_buf_str(buf, "- ");
        write_behind_indicator(buf, json_array_get(list, i), column);
    }
}

/* A key too long for YAML's look-ahead is announced by `? `. */
static void write_pair(struct fx_buf *buf, struct fx_text key, const json_t *value,
                       size_t column) {
    const bool is_long = key.len > FX_YAML_LONGEST_SIMPLE_KEY;
    fx_buf_str(buf, is_long ? "? " : "");
    fx_yaml_write_key(buf, key);
    if (!is_long) {
        fx_buf_char(buf, ':');
        write_under_key(buf, value, column);
        return;
    }
    fx_buf_char(buf, '\n');
    fx_buf_fill(buf, ' ', column);
    fx_buf_str(buf, ": ");
    write_behind_indicator(buf, value, column);
}

static void write_mapping(struct fx_buf *buf, const json_t *mapping, size_t column) {
    void *at = fx_node_first(mapping);
    for (size_t indent = 0; at != NULL && !buf->failed; indent = column) {
        fx_buf_fill(buf, ' ', indent);
        write_pair(buf, fx_node_key(at), json_object_iter_value(at), column);
        at = fx_node_next(mapping, at);
    }
}

/* Each line of a list or mapping is indented. */
static bool spend_block(struct fx_buf *buf, const json_t *value, size_t column) {
    const size_t n = json_array_size(value) + json_object_size(value);
    buf->failed |= !fx_spend(UNITS_OF_VALUE + n * (1 + column / FX_BUDGET_BYTES));
    return !buf->failed;
}

static void write_block(struct fx_buf *buf, const json_t *value, size_t column) {
    if (!spend_block(buf, value, column)) {
        return;
    }
    if (json_is_array(value)) {
        write_list(buf, value, column);
    } else {
        write_mapping(buf, value, column);
    }
}

void fx_yaml_write(struct fx_buf *buf, const json_t *value) {
    if (is_block(value)) {
        write_block(buf, value, 0);
        return;
    }
    write_scalar(buf, value, INDENT);
    fx_buf_char(buf, '\n');
}
