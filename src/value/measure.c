/* SPDX-License-Identifier: Apache-2.0
 *
 * measure.c - how large a tree is.
 */
#include "value/measure.h"

#include "base/budget.h"
#include "value/tree.h"

bool fx_tree_measure(const json_t *value, unsigned levels, size_t *budget) {
    if (*budget == 0) {
        return false;
    }
    --*budget;
    if (!json_is_object(value) && !json_is_array(value)) {
        return true;
    }
    const size_t n_children = json_array_size(value) + json_object_size(value);
    if (levels == 0 || !fx_spend(n_children)) {
        return false;
    }
    bool fits = true;
    for (size_t i = 0; fits && i < json_array_size(value); i++) {
        fits = fx_tree_measure(json_array_get(value, i), levels - 1, budget);
    }
    void *iter = json_is_object(value) ? fx_node_first(value) : NULL;
    for (; fits && iter != NULL; iter = fx_node_next(value, iter)) {
        fits = fx_tree_measure(json_object_iter_value(iter), levels - 1, budget);
    }
    return fits;
}
