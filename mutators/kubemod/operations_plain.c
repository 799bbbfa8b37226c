/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/operations_plain.c - most operations set a member, or take one away:
 * that is seen beforehand, so that nothing has to be kept of the object to go back to.
 */
#include "mutators/kubemod/operations.h"
#include "value/equal.h"
#include "value/tree.h"

/* Negative indices may be those of any element. */
static const json_t *view_child(const json_t *parent, const struct step *step) {
    if (json_is_array(parent)) {
        return step->is_number && step->number >= 0
                   ? json_array_get(parent, (size_t)step->number)
                   : NULL;
    }
    return fx_tree_view_text(parent, step->text);
}

/* The object that the last step is a key of, NULL where there is none. */
static const json_t *view_parent(const struct steps *steps, const json_t *root) {
    const json_t *parent = steps->n_items == 0 ? NULL : root;
    for (size_t i = 0; i + 1 < steps->n_items && parent != NULL; i++) {
        parent = view_child(parent, &steps->items[i]);
    }
    return json_is_object(parent) ? parent : NULL;
}

bool fx_operation_is_plain(enum operation operation, const struct steps *steps,
                           const json_t *value, const json_t *root, bool *ret_changes) {
    const json_t *parent = view_parent(steps, root);
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
