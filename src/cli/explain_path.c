/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_path.c - printing places.
 */
#include "cli/explain_path.h"

#include "value/pointer.h"
#include "value/tree.h"

static bool is_word(struct fx_text name) {
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.data[i];
        const bool is_digit = c >= '0' && c <= '9';
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && c != '_' && c != '-' && (!is_digit || i == 0)) {
            return false;
        }
    }
    return name.len > 0;
}

static void push_name(struct fx_buf *buf, struct fx_text name) {
    if (is_word(name)) {
        fx_buf_text(buf, name);
        return;
    }
    fx_buf_char(buf, '"');
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == '"' || name.data[i] == '\\') {
            fx_buf_char(buf, '\\');
        }
        fx_buf_char(buf, name.data[i]);
    }
    fx_buf_char(buf, '"');
}

void fx_path_push_member(struct fx_buf *buf, struct fx_text name) {
    if (buf->len > 0) {
        fx_buf_char(buf, '.');
    }
    push_name(buf, name);
}

void fx_path_push_element(struct fx_buf *buf, struct fx_text name, size_t index) {
    if (name.data == NULL) {
        fx_buf_printf(buf, "[%zu]", index);
        return;
    }
    fx_buf_str(buf, "[name: ");
    push_name(buf, name);
    fx_buf_char(buf, ']');
}

struct fx_text fx_path_element_name(const json_t *element) {
    return fx_tree_view_string(element, "name");
}

static json_t *push_token(struct fx_buf *buf, json_t *node, struct fx_text token) {
    size_t index = 0;
    if (!json_is_array(node) || !fx_pointer_index(token, &index)) {
        fx_path_push_member(buf, token);
        return fx_tree_view_text(node, token);
    }
    json_t *element = json_array_get(node, index);
    fx_path_push_element(buf, fx_path_element_name(element), index);
    return element;
}

void fx_path_print_pointer(struct fx_buf *buf, json_t *root, struct fx_text pointer) {
    struct fx_buf path;
    struct fx_buf token;
    fx_buf_init(&path, 0);
    fx_buf_init(&token, 0);
    json_t *node = root;
    while (pointer.len > 0 && fx_pointer_next(&pointer, &token)) {
        node = push_token(&path, node, (struct fx_text){token.data, token.len});
    }
    fx_buf_text(buf, (struct fx_text){path.data, path.len});
    buf->failed = buf->failed || path.failed || token.failed;
    fx_buf_finish(&path);
    fx_buf_finish(&token);
}
