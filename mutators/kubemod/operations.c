/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/operations.c - applies add, replace and remove at a path.
 */
#include "mutators/kubemod/operations.h"

#include <stdarg.h>
#include <stdio.h>

#include "mutators/kubemod/limits.h"
#include "value/equal.h"
#include "value/tree.h"

static const char *const texts[] = {
#define X(name, text) [OPERATION_##name] = text,
    OPERATIONS(X)
#undef X
};

const char *fx_operation_text(enum operation operation) {
    return texts[operation];
}

/* An operation that is being applied. */
struct operation_change {
    enum operation operation;
    struct fx_text path; /* for messages */
    const struct steps *steps;
    json_t *value;
    struct fx_err *err;
};

FX_PRINTF(2, 3)
static bool fail_operation(const struct operation_change *change, const char *fmt, ...) {
    va_list args;
    struct fx_err *err = change->err;
    va_start(args, fmt);
    char reason[FX_ERR_TEXT];
    (void)vsnprintf(reason, sizeof reason, fmt, args);
    va_end(args);
    return fx_fail(err, FX_EMUTATE, "%s operation does not apply: %s: %.*s",
                   texts[change->operation], reason, FX_TEXT_ARG(change->path));
}

/* Converts a number to an index into a list of `n`; a negative number counts from the
 * end. */
static bool to_index(long long number, size_t n, size_t *ret_index) {
    const long long from_start = number < 0 ? number + (long long)n : number;
    *ret_index = from_start < 0 ? 0 : (size_t)from_start;
    return from_start >= 0 && (size_t)from_start < n;
}

/* ---- missing parents -------------------------------------------------------------- */

/* True for a field that has free keys in every Kubernetes object that has the field. */
static bool is_map(struct fx_text field) {
    static const char *const maps[] = {
        "annotations", "labels",     "matchLabels", "nodeSelector",
        "data",        "binaryData", "stringData",
    };
    for (size_t i = 0; i < FX_COUNT(maps); i++) {
        if (fx_text_is(field, maps[i])) {
            return true;
        }
    }
    return false;
}

/* Appends nulls until the list has `n` elements. */
static bool pad_list(const struct operation_change *change, json_t *list, size_t n) {
    if (n > FX_LIMIT_MODRULE_PADDING) {
        return fx_fail(change->err, FX_ELIMIT,
                       "a list would be padded to %zu elements: %.*s", n,
                       FX_TEXT_ARG(change->path));
    }
    while (json_array_size(list) < n) {
        if (!fx_tree_append_take(list, json_null())) {
            return fx_fail_nomem(change->err);
        }
    }
    return true;
}

/* Makes a missing parent for the step after it: an object, or for an index a list with
 * enough elements. */
static bool make_parent(const struct operation_change *change, size_t at,
                        json_t **ret_parent) {
    const struct step *next = &change->steps->items[at + 1];
    const bool wants_list = next->is_number && !is_map(change->steps->items[at].text);
    if (wants_list && next->number < -1) {
        return fail_operation(
            change, "Unable to ensure path for negative index other than -1: %lld",
            next->number);
    }
    json_t *parent = wants_list ? json_array() : json_object();
    if (parent == NULL) {
        return fx_fail_nomem(change->err);
    }
    const bool is_last = at + 2 == change->steps->n_items;
    if (wants_list && is_last && next->number > 0 &&
        !pad_list(change, parent, (size_t)next->number)) {
        json_decref(parent);
        return false;
    }
    *ret_parent = parent;
    return true;
}

/* ---- along the path -------------------------------------------------------------- */

static json_t *view_index(const struct operation_change *change, json_t *list,
                          const struct step *step, bool *ret_bad) {
    size_t index = 0;
    if (!step->is_number) {
        *ret_bad = !fail_operation(change, "not an index of a list: `%.*s`",
                                   FX_TEXT_ARG(step->text));
        return NULL;
    }
    return to_index(step->number, json_array_size(list), &index)
               ? json_array_get(list, index)
               : NULL;
}

/* Finds the child that the step selects, NULL if there is none. If *ret_bad becomes true,
 * that is an error, and it is set. */
static json_t *view_child(const struct operation_change *change, json_t *parent,
                          const struct step *step, bool *ret_bad) {
    *ret_bad = false;
    if (json_is_object(parent)) {
        return fx_tree_view_text(parent, step->text);
    }
    return json_is_array(parent) ? view_index(change, parent, step, ret_bad) : NULL;
}

