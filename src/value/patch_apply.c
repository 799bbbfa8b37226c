/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_apply.c - applying JSON Patch (RFC 6902 section 4), copying on write.
 *
 * A copy shares its nodes with the original, so a small patch with many copies could give
 * an enormous tree. Therefore the number of copied nodes and the depth are limited.
 */
#include <assert.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/measure.h"
#include "value/patch.h"
#include "value/patch_internal.h"
#include "value/pointer.h"
#include "value/tree.h"

#define SHOWN_PATH 512 /* the longest path in a message, in bytes */

#define KEPT_LEVELS 8u

/* A node on the last path, and the length of the path to it. */
struct level {
    json_t *node;
    size_t end;
};

struct applier {
    json_t **root;
    struct fx_text token; /* the last token that was taken from a path */
    struct fx_buf plain;  /* the bytes of the token if it had escapes */
    size_t copied;        /* nodes that copies may still add */
    unsigned depth;       /* depth of the node that `token` names */

    /* The last path, and the nodes on it: from the root to the parent of the written
     * node, or to the last level that has room. The nodes are owned. */
    struct fx_text path;
    struct level levels[KEPT_LEVELS];
    unsigned n_levels;
    struct fx_err *err;
};

static bool fail_missing(struct applier *a) {
    return fx_fail(a->err, FX_EINVALID, "the path does not exist");
}

static bool fail_index(struct applier *a) {
    const struct fx_text token = a->token;
    return fx_fail(a->err, FX_EINVALID, "`%.*s` is not an index of the list",
                   token.len < SHOWN_PATH ? (int)token.len : SHOWN_PATH, token.data);
}

/* Takes the next token if it has no escapes. False if it has escapes, or there is no
 * token. */
static bool take_plain(struct fx_text *rest, struct fx_text *ret_token) {
    struct fx_text left = *rest;
    if (!fx_pointer_split(&left, ret_token) ||
        memchr(ret_token->data, '~', ret_token->len) != NULL) {
        return false;
    }
    *rest = left;
    return true;
}

/* Takes the next token from the path into `token`. */
static bool next_token(struct applier *a, struct fx_text *rest) {
    if (take_plain(rest, &a->token)) {
        a->depth++;
        return true;
    }
    if (fx_pointer_next(rest, &a->plain)) {
        a->token = (struct fx_text){a->plain.data, a->plain.len};
        a->depth++;
        return true;
    }
    return a->plain.failed
               ? fx_fail_nomem(a->err)
               : fx_fail(a->err, FX_EINVALID, "the path is not a JSON pointer");
}

/* Reads the index that `token` names in the list. It is less than `end`. */
static bool read_index(struct applier *a, size_t end, size_t *ret_index) {
    if (!fx_pointer_index(a->token, ret_index)) {
        return fail_index(a);
    }
    return *ret_index < end || fail_missing(a);
}

/* Finds the node at the path, or NULL if there is none. Fails if the path is malformed,
 * or there is no memory. (fx_pointer_view() does not distinguish these from a missing
 * node.) */
static bool view_node(struct applier *a, struct fx_text path, json_t **ret_node) {
    json_t *node = *a->root;
    while (node != NULL && path.len > 0) {
        if (!next_token(a, &path)) {
            return false;
        }
        node = fx_pointer_child(node, a->token);
    }
    *ret_node = node;
    return true;
}

/* Makes the child that `token` names writable. Returns NULL with the error if it
 * fails. */
static json_t *own_child(struct applier *a, json_t *parent) {
    json_t *child = NULL;
    size_t index = 0;
    if (json_is_array(parent)) {
        if (!read_index(a, json_array_size(parent), &index)) {
            return NULL;
        }
        child = fx_tree_own_index(parent, index);
    } else {
        child = fx_tree_own_key(parent, a->token);
        if (child == NULL && fx_tree_view_text(parent, a->token) == NULL) {
            (void)fail_missing(a);
            return NULL;
        }
    }
    if (child == NULL) {
        (void)fx_fail_nomem(a->err);
    }
    return child;
}

/* ---- the parent of a node --------------------------------------------------------- */

static void forget_path(struct applier *a) {
    a->n_levels = 0;
}

static void keep_level(struct applier *a, json_t *node, size_t end) {
    if (a->n_levels < KEPT_LEVELS) {
        a->levels[a->n_levels++] = (struct level){node, end};
    }
}

/* Is the level also on the path `path`? */
static bool is_on_path(const struct applier *a, const struct level *level,
                       struct fx_text path) {
    return level->end < path.len && path.data[level->end] == '/' &&
           memcmp(path.data, a->path.data, level->end) == 0;
}

