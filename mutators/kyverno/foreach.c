/* SPDX-License-Identifier: Apache-2.0
 *
 * foreach.c - applies the entries of a foreach to the elements of their lists.
 */
#include "foreach.h"

#include "base/budget.h"
#include "foreach_internal.h"
#include "value/equal.h"
#include "value/tree.h"

/* One application of a foreach. */
struct foreach_run {
    const struct kyverno_patch_ops *ops;
    struct kyverno_context *context;
    json_t **root;
    struct fx_err *err;
};

static bool apply_entries(const struct foreach_run *run,
                          const struct kyverno_foreach *foreach);

/* Adds a prefix to an error that is the policy's fault. Always false. */
static bool prefix(struct fx_err *err, const char *text, struct fx_text part) {
    if (err->code == FX_EMUTATE) {
        (void)fx_err_prefix(err, "%s%.*s: ", text, FX_TEXT_ARG(part));
    }
    return false;
}

/* ---- one element ---------------------------------------------------------------------
 */

static bool holds(const struct foreach_run *run, const struct foreach_entry *entry,
                  bool *ret_holds) {
    return fx_kyverno_preconditions_eval(entry->preconditions, run->context, ret_holds,
                                         NULL, run->err) ||
           prefix(run->err, "failed to evaluate preconditions of foreach", FX_TEXT(""));
}

static bool apply_element(const struct foreach_run *run,
                          const struct foreach_entry *entry, json_t *element,
                          size_t index) {
    bool ok = true;
    if (json_is_null(element)) {
        return true;
    }
    fx_kyverno_frame_set_element(run->context, element, index);
    if (!holds(run, entry, &ok)) {
        return false;
    }
    if (!ok) {
        return true;
    }
    return entry->nested != NULL
               ? apply_entries(run, entry->nested)
               : run->ops->apply(entry->patch, run->context, run->root, run->err);
}

/* ---- one entry -----------------------------------------------------------------------
 */

/* Gives the list, a new reference. A value that is no list is one element. */
static bool eval_list(const struct foreach_run *run, const struct foreach_entry *entry,
                      json_t **ret_list) {
    json_t *value = NULL;
    *ret_list = NULL;
    const bool ok =
        entry->list == NULL
            ? fx_fail(run->err, FX_EMUTATE, "%s", entry->fault)
            : fx_kyverno_context_query(run->context, entry->list, &value, run->err);
    if (!ok) {
        return prefix(run->err, "failed to evaluate list ", entry->list_text);
    }
    if (!json_is_array(value)) {
        json_t *list = json_array();
        if (list == NULL) {
            json_decref(value);
            return fx_fail_nomem(run->err);
        }
        if (!fx_tree_append_take(list, value)) {
            json_decref(list);
            return fx_fail_nomem(run->err);
        }
        value = list;
    }
    *ret_list = value;
    return true;
}

static bool apply_elements(const struct foreach_run *run,
                           const struct foreach_entry *entry, const json_t *list) {
    const size_t n = json_array_size(list);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const size_t index = entry->is_descending ? n - 1 - i : i;
        ok = fx_spend(1) ? apply_element(run, entry, json_array_get(list, index), index)
                         : fx_fail_exceeded(run->err);
    }
    return ok || prefix(run->err, "failed to mutate elements", FX_TEXT(""));
}

static bool apply_entry(const struct foreach_run *run,
                        const struct foreach_entry *entry) {
    struct kyverno_frame frame;
    json_t *list;
    if (!eval_list(run, entry, &list)) {
        return false;
    }
    bool ok = fx_kyverno_frame_push(run->context, &frame, entry->context, run->err);
    if (ok) {
        ok = apply_elements(run, entry, list);
        fx_kyverno_frame_pop(run->context);
    }
    json_decref(list);
    return ok;
}

/* ---- all entries ---------------------------------------------------------------------
 */

/* The entries of a nested foreach: `request.object` stays the object before the outer
 * entry. */
static bool apply_entries(const struct foreach_run *run,
                          const struct kyverno_foreach *foreach) {
    bool ok = true;
    for (size_t i = 0; ok && i < foreach->n; i++) {
        ok = apply_entry(run, &foreach->entries[i]);
    }
    return ok;
}

bool fx_kyverno_foreach_apply(const struct kyverno_foreach *foreach,
                              struct kyverno_context *context, json_t **root,
                              bool *ret_changed, struct fx_err *err) {
    const struct foreach_run run = {foreach->ops, context, root, err};
    json_t *before = json_incref(*root);
    bool ok = true;
    *ret_changed = false;
    for (size_t i = 0; ok && i < foreach->n; i++) {
        json_t *last = json_incref(*root);
        fx_kyverno_context_set_mutated(context, last);
        ok = apply_entry(&run, &foreach->entries[i]);
        *ret_changed = *ret_changed || (ok && !fx_equal(last, *root));
        json_decref(last);
    }
    ok = ok && (fx_budget_exceeded() == FX_EXCEEDED_NOTHING || fx_fail_exceeded(err));
    fx_kyverno_context_release_mutated(context);
    if (!ok) {
        json_decref(*root);
        *root = json_incref(before);
    }
    json_decref(before);
    return ok;
}
