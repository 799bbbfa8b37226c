/* SPDX-License-Identifier: Apache-2.0
 *
 * go_patch.c - applies the operations of a JSON Patch as evanphx/json-patch does.
 *
 * A copy shares its nodes with the original. So the number of copied nodes and the depth
 * are limited.
 */
#include "value/go_patch.h"

#include <stdarg.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/go_index.h"
#include "value/go_patch_internal.h"
#include "value/measure.h"
#include "value/tree.h"

#define UNITS_OF_OPERATION 32u

/* ---- refusals -------------------------------------------------------------------------
 */

bool fx_go_fail_work(struct fx_err *err) {
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_fail_exceeded(err)
                                                       : fx_fail_nomem(err);
}

static bool end_refusal(struct go_patching *patching) {
    const struct fx_buf *message = patching->patch->message;
    return message->failed ? fx_fail_nomem(patching->err)
                           : fx_fail(patching->err, FX_EMUTATE, "%s", message->data);
}

bool fx_go_refuse(struct go_patching *patching, const char *fmt, ...) {
    va_list args;
    fx_buf_str(patching->patch->message, patching->patch->prefix);
    va_start(args, fmt);
    fx_buf_vprintf(patching->patch->message, fmt, args);
    va_end(args);
    return end_refusal(patching);
}

static int text_len(struct fx_text text) {
    return text.len > FX_ERR_TEXT ? FX_ERR_TEXT : (int)text.len;
}

/* Refuses because there is no container, or fails as the walk did. */
FX_PRINTF(2, 3)
static bool refuse_missing(struct go_patching *patching, const char *fmt, ...) {
    va_list args;
    if (!patching->is_missing) {
        return patching->err->code != FX_OK ? false : fx_go_fail_work(patching->err);
    }
    fx_buf_str(patching->patch->message, patching->patch->prefix);
    va_start(args, fmt);
    fx_buf_vprintf(patching->patch->message, fmt, args);
    va_end(args);
    fx_buf_str(patching->patch->message, ": " FX_GO_MISSING);
    return end_refusal(patching);
}

/* Refuses for the reason that fx_go_put(), fx_go_get() or fx_go_drop() gave; a failure of
 * theirs stays. */
static bool refuse_at(struct go_patching *patching, const char *what, struct fx_text path,
                      const struct fx_buf *reason) {
    if (patching->err->code != FX_OK) {
        return false;
    }
    return reason->failed ? fx_fail_nomem(patching->err)
                          : fx_go_refuse(patching, "%s '%.*s': %s", what, text_len(path),
                                         path.data, reason->data);
}

static bool is_v5(const struct go_patching *patching) {
    return patching->patch->version == FX_GO_PATCH_V5;
}

