/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/read.c - the places that a location names, as they are.
 */
#include "location/gatekeeper/read.h"

#include "base/budget.h"
#include "value/equal.h"
#include "value/tree.h"

static bool has_key(const json_t *key, const json_t *wanted) {
    return json_typeof(key) == json_typeof(wanted) && fx_equal(key, wanted);
}

bool fx_location_step_names(const struct fx_location_step *step, const json_t *element) {
    if (step->glob && step->n_except == 0) {
        return true;
    }
    const json_t *key = fx_tree_view_text(element, step->name);
    if (!step->glob) {
        return key != NULL && has_key(key, step->value);
    }
    for (size_t i = 0; key != NULL && i < step->n_except; i++) {
        if (has_key(key, step->except[i])) {
            return false;
        }
    }
    return true;
}

size_t fx_location_common(const struct fx_location *a, const struct fx_location *b) {
    size_t n_common = 0;
    while (n_common < a->n_steps && n_common < b->n_steps &&
           fx_location_step_equal(&a->steps[n_common], &b->steps[n_common])) {
        n_common++;
    }
    return n_common;
}

/* As deep as the location has steps (FX_LIMIT_LOCATION_NODES). */
bool fx_location_each(const struct fx_location *location, size_t from, json_t *node,
                      bool (*visit)(void *user, json_t *value), void *user) {
    if (from >= location->n_steps) {
        return visit(user, node);
    }
    const struct fx_location_step *step = &location->steps[from];
    if (step->type == FX_LOCATION_OBJECT) {
        json_t *child = fx_tree_view_text(node, step->name);
        return child == NULL || fx_location_each(location, from + 1, child, visit, user);
    }
    size_t index = 0;
    json_t *element = NULL;
    json_array_foreach (node, index, element) {
        if (!fx_spend(1 + step->n_except)) {
            return false;
        }
        if (fx_location_step_names(step, element) &&
            !fx_location_each(location, from + 1, element, visit, user)) {
            return false;
        }
    }
    return true;
}

static bool take_first(void *user, json_t *value) {
    json_t **found = user;
    *found = value;
    return false;
}

json_t *fx_location_first(const struct fx_location *location, size_t from, json_t *node) {
    json_t *found = NULL;
    (void)fx_location_each(location, from, node, take_first, &found);
    return found;
}
