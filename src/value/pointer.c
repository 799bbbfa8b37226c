/* SPDX-License-Identifier: Apache-2.0
 *
 * value/pointer.c - JSON Pointer (RFC 6901): writing, splitting, lookup.
 */
#include "value/pointer.h"

#include <string.h>

#include "value/tree.h"

void fx_pointer_push(struct fx_buf *buf, struct fx_text token) {
    size_t from = 0; /* start of the bytes that are not yet written */
    fx_buf_char(buf, '/');
    for (size_t i = 0; i < token.len; i++) {
        if (token.data[i] == '~' || token.data[i] == '/') {
            fx_buf_add(buf, token.data + from, i - from);
            fx_buf_str(buf, token.data[i] == '~' ? "~0" : "~1");
            from = i + 1;
        }
    }
    if (from < token.len) {
        fx_buf_add(buf, token.data + from, token.len - from);
    }
}

void fx_pointer_push_index(struct fx_buf *buf, size_t index) {
    fx_buf_char(buf, '/');
    fx_buf_number(buf, index);
}

bool fx_pointer_split(struct fx_text *rest, struct fx_text *ret_raw) {
    if (rest->len == 0 || rest->data[0] != '/') {
        return false;
    }
    const char *start = rest->data + 1;
    const size_t left = rest->len - 1;
    const char *slash = memchr(start, '/', left);
    const size_t length = slash == NULL ? left : (size_t)(slash - start);
    *ret_raw = (struct fx_text){start, length};
    *rest = (struct fx_text){start + length, left - length};
    return true;
}

/* Section 4: ~1 is /, ~0 is ~, and no other character may follow a ~. */
static bool unescape(struct fx_text raw, struct fx_buf *token) {
    if (raw.len == 0 || memchr(raw.data, '~', raw.len) == NULL) { /* nearly always true */
        fx_buf_text(token, raw);
        return !token->failed;
    }
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.data[i];
        if (c == '~') {
            i++;
            if (i == raw.len || (raw.data[i] != '0' && raw.data[i] != '1')) {
                return false;
            }
            c = raw.data[i] == '0' ? '~' : '/';
        }
        fx_buf_char(token, c);
    }
    return !token->failed;
}

bool fx_pointer_next(struct fx_text *rest, struct fx_buf *token) {
    struct fx_text left = *rest;
    struct fx_text raw = {0};
    fx_buf_reset(token);
    fx_buf_add(token, "", 0);
    if (!fx_pointer_split(&left, &raw) || !unescape(raw, token)) {
        return false;
    }
    *rest = left;
    return true;
}

bool fx_pointer_index(struct fx_text token, size_t *ret_index) {
    if (token.len == 0 || token.len > 10 || (token.len > 1 && token.data[0] == '0')) {
        return false;
    }
    uint64_t index = 0;
    for (size_t i = 0; i < token.len; i++) {
        if (token.data[i] < '0' || token.data[i] > '9') {
            return false;
        }
        index = index * 10 + (uint64_t)(token.data[i] - '0');
    }
    if (index > UINT32_MAX) {
        return false;
    }
    *ret_index = (size_t)index;
    return true;
}

json_t *fx_pointer_child(const json_t *node, struct fx_text token) {
    size_t index = 0;
    if (json_is_array(node)) {
        return fx_pointer_index(token, &index) ? json_array_get(node, index) : NULL;
    }
    return fx_tree_view_text(node, token);
}

static json_t *child_escaped(const json_t *node, struct fx_text raw) {
    struct fx_buf token;
    fx_buf_init(&token, 0);
    json_t *found = NULL;
    if (unescape(raw, &token)) {
        found = fx_pointer_child(node, (struct fx_text){token.data, token.len});
    }
    fx_buf_finish(&token);
    return found;
}

json_t *fx_pointer_view(json_t *root, struct fx_text pointer) {
    json_t *node = root;
    while (node != NULL && pointer.len > 0) {
        struct fx_text raw = {0};
        if (!fx_pointer_split(&pointer, &raw)) {
            return NULL;
        }
        const bool escaped = raw.len > 0 && memchr(raw.data, '~', raw.len) != NULL;
        node = escaped ? child_escaped(node, raw) : fx_pointer_child(node, raw);
    }
    return node;
}