/* Makes the child writable. */
static json_t *own_child(const struct operation_change *change, json_t *parent,
                         const struct step *step) {
    size_t index = 0;
    json_t *child = NULL;
    if (json_is_object(parent)) {
        child = fx_tree_own_key(parent, step->text);
    } else if (to_index(step->number, json_array_size(parent), &index)) {
        child = fx_tree_own_index(parent, index);
    }
    if (child == NULL) {
        (void)fx_fail_nomem(change->err);
    }
    return child;
}

/* Puts a new parent at this step. An index after the end of a list pads the list. */
static bool put_parent(const struct operation_change *change, json_t *parent, size_t at) {
    const struct step *step = &change->steps->items[at];
    const size_t n = json_array_size(parent);
    json_t *made = NULL;
    size_t index = 0;
    if (json_is_array(parent) && step->number < 0 && !to_index(step->number, n, &index) &&
        !(n == 0 && step->number == -1)) {
        return fail_operation(change, "Unable to access invalid index: %lld",
                              step->number);
    }
    if (json_is_array(parent) && step->number >= 0) {
        index = (size_t)step->number;
    }
    if (!make_parent(change, at, &made)) {
        return false;
    }
    if (json_is_object(parent)) {
        return fx_tree_set_take(parent, step->text, made) || fx_fail_nomem(change->err);
    }
    if (!pad_list(change, parent, index + 1)) {
        json_decref(made);
        return false;
    }
    return fx_tree_set_index_take(parent, index, made) || fx_fail_nomem(change->err);
}

static bool can_hold(const json_t *node) {
    return json_is_object(node) || json_is_array(node);
}

/* Makes the nodes of all steps but the last writable, and makes missing parents. */
static bool enter_parent(const struct operation_change *change, json_t **root,
                         json_t **ret_parent) {
    json_t *parent = fx_tree_own_root(root);
    if (parent == NULL) {
        return fx_fail_nomem(change->err);
    }
    for (size_t i = 0; i + 1 < change->steps->n_items; i++) {
        const struct step *step = &change->steps->items[i];
        bool is_bad = false;
        const json_t *child = view_child(change, parent, step, &is_bad);
        if (is_bad) {
            return false;
        }
        const bool is_missing = child == NULL || json_is_null(child);
        if (!can_hold(parent) || (!is_missing && !can_hold(child))) {
            return fail_operation(change, "a parent is neither a list nor a map");
        }
        if (is_missing && !put_parent(change, parent, i)) {
            return false;
        }
        parent = own_child(change, parent, step);
        if (parent == NULL) {
            return false;
        }
    }
    *ret_parent = parent;
    return true;
}

/* Finds the parent of the node that will be changed, for reading; NULL if there is
 * none. */
static bool view_parent(const struct operation_change *change, json_t *root,
                        json_t **ret_parent) {
    json_t *parent = root;
    for (size_t i = 0; i + 1 < change->steps->n_items && parent != NULL; i++) {
        bool is_bad = false;
        parent = view_child(change, parent, &change->steps->items[i], &is_bad);
        if (is_bad) {
            return false;
        }
    }
    *ret_parent = can_hold(parent) ? parent : NULL;
    return true;
}

/* ---- the last step --------------------------------------------------------------- */

static bool insert_element(const struct operation_change *change, json_t *list,
                           const struct step *last) {
    const size_t n = json_array_size(list);
    size_t index = n;
    if (!fx_text_is(last->text, "-")) {
        if (!last->is_number) {
            return fail_operation(change, "not an index of a list: `%.*s`",
                                  FX_TEXT_ARG(last->text));
        }
        if (!to_index(last->number, n + 1, &index)) {
            return fail_operation(change, "Unable to access invalid index: %lld",
                                  last->number);
        }
    }
    return fx_tree_insert_take(list, index, json_incref(change->value)) ||
           fx_fail_nomem(change->err);
}

static bool apply_add(const struct operation_change *change, json_t **root) {
    json_t *parent = NULL;
    if (change->steps->n_items == 0) {
        return fail_operation(change, "doc is missing path");
    }
    if (!enter_parent(change, root, &parent)) {
        return false;
    }
    const struct step *last = &change->steps->items[change->steps->n_items - 1];
    if (json_is_array(parent)) {
        return insert_element(change, parent, last);
    }
    if (!json_is_object(parent)) {
        return fail_operation(change, "a parent is neither a list nor a map");
    }
    return fx_tree_set_take(parent, last->text, json_incref(change->value)) ||
           fx_fail_nomem(change->err);
}

