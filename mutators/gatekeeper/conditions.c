/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/conditions.c - asking conditions. They are read in
 * conditions_read.c.
 */
#include "mutators/gatekeeper/conditions.h"

#include "mutators/gatekeeper/location_reads.h"

#include <stdlib.h>

#include "base/regex.h"
#include "location/gatekeeper/read.h"
#include "mutators/gatekeeper/condition.h"
#include "value/equal.h"
#include "value/tree.h"

static void finish(struct condition *condition) {
    fx_other_place_finish(&condition->place);
    json_decref(condition->strings);
    json_decref(condition->values);
    for (size_t i = 0; i < condition->n_patterns; i++) {
        fx_regex_destroy(condition->patterns[i]);
    }
    free(condition->patterns);
}

void fx_conditions_finish(struct conditions *conditions) {
    for (size_t i = 0; i < conditions->n_items; i++) {
        finish(&conditions->items[i]);
    }
    free(conditions->items);
    *conditions = (struct conditions){0};
}

/* Strings are looked up, so that many of them cost no more than one. */
static bool is_among(const struct condition *condition, const json_t *value) {
    if (json_is_string(value)) {
        return fx_tree_view_text(condition->strings, fx_tree_text(value)) != NULL;
    }
    size_t index = 0;
    const json_t *one = NULL;
    json_array_foreach (condition->values, index, one) {
        if (!json_is_string(one) && fx_equal(one, value)) {
            return true;
        }
    }
    return false;
}

static bool fits_pattern(const struct condition *condition, const json_t *value) {
    for (size_t i = 0; json_is_string(value) && i < condition->n_patterns; i++) {
        if (fx_regex_matches(condition->patterns[i], fx_tree_text(value))) {
            return true;
        }
    }
    return false;
}

/* Is it a value of the kind that the condition looks for? */
static bool is_sought(const struct condition *condition, const json_t *value) {
    switch (condition->relation) {
    case CONDITION_EXISTS:
    case CONDITION_DOES_NOT_EXIST: return true;
    case CONDITION_IN:
    case CONDITION_NOT_IN: return is_among(condition, value);
    case CONDITION_MATCHES: return fits_pattern(condition, value);
    }
    return false;
}

struct search {
    const struct condition *condition;
    bool found;
};

static bool look_at(void *user, json_t *value) {
    struct search *search = user;
    search->found = is_sought(search->condition, value);
    return !search->found;
}

/* Of all that its steps from `from` on lead to, one is what it looks for, or where it
 * forbids that, none. */
static bool holds(const struct condition *condition, size_t from, json_t *node) {
    struct search search = {.condition = condition};
    if (node != NULL) {
        (void)fx_location_each(condition->place.location, from, node, look_at, &search);
    }
    const bool forbids = condition->relation == CONDITION_DOES_NOT_EXIST ||
                         condition->relation == CONDITION_NOT_IN;
    return search.found != forbids;
}

bool fx_conditions_add_reads(const struct conditions *conditions,
                             struct fx_reads *reads) {
    size_t i = 0;
    while (i < conditions->n_items &&
           fx_location_add_reads(conditions->items[i].place.location, reads)) {
        i++;
    }
    return i == conditions->n_items;
}

bool fx_conditions_hold(const struct conditions *conditions, const json_t *object) {
    for (size_t i = 0; i < conditions->n_items; i++) {
        const struct condition *condition = &conditions->items[i];
        if (condition->place.varies) {
            continue;
        }
        /* A location begins with a field. */
        json_t *first =
            fx_tree_view_text(object, condition->place.location->steps[0].name);
        if (!holds(condition, 1, first)) {
            return false;
        }
    }
    return true;
}

/* One of those that are asked of elements; the answer is kept for the next place. */
static bool holds_at(const struct condition *condition,
                     const struct fx_place_found *place, const json_t **key, bool *held) {
    const json_t *now = fx_other_place_key(&condition->place, place);
    if (now == NULL || now != *key) {
        *key = now;
        *held = holds(condition, condition->place.n_shared,
                      fx_other_place_start(&condition->place, place));
    }
    return *held;
}

bool fx_conditions_hold_at(const struct conditions *conditions,
                           const struct fx_place_found *place, struct answers *answers) {
    bool hold = true;
    for (size_t i = 0; i < conditions->n_items; i++) {
        const struct condition *condition = &conditions->items[i];
        if (condition->place.varies) {
            hold =
                holds_at(condition, place, &answers->keys[i], &answers->held[i]) && hold;
        }
    }
    return hold;
}
