/* SPDX-License-Identifier: Apache-2.0
 *
 * json_patch_apply.c - applies the operations of a JSON Patch as evanphx/json-patch does.
 *
 * A copy shares its nodes with the original. So the number of copied nodes and the depth
 * are limited.
 */
#include "mutators/admission_policy/json_patch_apply.h"

#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "mutators/admission_policy/json_patch_index.h"
#include "value/equal.h"
#include "value/measure.h"
#include "value/tree.h"

#define INVALID_INDEX "invalid index referenced"
#define MISSING       "missing value"

/* Operations under way. The functions return false, or NULL, after a failure. */
struct patching {
    json_t **root;
    const struct fx_map_operation *operation;
    struct fx_buf key; /* the last piece of a path, decoded */
    unsigned depth;    /* of the node that the last path names */
    size_t copied;     /* nodes that copies may still add */
    bool is_missing;   /* find_container() found no container */
    bool stopped;
    struct fx_map_refusal *refusal;
    struct fx_err *err;
};

FX_PRINTF(2, 3)
static bool refuse(struct patching *patching, const char *fmt, ...) {
    va_list args;
    fx_buf_str(&patching->refusal->message, "JSON Patch: ");
    va_start(args, fmt);
    fx_buf_vprintf(&patching->refusal->message, fmt, args);
    va_end(args);
    return fx_map_reject(patching->refusal, 403, patching->err);
}

static int text_len(struct fx_text text) {
    return text.len > FX_ERR_TEXT ? FX_ERR_TEXT : (int)text.len;
}

/* ---- paths --------------------------------------------------------------------------
 */

/* Decodes a piece of a path into `key`: ~1 is a slash, ~0 a tilde, any other ~ itself. */
static bool decode_piece(struct patching *patching, struct fx_text piece) {
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

/* Finds the element that the key names among `size`; a negative index counts from the
 * end. False, with the reason in `reason`, if there is none. */
static bool find_element(struct patching *patching, size_t size, size_t *ret_index,
                         struct fx_buf *reason) {
    const struct fx_text key = fx_buf_view(&patching->key);
    int64_t index = 0;
    const enum fx_map_index_fault fault = fx_map_read_index(key, &index);
    if (fault != FX_MAP_INDEX_OK) {
        fx_map_print_index_fault(reason, key, fault);
        return false;
    }
    const int64_t n = (int64_t)size;
    if (index >= n || index < -n) {
        fx_buf_printf(reason, "Unable to access invalid index: %lld: " INVALID_INDEX,
                      (long long)index);
        return false;
    }
    *ret_index = (size_t)(index < 0 ? index + n : index);
    return true;
}

/* The child that the key names; NULL: there is none, or it is null. If `owns`, the
 * container is owned, and so is the child. */
static json_t *view_child(struct patching *patching, json_t *container, bool owns) {
    const struct fx_text key = fx_buf_view(&patching->key);
    json_t *child = NULL;
    size_t index = 0;
    if (json_is_array(container)) {
        struct fx_buf reason;
        fx_buf_init(&reason, 0);
        if (find_element(patching, json_array_size(container), &index, &reason)) {
            child = owns ? fx_tree_own_index(container, index)
                         : json_array_get(container, index);
        }
        fx_buf_finish(&reason);
    } else {
        child = fx_tree_view_text(container, key);
        if (owns && child != NULL) {
            child = fx_tree_own_key(container, key);
        }
    }
    return json_is_null(child) ? NULL : child;
}

/* Walks to the object or list that has the node of the path; `key` is the last piece.
 * NULL if there is none, or after a failure. */
static json_t *walk(struct patching *patching, struct fx_text path, bool owns) {
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
        if (!fx_spend(4) || !fx_spend_text(piece.len) || !decode_piece(patching, piece)) {
            return NULL;
        }
        if (is_last) {
            return node;
        }
        node = view_child(patching, node, owns);
    }
    return NULL;
}

/* The container of the node, owned if `owns`. A first walk without copies finds out
 * whether there is one: if not, `is_missing`. */