/* Finds out whether there is a node at the last step. Fails if the list cannot have the
 * index. */
static bool find_target(const struct operation_change *change, json_t *root,
                        bool *ret_exists) {
    json_t *parent = NULL;
    bool is_bad = false;
    *ret_exists = false;
    if (!view_parent(change, root, &parent)) {
        return false;
    }
    if (parent != NULL) {
        *ret_exists =
            view_child(change, parent, &change->steps->items[change->steps->n_items - 1],
                       &is_bad) != NULL;
    }
    return !is_bad;
}

static bool apply_replace(const struct operation_change *change, json_t **root) {
    bool exists = false;
    json_t *parent = NULL;
    size_t index = 0;
    if (change->steps->n_items > 0 && !find_target(change, *root, &exists)) {
        return false;
    }
    if (!exists) {
        return fail_operation(change, "doc is missing key");
    }
    if (!enter_parent(change, root, &parent)) {
        return false;
    }
    const struct step *last = &change->steps->items[change->steps->n_items - 1];
    if (json_is_object(parent)) {
        return fx_tree_set_take(parent, last->text, json_incref(change->value)) ||
               fx_fail_nomem(change->err);
    }
    (void)to_index(last->number, json_array_size(parent), &index);
    return fx_tree_set_index_take(parent, index, json_incref(change->value)) ||
           fx_fail_nomem(change->err);
}

static bool remove_it(const struct operation_change *change, json_t **root) {
    bool exists = false;
    json_t *parent = NULL;
    size_t index = 0;
    if (change->steps->n_items == 0) {
        return true;
    }
    if (!find_target(change, *root, &exists)) {
        return false;
    }
    if (!exists) {
        return true;
    }
    if (!enter_parent(change, root, &parent)) {
        return false;
    }
    const struct step *last = &change->steps->items[change->steps->n_items - 1];
    if (json_is_object(parent)) {
        fx_tree_remove_key(parent, last->text);
    } else {
        (void)to_index(last->number, json_array_size(parent), &index);
        fx_tree_remove_index(parent, index);
    }
    return true;
}

bool fx_operation_apply(enum operation operation, const struct operation_path *path,
                        json_t *value, json_t **root, struct fx_err *err) {
    const struct operation_change change = {
        .operation = operation,
        .path = path->text,
        .steps = path->steps,
        .value = value,
        .err = err,
    };
    switch (operation) {
    case OPERATION_ADD: return apply_add(&change, root);
    case OPERATION_REPLACE: return apply_replace(&change, root);
    case OPERATION_REMOVE: break;
    }
    return remove_it(&change, root);
}

/* ---- plain operations ------------------------------------------------------------- */

/* Finds the child of a plain operation. A negative index may select any element, so it is
 * not plain. */
static const json_t *view_plain_child(const json_t *parent, const struct step *step) {
    if (json_is_array(parent)) {
        return step->is_number && step->number >= 0
                   ? json_array_get(parent, (size_t)step->number)
                   : NULL;
    }
    return fx_tree_view_text(parent, step->text);
}

/* Returns the object that has the last step as a key, NULL if there is none. */
static const json_t *view_plain_parent(const struct steps *steps, const json_t *root) {
    const json_t *parent = steps->n_items == 0 ? NULL : root;
    for (size_t i = 0; i + 1 < steps->n_items && parent != NULL; i++) {
        parent = view_plain_child(parent, &steps->items[i]);
    }
    return json_is_object(parent) ? parent : NULL;
}

bool fx_operation_is_plain(enum operation operation, const struct steps *steps,
                           const json_t *value, const json_t *root, bool *ret_changes) {
    const json_t *parent = view_plain_parent(steps, root);
    if (parent == NULL) {
        return false;
    }
    const json_t *old = fx_tree_view_text(parent, steps->items[steps->n_items - 1].text);
    if (operation == OPERATION_REMOVE) {
        *ret_changes = old != NULL;
        return true;
    }
    *ret_changes = old == NULL || !fx_equal(old, value);
    return operation == OPERATION_ADD || old != NULL;
}
