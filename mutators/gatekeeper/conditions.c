/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/conditions.c - evaluates conditions. conditions_read.c compiles
 * them.
 */
#include "mutators/gatekeeper/conditions.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/regex.h"
#include "location/gatekeeper/location.h"
#include "value/equal.h"
#include "value/tree.h"

static void finish_condition(struct policy_condition *condition) {
    fx_other_location_finish(&condition->field);
    json_decref(condition->strings);
    json_decref(condition->values);
    for (size_t i = 0; i < condition->n_patterns; i++) {
        fx_regex_destroy(condition->patterns[i]);
    }
    free(condition->patterns);
}

void fx_conditions_finish(struct conditions *conditions) {
    for (size_t i = 0; i < conditions->n_items; i++) {
        finish_condition(&conditions->items[i]);
    }
    free(conditions->items);
    *conditions = (struct conditions){0};
}

/* True if the value is in the list. Strings are found by a lookup, so that many of them
 * cost no more than one. */
static bool is_among(const struct policy_condition *condition, const json_t *value) {
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

static bool fits_pattern(const struct policy_condition *condition, const json_t *value,
                         bool *ret_fits, struct fx_err *err) {
    *ret_fits = false;
    for (size_t i = 0; json_is_string(value) && i < condition->n_patterns && !*ret_fits;
         i++) {
        if (!fx_regex_match(condition->patterns[i], fx_tree_text(value), ret_fits, err)) {
            return false;
        }
    }
    return true;
}

/* Finds out whether the value passes the test of the condition, without regard to whether
 * the condition requires or forbids that. */
static bool is_wanted(const struct policy_condition *condition, const json_t *value,
                      bool *ret_wanted, struct fx_err *err) {
    *ret_wanted = true;
    switch (condition->relation) {
    case CONDITION_EXISTS:
    case CONDITION_DOES_NOT_EXIST: break;
    case CONDITION_IN:
    case CONDITION_NOT_IN: *ret_wanted = is_among(condition, value); break;
    case CONDITION_MATCHES: return fits_pattern(condition, value, ret_wanted, err);
    }
    return true;
}

struct condition_search {
    const struct policy_condition *condition;
    bool found, failed;
    struct fx_err *err;
};

static bool check_value(void *user, json_t *value) {
    struct condition_search *search = user;
    search->failed = !is_wanted(search->condition, value, &search->found, search->err);
    return !search->found && !search->failed;
}

/* Evaluates a condition on the values that the steps from `from` on select: one of them
 * must pass the test, or none if the condition forbids that. */
static bool condition_holds(const struct policy_condition *condition, size_t from,
                            json_t *node, bool *ret_holds, struct fx_err *err) {
    struct condition_search search = {.condition = condition, .err = err};
    if (node != NULL) {
        (void)fx_location_each(condition->field.location, from, node, check_value,
                               &search);
    }
    if (search.failed) {
        return false;
    }
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(err);
    }
    const bool forbids = condition->relation == CONDITION_DOES_NOT_EXIST ||
                         condition->relation == CONDITION_NOT_IN;
    *ret_holds = search.found != forbids;
    return true;
}

bool fx_conditions_hold(const struct conditions *conditions, const json_t *object,
                        bool *ret_hold, struct fx_err *err) {
    *ret_hold = true;
    for (size_t i = 0; i < conditions->n_items && *ret_hold; i++) {
        const struct policy_condition *condition = &conditions->items[i];
        if (condition->field.varies) {
            continue;
        }
        /* A location begins with a field. */
        json_t *first =
            fx_tree_view_text(object, condition->field.location->steps[0].name);
        if (!condition_holds(condition, 1, first, ret_hold, err)) {
            return false;
        }
    }
    return true;
}

/* Evaluates a condition on elements, and keeps the result for the next position. */
static bool holds_at(const struct policy_condition *condition,
                     const struct fx_write_position *position, const json_t **key,
                     bool *held, struct fx_err *err) {
    const json_t *now = fx_other_location_key(&condition->field, position);
    if (now != NULL && now == *key) {
        return true;
    }
    *key = now;
    return condition_holds(condition, condition->field.n_shared,
                           fx_other_location_start(&condition->field, position), held,
                           err);
}

bool fx_conditions_hold_at(const struct conditions *conditions,
                           const struct fx_write_position *position,
                           struct answers *answers, bool *ret_hold, struct fx_err *err) {
    *ret_hold = true;
    for (size_t i = 0; i < conditions->n_items; i++) {
        const struct policy_condition *condition = &conditions->items[i];
        if (!condition->field.varies) {
            continue;
        }
        if (!holds_at(condition, position, &answers->keys[i], &answers->held[i], err)) {
            return false;
        }
        *ret_hold = *ret_hold && answers->held[i];
    }
    return true;
}
