/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/last_applied.c - patches the JSON in an annotation.
 */
#include "mutators/kubemod/last_applied.h"

#include <stdlib.h>

#include "base/buf.h"
#include "value/json.h"
#include "value/tree.h"

#define METADATA    FX_TEXT("metadata")
#define ANNOTATIONS FX_TEXT("annotations")

json_t *fx_last_applied_view(const json_t *object) {
    const json_t *metadata = fx_tree_view_text(object, METADATA);
    json_t *note =
        fx_tree_view_text(fx_tree_view_text(metadata, ANNOTATIONS), LAST_APPLIED);
    return json_is_string(note) ? note : NULL;
}

/* ---- the order of keys ----------------------------------------------------------- */

struct sorted_member {
    struct fx_text key;
    json_t *value; /* counted */
};

static int by_key(const void *left, const void *right) {
    const struct sorted_member *a = left;
    const struct sorted_member *b = right;
    return fx_text_compare(a->key, b->key);
}

/* Returns a new object with the same members, sorted; NULL if out of memory. */
static json_t *sorted(json_t *object) {
    const size_t n = json_object_size(object);
    struct sorted_member *members = calloc(n + 1, sizeof *members);
    if (members == NULL) {
        return NULL;
    }
    json_t *made = json_object();
    size_t at = 0;
    for (void *i = json_object_iter(object); made != NULL && i != NULL;
         i = json_object_iter_next(object, i)) {
        members[at].key =
            (struct fx_text){json_object_iter_key(i), json_object_iter_key_len(i)};
        members[at++].value = json_object_iter_value(i);
    }
    qsort(members, at, sizeof *members, by_key);
    for (size_t i = 0; made != NULL && i < at; i++) {
        if (!fx_tree_set_take(made, members[i].key, json_incref(members[i].value))) {
            json_decref(made);
            made = NULL;
        }
    }
    free(members);
    return made;
}

/* Finds the child that the step leads to. The child becomes writable, and the keys of an
 * object are sorted. *ret_child is NULL if the child is neither an object nor a list.
 * `parent` is not shared. */
static bool enter_child(json_t *parent, const struct step *step, json_t **ret_child) {
    const size_t n = json_array_size(parent);
    const long long at = step->number < 0 ? step->number + (long long)n : step->number;
    const bool in_list = json_is_array(parent);
    if (in_list && (!step->is_number || at < 0 || (size_t)at >= n)) {
        *ret_child = NULL;
        return true;
    }
    json_t *child = in_list ? json_array_get(parent, (size_t)at)
                            : fx_tree_view_text(parent, step->text);
    if (json_is_array(child)) {
        *ret_child = in_list ? fx_tree_own_index(parent, (size_t)at)
                             : fx_tree_own_key(parent, step->text);
        return *ret_child != NULL;
    }
    *ret_child = NULL;
    if (!json_is_object(child)) {
        return true;
    }
    json_t *made = sorted(child);
    *ret_child = made;
    return in_list ? fx_tree_set_index_take(parent, (size_t)at, made)
                   : fx_tree_set_take(parent, step->text, made);
}

/* Sorts the keys of the objects along the steps. Go writes the objects that the patcher
 * has decoded with sorted keys, and all others unchanged. */
static bool sort_way(const struct steps *steps, json_t **root) {
    json_t *parent = sorted(*root);
    if (parent == NULL) {
        return false;
    }
    json_decref(*root);
    *root = parent;
    for (size_t i = 0; i + 1 < steps->n_items && parent != NULL; i++) {
        if (!enter_child(parent, &steps->items[i], &parent)) {
            return false;
        }
    }
    return true;
}

/* ---- applying the plan to the annotation ------------------------------------------ */

/* Returns the annotation as a tree that is not shared, with the plan applied; NULL if
 * that fails (*err is set). */
static json_t *patch_note(const struct plan *plan, const json_t *note,
                          struct fx_err *err) {
    json_t *root = fx_json_read(fx_tree_text(note), NULL, err);
    bool ok = root != NULL &&
              (json_is_object(root) || fx_fail(err, FX_EMUTATE, "it is not an object")) &&
              fx_plan_apply(plan, &root, err);
    for (size_t i = 0; ok && i < plan->n_items; i++) {
        ok = sort_way(fx_planned_steps(&plan->items[i]), &root) || fx_fail_nomem(err);
    }
    if (!ok) {
        json_decref(root);
        return NULL;
    }
    return root;
}

static bool store_note(json_t **root, const struct fx_buf *text) {
    json_t *own = fx_tree_own_root(root);
    json_t *metadata = own == NULL ? NULL : fx_tree_own_key(own, METADATA);
    json_t *annotations =
        metadata == NULL ? NULL : fx_tree_own_key(metadata, ANNOTATIONS);
    return annotations != NULL && !text->failed &&
           fx_tree_set_take(annotations, LAST_APPLIED,
                            fx_tree_new_string(fx_buf_view(text)));
}

bool fx_last_applied_follow(const struct plan *plan, const json_t *before, json_t **root,
                            struct fx_err *err) {
    const json_t *note = fx_last_applied_view(*root);
    if (note == NULL || before == NULL ||
        !fx_text_equal(fx_tree_text(note), fx_tree_text(before))) {
        return true;
    }
    struct fx_err why = FX_ERR_INIT;
    json_t *patched = patch_note(plan, note, &why);
    if (patched == NULL) {
        return why.code != FX_ENOMEM || fx_fail_nomem(err);
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, patched, FX_JSON_COMPACT | FX_JSON_HTML);
    const bool ok = store_note(root, &text) || fx_fail_nomem(err);
    fx_buf_finish(&text);
    json_decref(patched);
    return ok;
}
