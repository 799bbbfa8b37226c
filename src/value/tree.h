/* SPDX-License-Identifier: Apache-2.0
 *
 * value/tree.h - the object under mutation: jansson nodes, copied on write.
 *
 * Ownership, for every fx_tree_* function:
 *   view_*   borrows: valid until the tree is next written; never decref it
 *   own_*    borrows, and promises the node is not shared: write to it
 *   *_take   consumes the argument's reference, on success and on failure
 * Nothing else transfers ownership.
 *
 * A node whose reference count is 1, reached through nodes whose count is 1 from a root
 * whose count is 1, is not shared; so ownership is always taken from the root
 * downwards. Objects keep the order in which their keys were first set.
 */
#ifndef FX_VALUE_TREE_H
#define FX_VALUE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

/* Does only the caller have a reference to this node? Its parents may still be shared.
 * The count is read with an atomic load, because another thread may be releasing the same
 * literal. */
bool fx_tree_is_unshared(const json_t *node);

/* Returns object[key], or NULL if `object` is NULL, is not an object, or has no such key.
 * Keys are bytes and may contain NUL. The _text form takes a span. */
json_t *fx_tree_view_key(const json_t *object, const char *key);
json_t *fx_tree_view_text(const json_t *object, struct fx_text key);

/* Returns the text of object[key]; an empty text (data NULL) if it is missing or not a
 * string. */
struct fx_text fx_tree_view_string(const json_t *object, const char *key);

/* Returns the text of a string node; an empty text (data NULL) for any other node and for
 * NULL. */
struct fx_text fx_tree_text(const json_t *node);

/* Makes the root writable: if it is shared, *root becomes a copy one level deep, and the
 * old reference is dropped. Returns *root, or NULL without memory (then *root is
 * unchanged). true, false and null exist once in the process and are never copied. */
json_t *fx_tree_own_root(json_t **root) FX_MUST_USE;

/* Returns a copy one level deep of an object or array, which shares its members. NULL
 * without memory. (json_copy() leaves members out without memory.) */
json_t *fx_tree_copy(const json_t *node) FX_MUST_USE;

/* Returns a copy that shares no container, string or number with the tree. NULL for NULL,
 * and without memory. (json_deep_copy() leaves members out without memory, and cuts keys
 * at a NUL.) The recursion is as deep as the tree, which readers limit
 * (FX_LIMIT_JSON_DEPTH). */
json_t *fx_tree_deep_copy(const json_t *node) FX_MUST_USE;

/* Makes object[key] (array[index]) writable. The parent must be owned. NULL if there is
 * no such child, or without memory; call view_ first to distinguish these. */
json_t *fx_tree_own_key(json_t *object, struct fx_text key) FX_MUST_USE;
json_t *fx_tree_own_index(json_t *array, size_t index) FX_MUST_USE;

/* Writes into an owned parent. False without memory, and if `value` is NULL. */
bool fx_tree_set_take(json_t *object, struct fx_text key, json_t *value) FX_MUST_USE;
bool fx_tree_set_index_take(json_t *array, size_t index, json_t *value) FX_MUST_USE;
bool fx_tree_insert_take(json_t *array, size_t index, json_t *value) FX_MUST_USE;
bool fx_tree_append_take(json_t *array, json_t *value) FX_MUST_USE;

/* Returns a new object that shares the members of the old one, but has a new value for
 * the key, at the same position. NULL without memory, or if `value` is NULL. */
json_t *fx_tree_with_take(const json_t *object, struct fx_text key,
                          json_t *value) FX_MUST_USE;

/* Returns the tree if `ok`; otherwise frees it and returns NULL. */
static inline json_t *fx_tree_keep_if(bool ok, json_t *tree_take) {
    if (!ok) {
        json_decref(tree_take);
    }
    return ok ? tree_take : NULL;
}

/* Removes a member from an owned parent, if it exists. */
void fx_tree_remove_key(json_t *object, struct fx_text key);
void fx_tree_remove_index(json_t *array, size_t index);

/* Returns a new string node of these bytes, which must be UTF-8; NULL without memory. */
json_t *fx_tree_new_string(struct fx_text text) FX_MUST_USE;

/* Overwrites every unshared string in the tree, except keys. Use it for trees with
 * secrets, before they are dropped. Shared strings do not change. */
void fx_tree_wipe(json_t *node);

/* Returns the name of a node's type as Go prints it with %T: `string`, `int64`,
 * `float64`, `bool`, `<nil>`, `[]interface {}`, `map[string]interface {}`. */
const char *fx_tree_go_type(const json_t *node);

/* ---- walking an object that is const ----------------------------------------------- */

/* Makes an object writable for jansson's iterators, which only read it. Use the result
 * only for them, never for writing. */
static inline json_t *fx_node_unconst(const json_t *node) {
    const union {
        const json_t *in;
        json_t *out;
    } same = {.in = node};
    return same.out;
}

/* Walks an object in its order. `iter` is NULL at the end. */
static inline void *fx_node_first(const json_t *object) {
    return json_object_iter(fx_node_unconst(object));
}

static inline void *fx_node_next(const json_t *object, void *iter) {
    return json_object_iter_next(fx_node_unconst(object), iter);
}

/* Returns the key under the iterator. */
static inline struct fx_text fx_node_key(void *iter) {
    return (struct fx_text){json_object_iter_key(iter), json_object_iter_key_len(iter)};
}

static inline bool fx_node_has_key(void *iter, struct fx_text key) {
    return json_object_iter_key_len(iter) == key.len &&
           memcmp(json_object_iter_key(iter), key.data, key.len) == 0;
}

#endif