static json_t *find_container(struct patching *patching, struct fx_text path, bool owns) {
    json_t *container = walk(patching, path, false);
    patching->is_missing = container == NULL && patching->err->code == FX_OK &&
                           fx_budget_exceeded() == FX_EXCEEDED_NOTHING;
    return container != NULL && owns ? walk(patching, path, true) : container;
}

/* Refuses because there is no container, or fails as the walk did. */
FX_PRINTF(2, 3)
static bool refuse_missing(struct patching *patching, const char *fmt, ...) {
    va_list args;
    if (!patching->is_missing) {
        return patching->err->code != FX_OK ? false : fx_map_fail_work(patching->err);
    }
    fx_buf_str(&patching->refusal->message, "JSON Patch: ");
    va_start(args, fmt);
    fx_buf_vprintf(&patching->refusal->message, fmt, args);
    va_end(args);
    fx_buf_str(&patching->refusal->message, ": " MISSING);
    return fx_map_reject(patching->refusal, 403, patching->err);
}

/* ---- containers -----------------------------------------------------------------------
 */

/* Can the value be where the last path leads? `copied` counts its nodes, too. */
static bool check_size(struct patching *patching, const json_t *value, bool copied) {
    size_t unbounded = SIZE_MAX;
    if (patching->depth <= FX_LIMIT_JSON_DEPTH &&
        fx_tree_measure(value, FX_LIMIT_JSON_DEPTH - patching->depth,
                        copied ? &patching->copied : &unbounded)) {
        return true;
    }
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING
               ? fx_fail_exceeded(patching->err)
               : fx_fail(patching->err, FX_ELIMIT,
                         "a mutation makes a value that is too large or too deep");
}

/* Gets the value that the key names; NULL: it is missing or null. False, with the reason,
 * for an index that a list does not have. */
static bool get(struct patching *patching, json_t *container, json_t **ret_value,
                struct fx_buf *reason) {
    size_t index = 0;
    if (json_is_array(container) &&
        !find_element(patching, json_array_size(container), &index, reason)) {
        return false;
    }
    *ret_value = view_child(patching, container, false);
    return true;
}

