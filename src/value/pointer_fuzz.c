/* SPDX-License-Identifier: Apache-2.0
 *
 * value/pointer_fuzz.c - lines as keys: the pointer made of them is taken apart into the
 * same keys, and names the value that stands there. The text itself as a pointer: it is
 * refused, or taken apart into keys that make the same pointer.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "value/pointer.h"
#include "value/tree.h"

#define MOST_KEYS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fx_text text_of(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

static size_t split(struct fx_text text, struct fx_text keys[MOST_KEYS]) {
    size_t n_keys = 0;
    const char *at = text.data;
    const char *const end = text.data + text.len;
    while (at < end && n_keys < MOST_KEYS) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end == NULL ? end : line_end;
        keys[n_keys++] = (struct fx_text){at, (size_t)(line_end - at)};
        at = line_end < end ? line_end + 1 : end;
    }
    return n_keys;
}

/* Objects in one another, under the keys; the innermost holds nothing. */
static json_t *nest(const struct fx_text *keys, size_t n_keys) {
    json_t *value = json_object();
    for (size_t i = n_keys; i > 0; i--) {
        json_t *outer = json_object();
        const bool ok = fx_tree_set_take(outer, keys[i - 1], value);
        assert(ok);
        value = outer;
    }
    return value;
}

static void check_keys(const struct fx_text *keys, size_t n_keys) {
    struct fx_buf pointer, token;
    fx_buf_init(&pointer, 0);
    fx_buf_init(&token, 0);
    json_t *root = nest(keys, n_keys);
    const json_t *expected = root;
    for (size_t i = 0; i < n_keys; i++) {
        fx_pointer_push(&pointer, keys[i]);
        expected = fx_tree_view_text(expected, keys[i]);
        assert(fx_pointer_view(root, text_of(&pointer)) == expected);
    }
    struct fx_text rest = text_of(&pointer);
    for (size_t i = 0; i < n_keys; i++) {
        const bool ok = fx_pointer_next(&rest, &token);
        assert(ok && fx_text_equal(text_of(&token), keys[i]));
    }
    assert(rest.len == 0);
    json_decref(root);
    fx_buf_finish(&pointer);
    fx_buf_finish(&token);
}

static void check_pointer(struct fx_text text) {
    struct fx_buf again, token;
    struct fx_text rest = text;
    fx_buf_init(&again, 0);
    fx_buf_init(&token, 0);
    while (fx_pointer_next(&rest, &token)) {
        size_t index = 0;
        fx_pointer_push(&again, text_of(&token));
        if (fx_pointer_index(text_of(&token), &index)) {
            struct fx_buf number;
            fx_buf_init(&number, 0);
            fx_pointer_push_index(&number, index);
            assert(number.len == token.len + 1 &&
                   memcmp(number.data + 1, token.data, token.len) == 0);
            fx_buf_finish(&number);
        }
    }
    assert(again.len == text.len - rest.len);
    assert(again.len == 0 || memcmp(again.data, text.data, again.len) == 0);
    json_t *list = json_pack("[{}, [[], 1], null]");
    (void)fx_pointer_view(list, text);
    json_decref(list);
    fx_buf_finish(&again);
    fx_buf_finish(&token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_text keys[MOST_KEYS];
    check_keys(keys, split(text, keys));
    check_pointer(text);
    return 0;
}
