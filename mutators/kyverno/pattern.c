/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern.c - matches scalars: "a | b", ">= 3 & < 5", "128Mi-512Mi", "nginx*".
 */
#include "pattern.h"

#include "base/budget.h"
#include "base/strconv.h"
#include "base/wildcard.h"
#include "scalar.h"
#include "value/equal.h"
#include "value/tree.h"

enum pattern_operator {
    PATTERN_EQUAL,
    PATTERN_NOT_EQUAL,
    PATTERN_GREATER_OR_EQUAL,
    PATTERN_LESS_OR_EQUAL,
    PATTERN_GREATER,
    PATTERN_LESS,
};

/* null counts as 0 among durations and quantities. It matches no wildcards, so this text
 * is known by its address. */
static const char text_of_null[] = "0";

/* Removes the operator from the start of the pattern. */
static enum pattern_operator take_operator(struct fx_text *pattern) {
    static const struct {
        const char *text;
        enum pattern_operator operator_;
    } operators[] = {
        {">=", PATTERN_GREATER_OR_EQUAL}, {"<=", PATTERN_LESS_OR_EQUAL},
        {">", PATTERN_GREATER},           {"<", PATTERN_LESS},
        {"!", PATTERN_NOT_EQUAL},
    };
    for (size_t i = 0; pattern->len > 1 && i < sizeof operators / sizeof *operators;
         i++) {
        const struct fx_text text = fx_text_of(operators[i].text);
        if (fx_text_starts(*pattern, text)) {
            *pattern = fx_text_trim_space(fx_text_rest(*pattern, text.len));
            return operators[i].operator_;
        }
    }
    return PATTERN_EQUAL;
}

static bool is_ordered(enum pattern_operator operator_, int order) {
    switch (operator_) {
    case PATTERN_EQUAL: return order == 0;
    case PATTERN_NOT_EQUAL: return order != 0;
    case PATTERN_GREATER_OR_EQUAL: return order >= 0;
    case PATTERN_LESS_OR_EQUAL: return order <= 0;
    case PATTERN_GREATER: return order > 0;
    case PATTERN_LESS: break;
    }
    return order < 0;
}

/* Compares as durations if both are, else as quantities if both are, else as a text with
 * a wildcard pattern. */
static bool compare(struct fx_text value, enum pattern_operator operator_,
                    struct fx_text pattern, struct fx_arena *arena) {
    int64_t a;
    int64_t b;
    if (fx_kyverno_duration(pattern, &b) && fx_kyverno_duration(value, &a)) {
        return is_ordered(operator_, (a > b) - (a < b));
    }
    int order;
    if (fx_kyverno_compare_quantities(arena, value, pattern, &order)) {
        return is_ordered(operator_, order);
    }
    if (operator_ != PATTERN_EQUAL && operator_ != PATTERN_NOT_EQUAL) {
        return false;
    }
    return value.data != text_of_null &&
           fx_wildcard_match(pattern, value) == (operator_ == PATTERN_EQUAL);
}

/* One alternative, without `|` and `&`. */
static bool match_single(struct fx_text value, struct fx_text pattern,
                         struct fx_arena *arena) {
    struct fx_text low;
    struct fx_text high;
    bool is_not;
    const enum pattern_operator operator_ = take_operator(&pattern);
    if (operator_ != PATTERN_EQUAL ||
        !fx_kyverno_split_range(pattern, &low, &high, &is_not)) {
        return compare(value, operator_, pattern, arena);
    }
    if (is_not) {
        return compare(value, PATTERN_LESS, low, arena) ||
               compare(value, PATTERN_GREATER, high, arena);
    }
    return compare(value, PATTERN_GREATER_OR_EQUAL, low, arena) &&
           compare(value, PATTERN_LESS_OR_EQUAL, high, arena);
}

static bool match_all(struct fx_text value, struct fx_text patterns,
                      struct fx_arena *arena) {
    bool matches;
    do {
        matches =
            match_single(value, fx_text_trim_space(fx_text_cut(&patterns, '&')), arena);
    } while (matches && patterns.len > 0);
    return matches;
}

bool fx_kyverno_match_texts(struct fx_text value, struct fx_text pattern,
                            struct fx_arena *arena) {
    if (!fx_spend(1 + (pattern.len + value.len) / FX_BUDGET_BYTES)) {
        return false;
    }
    bool matches = fx_text_equal(value, pattern);
    while (!matches && pattern.len > 0) {
        matches = match_all(value, fx_text_cut(&pattern, '|'), arena);
    }
    return matches;
}

bool fx_kyverno_match_text(const json_t *value, struct fx_text pattern,
                           struct fx_arena *arena) {
    char number[FX_NUMBER_SIZE];
    const struct fx_text text =
        json_is_null(value) ? (struct fx_text){text_of_null, sizeof text_of_null - 1}
                            : fx_kyverno_scalar_text(value, number);
    return text.data != NULL && !json_is_boolean(value) &&
           fx_kyverno_match_texts(text, pattern, arena);
}

/* A number matches an equal number, or the text of one. */
static bool match_number(const json_t *value, const json_t *pattern) {
    if (!json_is_string(value)) {
        return json_is_number(value) && fx_equal(value, pattern);
    }
    const struct fx_text text = fx_tree_text(value);
    int64_t integer;
    if (json_is_integer(pattern)) {
        return fx_go_parse_int(text, 10, &integer) == FX_GO_NUMBER &&
               integer == json_integer_value(pattern);
    }
    double number;
    return fx_go_parse_float(text, &number) == FX_GO_NUMBER &&
           !(number < json_real_value(pattern)) && !(number > json_real_value(pattern));
}

/* null matches what is empty in its type. */
static bool is_zero(const json_t *value) {
    if (json_is_string(value)) {
        return json_string_length(value) == 0;
    }
    if (json_is_number(value)) {
        const double number = json_number_value(value);
        return !(number < 0) && !(number > 0);
    }
    return json_is_null(value) || json_is_false(value);
}

bool fx_kyverno_match_scalar(const json_t *value, const json_t *pattern,
                             struct fx_arena *arena) {
    if (json_is_string(pattern)) {
        return fx_kyverno_match_text(value, fx_tree_text(pattern), arena);
    }
    if (json_is_number(pattern)) {
        return match_number(value, pattern);
    }
    if (json_is_null(pattern)) {
        return is_zero(value);
    }
    return !json_is_array(pattern) && json_typeof(value) == json_typeof(pattern);
}
