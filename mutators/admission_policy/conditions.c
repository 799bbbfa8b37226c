/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/conditions.c - match conditions: one that is false counts
 * more than those that fail, before or after it.
 */
#include "base/budget.h"
#include "mutators/admission_policy/invoke.h"

/* The messages of the conditions that failed, each once. */
struct condition_failures {
    struct fx_text *items; /* in the arena of the activation */
    size_t n_items, cap_items;
};

static bool has_message(const struct condition_failures *failures,
                        struct fx_text message) {
    for (size_t i = 0; i < failures->n_items; i++) {
        (void)fx_spend_text(message.len);
        if (fx_text_equal(failures->items[i], message)) {
            return true;
        }
    }
    return false;
}

static bool add_message(struct condition_failures *failures, struct fx_arena *arena,
                        struct fx_text message) {
    if (has_message(failures, message)) {
        return true;
    }
    const char *copy = fx_arena_copy(arena, message);
    if (copy == NULL ||
        !FX_ARENA_GROW(arena, failures->items, failures->n_items, failures->cap_items)) {
        return false;
    }
    failures->items[failures->n_items++] = (struct fx_text){copy, message.len};
    return true;
}

/* Appends the name of a condition that failed. */
static void add_part(struct fx_buf *part, size_t index, struct fx_text name) {
    fx_buf_printf(part, "%smatchConditions[%zu] \"%.*s\"", part->len > 0 ? ", " : "",
                  index, FX_TEXT_ARG(name));
}

/* Prints one message as it is, several as "[a, b]". */
static void print_messages(const struct condition_failures *failures,
                           struct fx_buf *message) {
    const bool are_several = failures->n_items > 1;
    fx_buf_str(message, are_several ? "[" : "");
    for (size_t i = 0; i < failures->n_items; i++) {
        fx_buf_str(message, i > 0 ? ", " : "");
        fx_buf_text(message, failures->items[i]);
    }
    fx_buf_str(message, are_several ? "]" : "");
}

/* Evaluates one condition: *ret_is_false, or a failure is added. */
static enum map_evaluation check(struct map_activation *activation,
                                 const struct map_condition *condition,
                                 struct condition_failures *failures, bool *ret_is_false,
                                 struct fx_err *err) {
    struct fx_cel_value value;
    struct fx_buf message;
    fx_buf_init(&message, 0);
    enum map_evaluation how =
        fx_map_evaluate(activation, &condition->expression, &value, &message, err);
    *ret_is_false = how == MAP_EVALUATED && !fx_cel_is_true(value);
    if (how == MAP_EXHAUSTED) {
        failures->n_items = 0; /* nothing else counts */
    }
    if ((how == MAP_FAILED || how == MAP_EXHAUSTED) &&
        (message.failed ||
         !add_message(failures, &activation->arena, fx_buf_view(&message)))) {
        (void)fx_fail_nomem(err);
        how = MAP_BROKEN;
    }
    fx_buf_finish(&message);
    return how;
}

enum map_evaluation fx_map_check_conditions(struct map_activation *activation,
                                            json_t *object, size_t *ret_false,
                                            struct fx_buf *message, struct fx_buf *part,
                                            struct fx_err *err) {
    const struct map_policy *policy = activation->policy;
    struct condition_failures failures = {0};
    enum map_evaluation how = MAP_EVALUATED;
    *ret_false = policy->n_conditions;
    if (policy->n_conditions == 0) {
        return MAP_EVALUATED;
    }
    if (!fx_map_activation_begin(activation, object, true, MAP_CONDITIONS_COST, err)) {
        return MAP_BROKEN;
    }
    for (size_t i = 0; i < policy->n_conditions && how != MAP_EXHAUSTED; i++) {
        bool is_false = false;
        how = check(activation, &policy->conditions[i], &failures, &is_false, err);
        if (how == MAP_BROKEN) {
            return how;
        }
        if (how == MAP_EXHAUSTED) {
            fx_buf_reset(part); /* nothing else counts */
        }
        if (how != MAP_EVALUATED) {
            add_part(part, i, policy->conditions[i].name);
        }
        if (is_false && *ret_false == policy->n_conditions) {
            *ret_false = i;
        }
    }
    if (how != MAP_EXHAUSTED && *ret_false < policy->n_conditions) {
        return MAP_EVALUATED;
    }
    print_messages(&failures, message);
    return failures.n_items == 0 ? MAP_EVALUATED : MAP_FAILED;
}
