/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/names.c - prints names of objects, fields and values.
 */
#include "explain/names.h"

#include "engine/request.h"
#include "policy/plain.h"
#include "value/pointer.h"
#include "value/tree.h"

/* ---- fields ---------------------------------------------------------------------- */

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

void fx_print_member(struct fx_buf *buf, struct fx_text name) {
    if (buf->len > 0) {
        fx_buf_char(buf, '.');
    }
    push_name(buf, name);
}

void fx_print_element(struct fx_buf *buf, struct fx_text name, size_t index) {
    if (name.data == NULL) {
        fx_buf_printf(buf, "[%zu]", index);
        return;
    }
    fx_buf_str(buf, "[name: ");
    push_name(buf, name);
    fx_buf_char(buf, ']');
}

struct fx_text fx_element_name(const json_t *element) {
    return fx_tree_view_string(element, "name");
}

static json_t *push_token(struct fx_buf *buf, json_t *node, struct fx_text token) {
    size_t index = 0;
    if (!json_is_array(node) || !fx_pointer_index(token, &index)) {
        fx_print_member(buf, token);
        return fx_tree_view_text(node, token);
    }
    json_t *element = json_array_get(node, index);
    fx_print_element(buf, fx_element_name(element), index);
    return element;
}

void fx_print_pointer(struct fx_buf *buf, json_t *root, struct fx_text pointer) {
    struct fx_buf path = {0};
    struct fx_buf token = {0};
    json_t *node = root;
    while (pointer.len > 0 && fx_pointer_next(&pointer, &token)) {
        node = push_token(&path, node, fx_buf_view(&token));
    }
    fx_buf_text(buf, fx_buf_view(&path));
    fx_buf_finish_part(buf, &path);
    fx_buf_finish_part(buf, &token);
}

/* ---- objects and values ---------------------------------------------------------- */

void fx_print_object(struct fx_buf *buf, const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    fx_plain_add(buf, subject.kind);
    if (subject.namespace_.len > 0) {
        fx_buf_char(buf, '/');
        fx_plain_add(buf, subject.namespace_);
    }
    fx_buf_char(buf, '/');
    if (subject.name.len > 0) {
        fx_plain_add(buf, subject.name);
    } else {
        fx_plain_add(buf, subject.generate_name);
        fx_buf_char(buf, '*');
    }
}

static json_t *text_of(const struct fx_placeholder *placeholder) {
    struct fx_buf buf = {0};
    fx_buf_str(&buf, "<value of provider ");
    fx_text_quote_go(&buf, placeholder->external->provider);
    fx_buf_str(&buf, " for ");
    fx_text_quote_go(&buf, placeholder->key);
    fx_buf_char(&buf, '>');
    json_t *text = buf.failed ? NULL : fx_tree_new_string(fx_buf_view(&buf));
    fx_buf_finish(&buf);
    return text;
}

json_t *fx_reveal_placeholders(const struct fx_placeholders *placeholders,
                               json_t *value) {
    return fx_placeholders_reveal(placeholders, value, text_of);
}
