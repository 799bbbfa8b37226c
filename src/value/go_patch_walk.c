/* SPDX-License-Identifier: Apache-2.0
 *
 * go_patch_walk.c - finds, adds and removes the nodes of paths.
 */
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "value/go_index.h"
#include "value/go_patch_internal.h"
#include "value/tree.h"

/* ---- paths --------------------------------------------------------------------------
 */

bool fx_go_decode_piece(struct go_patching *patching, struct fx_text piece) {
    struct fx_buf *key = &patching->key;
    fx_buf_reset(key);
    fx_buf_str(key, "");
    for (size_t i = 0; i < piece.len; i++) {
        const bool is_escape = piece.data[i] == '~' && i + 1 < piece.len &&
                               (piece.data[i + 1] == '0' || piece.data[i + 1] == '1');
        if (is_escape) {
            i++;
            fx_buf_char(key, piece.data[i] == '1' ? '/' : '~');
        } else {
            fx_buf_char(key, piece.data[i]);
        }
    }
    return !key->failed || fx_fail_nomem(patching->err);
}

bool fx_go_find_element(struct go_patching *patching, size_t size, size_t *ret_index,
                        struct fx_buf *reason) {
    const struct fx_text key = fx_buf_view(&patching->key);
    int64_t index = 0;
    const enum fx_go_index_fault fault = fx_go_index_read(key, &index);
    if (fault != FX_GO_INDEX_OK) {
        fx_go_index_print_fault(reason, key, fault);
        return false;
    }
    const int64_t n = (int64_t)size;
    if (index >= n || index < -n) {
        fx_buf_printf(reason,
                      "Unable to access invalid index: %lld: " FX_GO_INVALID_INDEX,
                      (long long)index);
        return false;
    }
    *ret_index = (size_t)(index < 0 ? index + n : index);
    return true;
}

json_t *fx_go_view_child(struct go_patching *patching, json_t *container, bool owns) {
    const struct fx_text key = fx_buf_view(&patching->key);
    json_t *child = NULL;
    size_t index = 0;
    if (json_is_array(container)) {
        struct fx_buf reason;
        fx_buf_init(&reason, 0);
        if (fx_go_find_element(patching, json_array_size(container), &index, &reason)) {
            child = owns ? fx_tree_own_index(container, index)
                         : json_array_get(container, index);
        }
        fx_buf_finish(&reason);
    } else if (key.len > 0 || patching->patch->version != FX_GO_PATCH_V5) {
        child = fx_tree_view_text(container, key); /* version 5 does not find "" */
        if (owns && child != NULL) {
            child = fx_tree_own_key(container, key);
        }
    }
    return json_is_null(child) ? NULL : child;
}

/* Walks to the object or list that has the node of the path; `key` is the last piece.
 * NULL if there is none, or after a failure. */
static json_t *walk(struct go_patching *patching, struct fx_text path, bool owns) {
    struct fx_text rest = path;
    json_t *node = owns ? fx_tree_own_root(patching->root) : *patching->root;
    patching->depth = 0;
    if (path.len == 0 || memchr(path.data, '/', path.len) == NULL) {
        return NULL;
    }
    (void)fx_text_cut(&rest, '/');
    while (json_is_object(node) || json_is_array(node)) {
        const bool is_last = memchr(rest.data, '/', rest.len) == NULL;
        const struct fx_text piece = fx_text_cut(&rest, '/');
        patching->depth++;
        if (!fx_spend(4) || !fx_spend_text(piece.len) ||
            !fx_go_decode_piece(patching, piece)) {
            return NULL;
        }
        if (is_last) {
            return node;
        }
        node = fx_go_view_child(patching, node, owns);
    }
    return NULL;
}

json_t *fx_go_find_container(struct go_patching *patching, struct fx_text path,
                             bool owns) {
    json_t *container = walk(patching, path, false);
    patching->is_missing = container == NULL && patching->err->code == FX_OK &&
                           fx_budget_exceeded() == FX_EXCEEDED_NOTHING;
    return container != NULL && owns ? walk(patching, path, true) : container;
}

bool fx_go_get(struct go_patching *patching, json_t *container, json_t **ret_value,
               struct fx_buf *reason) {
    size_t index = 0;
    if (json_is_array(container) &&
        !fx_go_find_element(patching, json_array_size(container), &index, reason)) {
        return false;
    }
    *ret_value = fx_go_view_child(patching, container, false);
    return true;
}

bool fx_go_put(struct go_patching *patching, json_t *container, json_t *value,
               struct fx_buf *reason) {
    const struct fx_text key = fx_buf_view(&patching->key);
    const size_t n = json_array_size(container);
    int64_t index = (int64_t)n;
    if (!json_is_array(container)) {
        return fx_tree_set_take(container, key, json_incref(value)) ||
               fx_fail_nomem(patching->err);
    }
    const enum fx_go_index_fault fault =
        fx_text_is(key, "-") ? FX_GO_INDEX_OK : fx_go_index_read(key, &index);
    if (fault != FX_GO_INDEX_OK) {
        fx_buf_str(reason, "value was not a proper array index: '");
        fx_buf_text(reason, key);
        fx_buf_str(reason, "': ");
        fx_go_index_print_fault(reason, key, fault);
        return false;
    }
    if (index > (int64_t)n || index < -(int64_t)n - 1) {
        fx_buf_printf(reason,
                      "Unable to access invalid index: %lld: " FX_GO_INVALID_INDEX,
                      (long long)index);
        return false;
    }
    const size_t at = (size_t)(index < 0 ? index + (int64_t)n + 1 : index);
    if (!fx_spend(1 + (n - at) / FX_BUDGET_BYTES)) {
        return fx_fail_exceeded(patching->err);
    }
    return fx_tree_insert_take(container, at, json_incref(value)) ||
           fx_fail_nomem(patching->err);
}