/* Can the value be where the last path leads? `copied` counts its nodes, too. */
static bool check_size(struct go_patching *patching, const json_t *value, bool copied) {
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

/* ---- operations -----------------------------------------------------------------------
 */

/* The value of an operation; null without one. */
static json_t *value_or_null(const struct fx_go_operation *operation) {
    return operation->value != NULL ? operation->value : json_null();
}

/* What the key of the container names, null included; NULL: nothing. */
static const json_t *view_node(struct go_patching *patching, const json_t *container) {
    size_t index = 0;
    struct fx_buf reason;
    if (!json_is_array(container)) {
        return fx_tree_view_text(container, fx_buf_view(&patching->key));
    }
    fx_buf_init(&reason, 0);
    const bool found =
        fx_go_find_element(patching, json_array_size(container), &index, &reason);
    fx_buf_finish(&reason);
    return found ? json_array_get(container, index) : NULL;
}

/* Version 5: has the object the value already where the operation would set it? Then
 * nothing is written. `add` to a list always adds. */
static bool has_already(struct go_patching *patching, json_t *value, bool replaces) {
    if (!is_v5(patching)) {
        return false;
    }
    const json_t *container =
        fx_go_find_container(patching, patching->operation->path, false);
    if (container == NULL || (json_is_array(container) && !replaces)) {
        return false;
    }
    const json_t *present = view_node(patching, container);
    return present != NULL && fx_equal(present, value);
}

static bool replace_root(struct go_patching *patching) {
    json_t *value = patching->operation->value;
    if (!json_is_object(value) && (is_v5(patching) || !json_is_array(value))) {
        return is_v5(patching)
                   ? fx_go_refuse(patching, "the whole object can only become an object")
                   : fx_go_refuse(patching, "replace operation value must be object or "
                                            "array: %%!w(<nil>)");
    }
    json_decref(*patching->root);
    *patching->root = json_incref(value);
    return true;
}

static bool apply_add(struct go_patching *patching, struct fx_buf *reason) {
    const struct fx_text path = patching->operation->path;
    json_t *value = value_or_null(patching->operation);
    if (is_v5(patching) && path.len == 0) {
        return replace_root(patching);
    }
    if (has_already(patching, value, false)) {
        return true;
    }
    if (is_v5(patching) && !fx_go_make_parents(patching, path)) {
        return false;
    }
    json_t *container = fx_go_find_container(patching, path, true);
    if (container == NULL) {
        return refuse_missing(patching,
                              "add operation does not apply: doc is missing path: "
                              "\"%.*s\"",
                              text_len(path), path.data);
    }
    return check_size(patching, value, false) &&
           (fx_go_put(patching, container, value, reason) ||
            refuse_at(patching, "error in add for path:", path, reason));
}

/* Version 5: is there nothing to remove? Then `remove` does nothing. */
static bool is_absent(struct go_patching *patching, struct fx_text path) {
    const json_t *container = fx_go_find_container(patching, path, false);
    const struct fx_text key = fx_buf_view(&patching->key);
    int64_t index = 0;
    if (container == NULL || json_is_object(container)) {
        return container == NULL ? patching->is_missing
                                 : fx_tree_view_text(container, key) == NULL;
    }
    const int64_t n = (int64_t)json_array_size(container);
    return fx_go_index_read(key, &index) == FX_GO_INDEX_OK && (index >= n || index < -n);
}

static bool apply_remove(struct go_patching *patching, struct fx_buf *reason) {
    const struct fx_text path = patching->operation->path;
    if (is_v5(patching) && is_absent(patching, path)) {
        return true;
    }
    json_t *container = fx_go_find_container(patching, path, true);
    if (container == NULL) {
        return refuse_missing(patching,
                              "remove operation does not apply: doc is missing path: "
                              "\"%.*s\"",
                              text_len(path), path.data);
    }
    return fx_go_drop(patching, container, reason) ||
           refuse_at(patching, "error in remove for path:", path, reason);
}

static bool refuse_replace(struct go_patching *patching) {
    const struct fx_text path = patching->operation->path;
    return fx_go_refuse(patching,
                        "replace operation does not apply: doc is missing key: "
                        "%.*s: " FX_GO_MISSING,
                        text_len(path), path.data);
}

/* Version 5 takes the empty key for present, without a value, in every object. */
static bool has_key(const struct go_patching *patching, const json_t *object) {
    const struct fx_text key = fx_buf_view(&patching->key);
    return !is_v5(patching) || key.len == 0 || fx_tree_view_text(object, key) != NULL;
}

static bool replace_in(struct go_patching *patching, json_t *container, json_t *value,
                       struct fx_buf *reason) {
    size_t index = 0;
    if (!json_is_array(container)) {
        return has_key(patching, container)
                   ? fx_go_put(patching, container, value, reason)
                   : refuse_replace(patching);
    }
    if (!fx_go_find_element(patching, json_array_size(container), &index, reason)) {
        return refuse_replace(patching);
    }
    return fx_tree_set_index_take(container, index, json_incref(value)) ||
           fx_fail_nomem(patching->err);
}

static bool apply_replace(struct go_patching *patching, struct fx_buf *reason) {
    const struct fx_text path = patching->operation->path;
    json_t *value = value_or_null(patching->operation);
    if (path.len == 0) {
        return replace_root(patching);
    }
    if (has_already(patching, value, true)) {
        return true;
    }
    json_t *container = fx_go_find_container(patching, path, true);
    if (container == NULL) {
        return refuse_missing(
            patching, "replace operation does not apply: doc is missing path: %.*s",
            text_len(path), path.data);
    }
    return check_size(patching, value, false) &&
           replace_in(patching, container, value, reason);
}

/* Refuses an operation without a `from`. */
static bool refuse_from(struct go_patching *patching, const char *op) {
    return is_v5(patching)
               ? fx_go_refuse(patching, "unable to move entire document to another path: "
                                        "invalid state detected")
               : fx_go_refuse(patching,
                              "%s operation failed to decode from: operation, missing "
                              "from field: " FX_GO_MISSING,
                              op);
}

/* Gets what the key of the container names; version 5 wants that it exists. */
static bool get_existing(struct go_patching *patching, json_t *container,
                         json_t **ret_value, struct fx_buf *reason) {
    const struct fx_text key = fx_buf_view(&patching->key);
    if (is_v5(patching) && json_is_object(container) && key.len > 0 &&
        fx_tree_view_text(container, key) == NULL) {
        fx_buf_printf(reason, "unable to get nonexistent key: %.*s: " FX_GO_MISSING,
                      text_len(key), key.data);
        return false;
    }
    return fx_go_get(patching, container, ret_value, reason);
}

/* Gets the value at `from` for MOVE and COPY, a new reference, null if it is missing. */
static bool take_value(struct go_patching *patching, const char *op, json_t **ret_value,
                       struct fx_buf *reason) {
    const struct fx_text from = patching->operation->from;
    const bool is_move = strcmp(op, "move") == 0;
    json_t *value = NULL;
    if (from.len == 0 && (is_move || !is_v5(patching))) {
        return refuse_from(patching, op);
    }
    json_t *container = fx_go_find_container(patching, from, false);
    if (container == NULL) {
        const char *quote = is_v5(patching) && !is_move ? "\"" : "";
        return refuse_missing(patching,
                              "%s operation does not apply: doc is missing from path: "
                              "%s%.*s%s",
                              op, quote, text_len(from), from.data, quote);
    }
    if (!get_existing(patching, container, &value, reason)) {
        return refuse_at(patching,
                         is_move ? "error in move for path:" : "error in copy for from:",
                         is_move ? fx_buf_view(&patching->key) : from, reason);
    }
    *ret_value = value == NULL ? json_null() : json_incref(value);
    return true;
}

/* Puts the value where the path of a MOVE or COPY leads. */
static bool put_taken(struct go_patching *patching, const char *op, json_t *value,
                      struct fx_buf *reason) {
    const bool is_copy = strcmp(op, "copy") == 0;
    const struct fx_text path = patching->operation->path;
    json_t *container = fx_go_find_container(patching, path, true);
    if (container == NULL) {
        return refuse_missing(patching,
                              "%s operation does not apply: doc is missing destination "
                              "path: %.*s",
                              op, text_len(path), path.data);
    }
    if (!check_size(patching, value, is_copy)) {
        return false;
    }
    if (fx_go_put(patching, container, value, reason)) {
        return true;
    }
    if (is_copy && patching->err->code == FX_OK && !reason->failed) {
        return fx_go_refuse(patching, "error while adding value during copy: %s",
                            reason->data);
    }
    return refuse_at(patching, "error in move for path:", path, reason);
}

/* The reference to the value keeps it alive between the removal and the addition. */
static bool apply_move(struct go_patching *patching, struct fx_buf *reason) {
    json_t *value = NULL;
    if (!take_value(patching, "move", &value, reason)) {
        return false;
    }
    json_t *container = fx_go_find_container(patching, patching->operation->from, true);
    bool ok = container != NULL || fx_go_fail_work(patching->err);
    if (ok && !fx_go_drop(patching, container, reason)) {
        ok = refuse_at(patching, "error in move for path:", fx_buf_view(&patching->key),
                       reason);
    }
    ok = ok && put_taken(patching, "move", value, reason);
    json_decref(value);
    return ok;
}

static bool apply_copy(struct go_patching *patching, struct fx_buf *reason) {
    json_t *value = NULL;
    if (!take_value(patching, "copy", &value, reason)) {
        return false;
    }
    const bool ok = put_taken(patching, "copy", value, reason);
    json_decref(value);
    return ok;
}

/* A missing value equals only a missing value; in version 5 also null. */
static bool is_equal(const struct go_patching *patching, const json_t *value) {
    const json_t *wanted = patching->operation->value;
    if (is_v5(patching) && json_is_null(wanted)) {
        wanted = NULL;
    }
    return value == NULL || wanted == NULL ? value == wanted : fx_equal(value, wanted);
}

static bool end_test(struct go_patching *patching, const json_t *value) {
    const struct fx_text path = patching->operation->path;
    if (is_equal(patching, value)) {
        return true;
    }
    if (is_v5(patching)) {
        return fx_go_refuse(patching, "testing value %.*s failed: test failed",
                            text_len(path), path.data);
    }
    patching->patch->stopped = true;
    return true;
}

static bool apply_test(struct go_patching *patching, struct fx_buf *reason) {
    const struct fx_text path = patching->operation->path;
    json_t *value = *patching->root;
    if (path.len == 0 && patching->operation->value == NULL) { /* the library panics */
        return fx_go_refuse(patching, "test operation has neither a path nor a value");
    }
    if (path.len > 0) {
        json_t *container = fx_go_find_container(patching, path, false);
        if (container == NULL) {
            return refuse_missing(patching,
                                  "test operation does not apply: is missing path: %.*s",
                                  text_len(path), path.data);
        }
        if (!fx_go_get(patching, container, &value, reason)) {
            return refuse_at(patching, "error in test for path:", path, reason);
        }
    }
    return end_test(patching, value);
}

typedef bool apply_operation(struct go_patching *patching, struct fx_buf *reason);

static const struct operation_kind {
    const char *name;
    apply_operation *apply;
} operation_kinds[] = {
    {"add", apply_add},   {"remove", apply_remove}, {"replace", apply_replace},
    {"move", apply_move}, {"copy", apply_copy},     {"test", apply_test},
};

static bool apply_one(struct go_patching *patching) {
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
    return fx_go_refuse(patching, "Unexpected kind: %.*s", text_len(op), op.data);
}

bool fx_go_patch_apply(struct fx_go_patch *patch,
                       const struct fx_go_operation *operations, size_t n_operations,
                       json_t **root, struct fx_err *err) {
    struct go_patching patching = {.patch = patch,
                                   .root = root,
                                   .copied = FX_LIMIT_YAML_NODES,
                                   .padded = FX_LIMIT_PATCH_PADDING,
                                   .err = err};
    bool ok = true;
    fx_err_reset(err);
    patch->stopped = false;
    fx_buf_init(&patching.key, 0);
    for (size_t i = 0; ok && !patch->stopped && i < n_operations; i++) {
        patching.operation = &operations[i];
        ok = fx_spend(UNITS_OF_OPERATION) ? apply_one(&patching) : fx_fail_exceeded(err);
    }
    fx_buf_finish(&patching.key);
    return ok;
}
