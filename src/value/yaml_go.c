/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_go.c - values in Go's syntax.
 */
#include "value/yaml_go.h"

#include "value/node.h"
#include "value/number.h"
#include "value/tree.h"

#define LONGEST 512 /* bytes of a value that a message shows */

/* Recursion is as deep as the value, which the reader bounds; once the buffer is full
 * nothing further is visited. */
static void show(struct fx_buf *buf, const json_t *value);

static void show_list(struct fx_buf *buf, const json_t *list) {
    fx_buf_str(buf, "[]interface {}{");
    for (size_t i = 0; i < json_array_size(list) && !buf->failed; i++) {
        fx_buf_str(buf, i == 0 ? "" : ", ");
        show(buf, json_array_get(list, i));
    }
    fx_buf_char(buf, '}');
}

static void show_mapping(struct fx_buf *buf, const json_t *mapping) {
    fx_buf_str(buf, "map[interface {}]interface {}{");
    const char *separator = "";
    for (void *at = fx_node_first(mapping); at != NULL && !buf->failed;
         at = fx_node_next(mapping, at)) {
        fx_buf_str(buf, separator);
        fx_text_quote_go(buf, fx_node_key(at));
        fx_buf_char(buf, ':');
        show(buf, json_object_iter_value(at));
        separator = ", ";
    }
    fx_buf_char(buf, '}');
}

static void show_number(struct fx_buf *buf, const json_t *number) {
    char text[FX_NUMBER_SIZE];
    fx_buf_add(buf, text, fx_number_print(number, text));
}

static void show(struct fx_buf *buf, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_NULL: fx_buf_str(buf, "interface {}(nil)"); break;
    case JSON_TRUE:
    case JSON_FALSE: fx_buf_str(buf, json_is_true(value) ? "true" : "false"); break;
    case JSON_INTEGER:
    case JSON_REAL: show_number(buf, value); break;
    case JSON_STRING: fx_text_quote_go(buf, fx_tree_text(value)); break;
    case JSON_ARRAY: show_list(buf, value); break;
    case JSON_OBJECT: show_mapping(buf, value); break;
    }
}

void fx_yaml_show_go(struct fx_buf *buf, const json_t *value) {
    fx_buf_init(buf, LONGEST);
    if (json_is_null(value)) {
        fx_buf_str(buf, "<nil>");
    } else {
        show(buf, value);
    }
}
