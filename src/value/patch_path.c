/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_path.c - the pointer is written from its end, as the chain runs.
 */
#include "value/patch_path.h"

#include <string.h>

size_t fx_patch_path_length(const struct fx_patch_path *path) {
    return path == NULL ? 0 : path->length;
}

static bool is_escaped(char c) {
    return c == '~' || c == '/';
}

struct fx_patch_path fx_patch_path_key(const struct fx_patch_path *parent,
                                       struct fx_text key) {
    size_t length = fx_patch_path_length(parent) + 1 + key.len;
    for (size_t i = 0; i < key.len; i++) {
        length += is_escaped(key.data[i]);
    }
    return (struct fx_patch_path){.parent = parent, .key = key, .length = length};
}

struct fx_patch_path fx_patch_path_index(const struct fx_patch_path *parent,
                                         size_t index) {
    size_t length = fx_patch_path_length(parent) + 2;
    for (size_t rest = index; rest > 9; rest /= 10) {
        length++;
    }
    return (struct fx_patch_path){.parent = parent, .index = index, .length = length};
}

/* Both write up to `end`. */
static void put_key(char *end, struct fx_text key) {
    for (size_t i = key.len; i > 0; i--) {
        const char c = key.data[i - 1];
        if (is_escaped(c)) {
            *--end = c == '~' ? '0' : '1';
            *--end = '~';
        } else {
            *--end = c;
        }
    }
}

static void put_index(char *end, size_t index) {
    do {
        *--end = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
}

/* The whole token, and the slash before it. */
static void put_token(char *pointer, const struct fx_patch_path *path) {
    const size_t start = fx_patch_path_length(path->parent);
    char *const end = pointer + path->length;
    pointer[start] = '/';
    if (path->key.data == NULL) {
        put_index(end, path->index);
    } else if (path->length == start + 1 + path->key.len) { /* no escapes */
        memcpy(pointer + start + 1, path->key.data, path->key.len);
    } else {
        put_key(end, path->key);
    }
}

bool fx_patch_path_write(const struct fx_patch_path *path, struct fx_arena *arena,
                         struct fx_text *ret_pointer) {
    const size_t length = fx_patch_path_length(path);
    char *pointer = fx_arena_alloc(arena, length + 1);
    if (pointer == NULL) {
        return false;
    }
    for (const struct fx_patch_path *at = path; at != NULL; at = at->parent) {
        put_token(pointer, at);
    }
    *ret_pointer = (struct fx_text){pointer, length};
    return true;
}