bool fx_go_drop(struct go_patching *patching, json_t *container, struct fx_buf *reason) {
    const struct fx_text key = fx_buf_view(&patching->key);
    size_t index = 0;
    if (json_is_array(container)) {
        if (!fx_go_find_element(patching, json_array_size(container), &index, reason)) {
            return false;
        }
        fx_tree_remove_index(container, index);
        return true;
    }
    if (fx_tree_view_text(container, key) == NULL) {
        fx_buf_str(reason, "Unable to remove nonexistent key: ");
        fx_buf_text(reason, key);
        fx_buf_str(reason, ": " FX_GO_MISSING);
        return false;
    }
    fx_tree_remove_key(container, key);
    return true;
}

/* ---- missing parents
 * ------------------------------------------------------------------- */

static bool is_index(struct fx_text piece) {
    int64_t index = 0;
    return fx_go_index_read(piece, &index) == FX_GO_INDEX_OK;
}

/* Appends nulls to an owned list until it has `size` elements. */
static bool pad(struct go_patching *patching, json_t *list, int64_t size) {
    const int64_t n = (int64_t)json_array_size(list);
    if (size <= n) {
        return true;
    }
    if ((uint64_t)(size - n) > patching->padded) {
        return fx_fail(patching->err, FX_ELIMIT,
                       "a JSON patch pads lists with more than %u nulls",
                       FX_LIMIT_PATCH_PADDING);
    }
    patching->padded -= (size_t)(size - n);
    bool ok = fx_spend((uint64_t)(size - n)) || fx_fail_exceeded(patching->err);
    for (int64_t i = n; ok && i < size; i++) {
        ok = fx_tree_append_take(list, json_null()) || fx_fail_nomem(patching->err);
    }
    return ok;
}

/* A new parent for the piece `next` of a path: a list with room for an index, or an
 * object. */
static json_t *create_parent(struct go_patching *patching, struct fx_text next) {
    int64_t index = 0;
    const bool is_list =
        fx_text_is(next, "-") || fx_go_index_read(next, &index) == FX_GO_INDEX_OK;
    if (index < -1) {
        (void)fx_go_refuse(patching,
                           "Unable to ensure path for negative index other than -1: "
                           "%lld: " FX_GO_INVALID_INDEX,
                           (long long)index);
        return NULL;
    }
    json_t *parent = is_list ? json_array() : json_object();
    if (parent == NULL) {
        (void)fx_fail_nomem(patching->err);
        return NULL;
    }
    return fx_tree_keep_if(!is_list || pad(patching, parent, index), parent);
}

/* Makes the child of an owned container that the key names, as a parent for `next`.
 * *ret_child, which is borrowed, is NULL if the container cannot have such a child. */
static bool make_child(struct go_patching *patching, json_t *container,
                       struct fx_text next, json_t **ret_child) {
    struct fx_buf reason;
    int64_t index = 0;
    const struct fx_text key = fx_buf_view(&patching->key);
    *ret_child = NULL;
    if (json_is_array(container) && is_index(key) &&
        fx_go_index_read(key, &index) == FX_GO_INDEX_OK &&
        !pad(patching, container, index)) {
        return false;
    }
    json_t *child = create_parent(patching, next);
    if (child == NULL) {
        return false;
    }
    fx_buf_init(&reason, 0);
    const bool is_put = fx_go_put(patching, container, child, &reason);
    fx_buf_finish(&reason);
    json_decref(child);
    *ret_child = is_put ? child : NULL;
    return is_put || patching->err->code == FX_OK;
}

bool fx_go_make_parents(struct go_patching *patching, struct fx_text path) {
    struct fx_text rest = path;
    if (fx_go_find_container(patching, path, false) != NULL || !patching->is_missing ||
        path.len == 0 || memchr(path.data, '/', path.len) == NULL) {
        return patching->err->code == FX_OK;
    }
    json_t *node = fx_tree_own_root(patching->root);
    if (node == NULL) {
        return fx_fail_nomem(patching->err);
    }
    (void)fx_text_cut(&rest, '/');
    bool ok = true;
    for (unsigned depth = 0; ok && (json_is_object(node) || json_is_array(node)) &&
                             memchr(rest.data, '/', rest.len) != NULL;
         depth++) {
        const struct fx_text piece = fx_text_cut(&rest, '/');
        struct fx_text after = rest;
        if (depth > FX_LIMIT_JSON_DEPTH) {
            return fx_fail(patching->err, FX_ELIMIT, "exceeded max depth");
        }
        if (!fx_spend(4) || !fx_spend_text(piece.len)) {
            return fx_fail_exceeded(patching->err);
        }
        ok = fx_go_decode_piece(patching, piece);
        json_t *child = ok ? fx_go_view_child(patching, node, true) : NULL;
        if (ok && child == NULL) {
            ok = make_child(patching, node, fx_text_cut(&after, '/'), &child);
        }
        node = child;
    }
    return ok;
}
