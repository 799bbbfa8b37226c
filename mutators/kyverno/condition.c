/* SPDX-License-Identifier: Apache-2.0
 *
 * condition.c - finds operators; Equals and NotEquals.
 */
#include "condition.h"

#include <strings.h>

#include "base/budget.h"
#include "base/strconv.h"
#include "base/wildcard.h"
#include "location/go/time.h"
#include "scalar.h"
#include "value/equal.h"
#include "value/tree.h"

static const struct {
    const char *name;
    enum kyverno_operator operator_;
} operators[] = {
    {"Equals", KYVERNO_EQUALS},
    {"Equal", KYVERNO_EQUALS},
    {"NotEquals", KYVERNO_NOT_EQUALS},
    {"NotEqual", KYVERNO_NOT_EQUALS},
    {"In", KYVERNO_IN},
    {"NotIn", KYVERNO_NOT_IN},
    {"AnyIn", KYVERNO_ANY_IN},
    {"AllIn", KYVERNO_ALL_IN},
    {"AnyNotIn", KYVERNO_ANY_NOT_IN},
    {"AllNotIn", KYVERNO_ALL_NOT_IN},
    {"GreaterThan", KYVERNO_GREATER},
    {"GreaterThanOrEquals", KYVERNO_GREATER_OR_EQUAL},
    {"LessThan", KYVERNO_LESS},
    {"LessThanOrEquals", KYVERNO_LESS_OR_EQUAL},
    {"DurationGreaterThan", KYVERNO_DURATION_GREATER},
    {"DurationGreaterThanOrEquals", KYVERNO_DURATION_GREATER_OR_EQUAL},
    {"DurationLessThan", KYVERNO_DURATION_LESS},
    {"DurationLessThanOrEquals", KYVERNO_DURATION_LESS_OR_EQUAL},
};

bool fx_kyverno_operator(struct fx_text name, enum kyverno_operator *ret_operator) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const struct fx_text text = fx_text_of(operators[i].name);
        if (text.len == name.len && strncasecmp(text.data, name.data, name.len) == 0) {
            *ret_operator = operators[i].operator_;
            return true;
        }
    }
    return false;
}

/* ---- durations -----------------------------------------------------------------------
 */

/* A text with a duration; "0" does not count. */
static bool read_duration(const json_t *node, int64_t *ret_nanoseconds) {
    const struct fx_text text = fx_tree_text(node);
    return text.data != NULL && !fx_text_is(text, "0") &&
           fx_kyverno_duration(text, ret_nanoseconds);
}

bool fx_kyverno_seconds(const json_t *node, int64_t *ret_nanoseconds) {
    const double seconds = json_number_value(node);
    const double most = (double)(INT64_MAX / FX_GO_SECOND);
    if (!json_is_number(node) || !(seconds > -most && seconds < most)) {
        return false;
    }
    *ret_nanoseconds = (int64_t)seconds * FX_GO_SECOND;
    return true;
}

/* What a duration is compared with: a number of seconds, or "0". */
static bool read_other(const json_t *node, int64_t *ret_nanoseconds) {
    *ret_nanoseconds = 0;
    return fx_text_is(fx_tree_text(node), "0") ||
           fx_kyverno_seconds(node, ret_nanoseconds);
}

bool fx_kyverno_durations(const json_t *key, const json_t *value, int64_t *ret_key,
                          int64_t *ret_value) {
    const bool key_is_text = read_duration(key, ret_key);
    const bool value_is_text = read_duration(value, ret_value);
    return (key_is_text || value_is_text) && (key_is_text || read_other(key, ret_key)) &&
           (value_is_text || read_other(value, ret_value));
}

/* ---- Equals and NotEquals ------------------------------------------------------------
 */

/* A number equals a number, or the text of one: an integer that of an integer. */
static bool number_equals(const json_t *key, const json_t *value) {
    if (!json_is_string(value)) {
        return json_is_number(value) && fx_equal(key, value);
    }
    int64_t integer;
    if (json_is_integer(key)) {
        return fx_go_parse_int(fx_tree_text(value), 10, &integer) == FX_GO_NUMBER &&
               integer == json_integer_value(key);
    }
    double number;
    return fx_go_parse_float(fx_tree_text(value), &number) == FX_GO_NUMBER &&
           !(number < json_real_value(key)) && !(number > json_real_value(key));
}

/* A text equals a text: as durations, as quantities, else with the value as a wildcard
 * pattern. */
static bool text_equals(const json_t *key, const json_t *value, struct fx_arena *arena) {
    int64_t a;
    int64_t b;
    if (fx_kyverno_durations(key, value, &a, &b)) {
        return a == b;
    }
    if (!json_is_string(value)) {
        return false;
    }
    const struct fx_text text = fx_tree_text(key);
    if (fx_kyverno_is_quantity(arena, text)) {
        int order;
        return fx_kyverno_compare_quantities(arena, text, fx_tree_text(value), &order) &&
               order == 0;
    }
    return fx_wildcard_match(fx_tree_text(value), text);
}

static bool equals(const json_t *key, const json_t *value, struct fx_arena *arena) {
    if (json_is_string(key)) {
        return text_equals(key, value, arena);
    }
    return json_is_number(key) ? number_equals(key, value) : fx_equal(key, value);
}

bool fx_kyverno_condition(const json_t *key, enum kyverno_operator operator_,
                          const json_t *value, struct fx_arena *arena) {
    if (!fx_spend(1) || key == NULL || value == NULL) {
        return false;
    }
    if (operator_ <= KYVERNO_NOT_EQUALS) {
        return !json_is_null(key) &&
               equals(key, value, arena) == (operator_ == KYVERNO_EQUALS);
    }
    return operator_ <= KYVERNO_ALL_NOT_IN
               ? fx_kyverno_condition_in(key, operator_, value, arena)
               : fx_kyverno_condition_order(key, operator_, value, arena);
}
