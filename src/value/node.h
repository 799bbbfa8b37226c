/* SPDX-License-Identifier: Apache-2.0
 *
 * value/node.h - reading jansson nodes through const; private to this room.
 */
#ifndef FX_VALUE_NODE_H
#define FX_VALUE_NODE_H

#include <stdbool.h>
#include <string.h>

#include <jansson.h>

#include "base/text.h"

/* jansson's iterators take a writable object although they only read it. What comes out
 * is for them, never for writing. */
static inline json_t *fx_node_unconst(const json_t *node) {
    const union {
        const json_t *in;
        json_t *out;
    } same = {.in = node};
    return same.out;
}

/* Walking an object in its order: `iter` is NULL at the end. */
static inline void *fx_node_first(const json_t *object) {
    return json_object_iter(fx_node_unconst(object));
}

static inline void *fx_node_next(const json_t *object, void *iter) {
    return json_object_iter_next(fx_node_unconst(object), iter);
}

/* The key under the iterator. */
static inline struct fx_text fx_node_key(void *iter) {
    return (struct fx_text){json_object_iter_key(iter), json_object_iter_key_len(iter)};
}

static inline bool fx_node_has_key(void *iter, struct fx_text key) {
    return json_object_iter_key_len(iter) == key.len &&
           memcmp(json_object_iter_key(iter), key.data, key.len) == 0;
}

#endif