/* Keeps the levels that are also on the path `path`. */
static void keep_common(struct applier *a, struct fx_text path) {
    while (a->n_levels > 0 && !is_on_path(a, &a->levels[a->n_levels - 1], path)) {
        a->n_levels--;
    }
    a->path = path;
}

/* Returns the node at which the walk down the path begins: the deepest kept level, or the
 * root. NULL with the error if it fails. */
static json_t *begin_path(struct applier *a, struct fx_text path) {
    keep_common(a, path);
    if (a->n_levels == 0) {
        json_t *root = fx_tree_own_root(a->root);
        if (root == NULL) {
            (void)fx_fail_nomem(a->err);
            return NULL;
        }
        keep_level(a, root, 0);
    }
    return a->levels[a->n_levels - 1].node;
}

/* Walks a non-empty path down to its last token, which stays in `token`, and makes the
 * nodes on it writable. Returns the parent of the named node. Writing into the parent
 * does not change the levels above it. */
static json_t *own_parent(struct applier *a, struct fx_text path) {
    json_t *node = begin_path(a, path);
    if (node == NULL) {
        return NULL;
    }
    const size_t walked = a->levels[a->n_levels - 1].end;
    struct fx_text rest = {path.data + walked, path.len - walked};
    a->depth = a->n_levels - 1;
    if (!next_token(a, &rest)) {
        return NULL;
    }
    while (node != NULL && rest.len > 0) {
        node = own_child(a, node);
        if (node != NULL) {
            keep_level(a, node, path.len - rest.len);
            node = next_token(a, &rest) ? node : NULL;
        }
    }
    if (node != NULL && !json_is_object(node) && !json_is_array(node)) {
        (void)fail_missing(a);
        return NULL;
    }
    return node;
}

/* ---- the operations ---------------------------------------------------------------- */

/* Can the value be at depth a->depth? `copied` also counts its nodes. */
static bool check_size(struct applier *a, const json_t *value, bool copied) {
    size_t unbounded = SIZE_MAX;
    size_t *budget = copied ? &a->copied : &unbounded;
    if (a->depth <= FX_LIMIT_JSON_DEPTH &&
        fx_tree_measure(value, FX_LIMIT_JSON_DEPTH - a->depth, budget)) {
        return true;
    }
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(a->err);
    }
    if (*budget == 0) {
        return fx_fail(a->err, FX_ELIMIT, "copies of more than %u values",
                       FX_LIMIT_YAML_NODES);
    }
    return fx_fail(a->err, FX_ELIMIT, "exceeded max depth");
}

static void replace_root(struct applier *a, json_t *value) {
    json_t *old = *a->root;
    forget_path(a);
    *a->root = json_incref(value);
    json_decref(old);
}

static bool insert_element(struct applier *a, json_t *array, json_t *value) {
    size_t index = json_array_size(array);
    if (!fx_text_is(a->token, "-") &&
        !read_index(a, json_array_size(array) + 1, &index)) {
        return false;
    }
    return fx_tree_insert_take(array, index, json_incref(value)) || fx_fail_nomem(a->err);
}

/* Section 4.1. `copied` is true if the value is already in the tree. */
static bool apply_add(struct applier *a, struct fx_text path, json_t *value,
                      bool copied) {
    a->depth = 0;
    json_t *parent = path.len == 0 ? NULL : own_parent(a, path);
    if (path.len > 0 && parent == NULL) {
        return false;
    }
    if (!check_size(a, value, copied)) {
        return false;
    }
    if (parent == NULL) {
        replace_root(a, value);
        return true;
    }
    if (json_is_array(parent)) {
        return insert_element(a, parent, value);
    }
    return fx_tree_set_take(parent, a->token, json_incref(value)) ||
           fx_fail_nomem(a->err);
}

/* Section 4.2. */
static bool remove_at(struct applier *a, struct fx_text path) {
    if (path.len == 0) {
        return fx_fail(a->err, FX_EINVALID, "the whole document cannot be removed");
    }
    json_t *parent = own_parent(a, path);
    if (parent == NULL) {
        return false;
    }
    if (json_is_array(parent)) {
        size_t index = 0;
        if (!read_index(a, json_array_size(parent), &index)) {
            return false;
        }
        fx_tree_remove_index(parent, index);
        return true;
    }
    if (fx_tree_view_text(parent, a->token) == NULL) {
        return fail_missing(a);
    }
    fx_tree_remove_key(parent, a->token);
    return true;
}