/* Adds the value to the owned container. False with the reason, or after a failure. */
static bool put(struct patching *patching, json_t *container, json_t *value,
                struct fx_buf *reason) {
    const struct fx_text key = fx_buf_view(&patching->key);
    const size_t n = json_array_size(container);
    int64_t index = (int64_t)n;
    if (!json_is_array(container)) {
        return fx_tree_set_take(container, key, json_incref(value)) ||
               fx_fail_nomem(patching->err);
    }
    const enum fx_map_index_fault fault =
        fx_text_is(key, "-") ? FX_MAP_INDEX_OK : fx_map_read_index(key, &index);
    if (fault != FX_MAP_INDEX_OK) {
        fx_buf_str(reason, "value was not a proper array index: '");
        fx_buf_text(reason, key);
        fx_buf_str(reason, "': ");
        fx_map_print_index_fault(reason, key, fault);
        return false;
    }
    if (index > (int64_t)n || index < -(int64_t)n - 1) {
        fx_buf_printf(reason, "Unable to access invalid index: %lld: " INVALID_INDEX,
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

/* Removes the node that the key names from the owned container. */
static bool drop(struct patching *patching, json_t *container, struct fx_buf *reason) {
    const struct fx_text key = fx_buf_view(&patching->key);
    size_t index = 0;
    if (json_is_array(container)) {
        if (!find_element(patching, json_array_size(container), &index, reason)) {
            return false;
        }
        fx_tree_remove_index(container, index);
        return true;
    }
    if (fx_tree_view_text(container, key) == NULL) {
        fx_buf_str(reason, "Unable to remove nonexistent key: ");
        fx_buf_text(reason, key);
        fx_buf_str(reason, ": " MISSING);
        return false;
    }
    fx_tree_remove_key(container, key);
    return true;
}

/* Refuses for the reason that put(), get() or drop() gave; a failure of theirs stays. */
static bool refuse_at(struct patching *patching, const char *what, struct fx_text path,
                      const struct fx_buf *reason) {
    if (patching->err->code != FX_OK) {
        return false;
    }
    return reason->failed ? fx_fail_nomem(patching->err)
                          : refuse(patching, "%s '%.*s': %s", what, text_len(path),
                                   path.data, reason->data);
}

/* ---- operations -----------------------------------------------------------------------
 */

/* The value of an operation; null without one. */
static json_t *value_or_null(const struct fx_map_operation *operation) {
    return operation->value != NULL ? operation->value : json_null();
}

static bool apply_add(struct patching *patching, struct fx_buf *reason) {
    const struct fx_text path = patching->operation->path;
    json_t *value = value_or_null(patching->operation);
    json_t *container = find_container(patching, path, true);
    if (container == NULL) {
        return refuse_missing(patching,
                              "add operation does not apply: doc is missing path: "
                              "\"%.*s\"",
                              text_len(path), path.data);
    }
    return check_size(patching, value, false) &&
           (put(patching, container, value, reason) ||
            refuse_at(patching, "error in add for path:", path, reason));
}

static bool apply_remove(struct patching *patching, struct fx_buf *reason) {
    const struct fx_text path = patching->operation->path;
    json_t *container = find_container(patching, path, true);
    if (container == NULL) {
        return refuse_missing(patching,
                              "remove operation does not apply: doc is missing path: "
                              "\"%.*s\"",
                              text_len(path), path.data);
    }
    return drop(patching, container, reason) ||
           refuse_at(patching, "error in remove for path:", path, reason);
}

static bool replace_root(struct patching *patching) {
    json_t *value = patching->operation->value;
    if (!json_is_object(value) && !json_is_array(value)) {
        return refuse(patching,
                      "replace operation value must be object or array: %%!w(<nil>)");
    }
    json_decref(*patching->root);
    *patching->root = json_incref(value);
    return true;
}

static bool apply_replace(struct patching *patching, struct fx_buf *reason) {
    const struct fx_text path = patching->operation->path;
    json_t *value = value_or_null(patching->operation);
    size_t index = 0;
    if (path.len == 0) {
        return replace_root(patching);
    }
    json_t *container = find_container(patching, path, true);
    if (container == NULL) {
        return refuse_missing(
            patching, "replace operation does not apply: doc is missing path: %.*s",
            text_len(path), path.data);
    }
    if (!check_size(patching, value, false)) {
        return false;
    }
    if (!json_is_array(container)) {
        return put(patching, container, value, reason);
    }
    if (!find_element(patching, json_array_size(container), &index, reason)) {
        return refuse(
            patching,
            "replace operation does not apply: doc is missing key: %.*s: " MISSING,
            text_len(path), path.data);
    }
    return fx_tree_set_index_take(container, index, json_incref(value)) ||
           fx_fail_nomem(patching->err);
}

/* Gets the value at `from` for MOVE and COPY, a new reference, null if it is missing. */
static bool take_value(struct patching *patching, const char *op, json_t **ret_value,
                       struct fx_buf *reason) {
    const struct fx_text from = patching->operation->from;
    json_t *value = NULL;
    if (from.len == 0) {
        return refuse(patching,
                      "%s operation failed to decode from: operation, missing from "
                      "field: " MISSING,
                      op);
    }
    json_t *container = find_container(patching, from, false);
    if (container == NULL) {
        return refuse_missing(patching,
                              "%s operation does not apply: doc is missing from path: "
                              "%.*s",
                              op, text_len(from), from.data);
    }
    if (!get(patching, container, &value, reason)) {
        const bool is_move = strcmp(op, "move") == 0;
        return refuse_at(patching,
                         is_move ? "error in move for path:" : "error in copy for from:",
                         is_move ? fx_buf_view(&patching->key) : from, reason);
    }
    *ret_value = value == NULL ? json_null() : json_incref(value);
    return true;
}

/* Puts the value where the path of a MOVE or COPY leads. */
static bool put_taken(struct patching *patching, const char *op, json_t *value,
                      struct fx_buf *reason) {
    const bool is_copy = strcmp(op, "copy") == 0;
    const struct fx_text path = patching->operation->path;
    json_t *container = find_container(patching, path, true);
    if (container == NULL) {
        return refuse_missing(patching,
                              "%s operation does not apply: doc is missing destination "
                              "path: %.*s",
                              op, text_len(path), path.data);
    }
    if (!check_size(patching, value, is_copy)) {
        return false;
    }
    if (put(patching, container, value, reason)) {
        return true;
    }
    if (is_copy && patching->err->code == FX_OK && !reason->failed) {
        return refuse(patching, "error while adding value during copy: %s", reason->data);
    }
    return refuse_at(patching, "error in move for path:", path, reason);
}

/* The reference to the value keeps it alive between the removal and the addition. */
static bool apply_move(struct patching *patching, struct fx_buf *reason) {
    json_t *value = NULL;
    if (!take_value(patching, "move", &value, reason)) {
        return false;
    }
    json_t *container = find_container(patching, patching->operation->from, true);
    bool ok = container != NULL || fx_map_fail_work(patching->err);
    if (ok && !drop(patching, container, reason)) {
        ok = refuse_at(patching, "error in move for path:", fx_buf_view(&patching->key),
                       reason);
    }
    ok = ok && put_taken(patching, "move", value, reason);
    json_decref(value);
    return ok;
}

static bool apply_copy(struct patching *patching, struct fx_buf *reason) {
    json_t *value = NULL;
    if (!take_value(patching, "copy", &value, reason)) {
        return false;
    }
    const bool ok = put_taken(patching, "copy", value, reason);
    json_decref(value);
    return ok;
}

/* A missing value equals only a missing value. */
static bool apply_test(struct patching *patching, struct fx_buf *reason) {
    const struct fx_text path = patching->operation->path;
    const json_t *wanted = patching->operation->value;
    json_t *value = *patching->root;
    if (path.len == 0 && wanted == NULL) { /* the API server panics */
        return refuse(patching, "test operation has neither a path nor a value");
    }
    if (path.len > 0) {
        json_t *container = find_container(patching, path, false);
        if (container == NULL) {
            return refuse_missing(patching,
                                  "test operation does not apply: is missing path: %.*s",
                                  text_len(path), path.data);
        }
        if (!get(patching, container, &value, reason)) {
            return refuse_at(patching, "error in test for path:", path, reason);
        }
    }
    patching->stopped =
        value == NULL || wanted == NULL ? value != wanted : !fx_equal(value, wanted);
    return true;
}

typedef bool apply_operation(struct patching *patching, struct fx_buf *reason);

static const struct operation_kind {
    const char *name;
    apply_operation *apply;
} operation_kinds[] = {
    {"add", apply_add},   {"remove", apply_remove}, {"replace", apply_replace},
    {"move", apply_move}, {"copy", apply_copy},     {"test", apply_test},
};

static bool apply_one(struct patching *patching) {
    const struct fx_text op = patching->operation->op;
    for (size_t i = 0; i < FX_COUNT(operation_kinds); i++) {
        if (fx_text_is(op, operation_kinds[i].name)) {
            struct fx_buf reason;
            fx_buf_init(&reason, 0);
            const bool ok = operation_kinds[i].apply(patching, &reason);
            fx_buf_finish(&reason);
            return ok;
        }
    }
    return refuse(patching, "Unexpected kind: %.*s", text_len(op), op.data);
}

bool fx_map_apply_operations(const struct fx_map_operation *operations,
                             size_t n_operations, json_t **root, bool *ret_stopped,
                             struct fx_map_refusal *refusal, struct fx_err *err) {
    struct patching patching = {
        .root = root, .copied = FX_LIMIT_YAML_NODES, .refusal = refusal, .err = err};
    bool ok = true;
    fx_err_reset(err);
    fx_buf_init(&patching.key, 0);
    for (size_t i = 0; ok && !patching.stopped && i < n_operations; i++) {
        patching.operation = &operations[i];
        ok = fx_spend(32) ? apply_one(&patching) : fx_fail_exceeded(err);
    }
    fx_buf_finish(&patching.key);
    *ret_stopped = patching.stopped;
    return ok;
}