/* Section 4.3. */
static bool apply_replace(struct applier *a, struct fx_text path, json_t *value) {
    if (path.len == 0) {
        return apply_add(a, path, value, false);
    }
    json_t *parent = own_parent(a, path);
    if (parent == NULL) {
        return false;
    }
    if (json_is_array(parent)) {
        size_t index = 0;
        if (!read_index(a, json_array_size(parent), &index) ||
            !check_size(a, value, false)) {
            return false;
        }
        return fx_tree_set_index_take(parent, index, json_incref(value)) ||
               fx_fail_nomem(a->err);
    }
    if (fx_tree_view_text(parent, a->token) == NULL) {
        return fail_missing(a);
    }
    return check_size(a, value, false) &&
           (fx_tree_set_take(parent, a->token, json_incref(value)) ||
            fx_fail_nomem(a->err));
}

/* Is `path` below `from`, so that moving there would move a value into itself? */
static bool is_within(struct fx_text path, struct fx_text from) {
    return path.len > from.len && fx_text_starts(path, from) &&
           path.data[from.len] == '/';
}

/* Section 4.4. The caller's reference keeps the value alive between the removal and the
 * addition. */
static bool apply_move(struct applier *a, const struct fx_patch_op *op, json_t *value) {
    if (is_within(op->path, op->from)) {
        return fx_fail(a->err, FX_EINVALID, "a value cannot be moved into itself");
    }
    if (fx_text_equal(op->path, op->from)) {
        return true;
    }
    return remove_at(a, op->from) && apply_add(a, op->path, value, false);
}

/* Applies MOVE and COPY. Takes a reference to the value at `from` first: so the walk to
 * `path` sees that the value is shared, and does not write into it. */
static bool apply_from(struct applier *a, const struct fx_patch_op *op) {
    json_t *value = NULL;
    if (!view_node(a, op->from, &value)) {
        return false;
    }
    if (json_incref(value) == NULL) {
        return fx_fail(a->err, FX_EINVALID, "the path to take from does not exist");
    }
    forget_path(a);
    const bool ok = op->kind == FX_PATCH_MOVE ? apply_move(a, op, value)
                                              : apply_add(a, op->path, value, true);
    forget_path(a);
    json_decref(value);
    return ok;
}

/* Section 4.6. */
static bool apply_test(struct applier *a, const struct fx_patch_op *op) {
    json_t *value = NULL;
    if (!view_node(a, op->path, &value)) {
        return false;
    }
    if (value == NULL) {
        return fail_missing(a);
    }
    return fx_equal(value, op->value) ||
           fx_fail(a->err, FX_EINVALID, "the value differs");
}

#define UNITS_OF_OP 8u

static bool apply_op(struct applier *a, const struct fx_patch_op *op) {
    if (!fx_spend(UNITS_OF_OP) || !fx_spend_text(op->path.len)) {
        return fx_fail_exceeded(a->err);
    }
    switch (op->kind) {
    case FX_PATCH_ADD: return apply_add(a, op->path, op->value, false);
    case FX_PATCH_REMOVE: return remove_at(a, op->path);
    case FX_PATCH_REPLACE: return apply_replace(a, op->path, op->value);
    case FX_PATCH_MOVE:
    case FX_PATCH_COPY: return apply_from(a, op);
    case FX_PATCH_TEST: return apply_test(a, op);
    }
    return fx_fail(a->err, FX_EINTERNAL, "no such operation");
}

static bool prefix_op(struct fx_err *err, size_t index, const struct fx_patch_op *op) {
    const int shown = op->path.len < SHOWN_PATH ? (int)op->path.len : SHOWN_PATH;
    return fx_err_prefix(err, "operation %zu (%s %.*s): ", index,
                         fx_patch_op_name(op->kind), shown, op->path.data);
}

bool fx_patch_apply(const struct fx_patch *patch, json_t **root, struct fx_err *err) {
    assert(*root != NULL);
    struct applier applier;
    applier.root = root;
    applier.copied = FX_LIMIT_YAML_NODES;
    applier.depth = 0;
    applier.path = FX_TEXT("");
    applier.n_levels = 0;
    applier.err = err;
    fx_buf_init(&applier.plain, 0);
    bool ok = true;
    for (size_t i = 0; ok && i < patch->n_ops; i++) {
        ok = apply_op(&applier, &patch->ops[i]) || prefix_op(err, i, &patch->ops[i]);
    }
    fx_buf_finish(&applier.plain);
    return ok;
}
