/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/operate.c - operators and their operands (spec section 7.2), and
 * functions (7.3). Patterns of `=~` that come from the object are compiled once in an
 * evaluation, and their number is limited.
 */
#include "location/jsonpath/value.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "location/go/time.h"

/* ---- =~ and !~ --------------------------------------------------------------------- */

/* Fails for a pattern that cannot be compiled. An invalid pattern is a fault of the
 * object; lack of memory or time is not. */
static bool fail_pattern(struct path_run *run, const struct expression_node *infix,
                         const struct fx_err *err) {
    if (fx_err_is_ours(err)) {
        run->is_over = true;
        return fx_fail(run->err, err->code, "%s", err->msg);
    }
    return FX_JSONPATH_FAIL(run, infix, "%s", err->msg);
}

/* Checks the limits for one more pattern. */
static bool check_limits(struct path_run *run, const struct expression_node *infix,
                         struct fx_text text) {
    if (text.len > FX_LIMIT_JSONPATH_OBJECT_PATTERN_BYTES) {
        run->is_over = true;
        return fx_fail_at(run->err, FX_ELIMIT, infix->off, infix->len,
                          "a regular expression of the object has more than %u bytes",
                          FX_LIMIT_JSONPATH_OBJECT_PATTERN_BYTES);
    }
    if (run->n_patterns == FX_LIMIT_JSONPATH_OBJECT_PATTERNS) {
        run->is_over = true;
        return fx_fail_at(run->err, FX_ELIMIT, infix->off, infix->len,
                          "more than %u regular expressions come from the object",
                          FX_LIMIT_JSONPATH_OBJECT_PATTERNS);
    }
    return true;
}

/* Compiles a text of the object. An invalid text is cached, too, because compiling it
 * took time. */
static bool add_pattern(struct path_run *run, const struct expression_node *infix,
                        struct fx_text text, const struct fx_regex **ret_pattern) {
    if (!check_limits(run, infix, text)) {
        return false;
    }
    struct fx_err err = FX_ERR_INIT;
    struct fx_regex *regex = NULL;
    const bool ok = fx_regex_compile(text, &regex, &err);
    run->patterns[run->n_patterns].text = text;
    run->patterns[run->n_patterns].regex = regex;
    run->n_patterns++;
    *ret_pattern = regex;
    return ok || fail_pattern(run, infix, &err);
}

/* Gets the compiled pattern of the text. */
static bool take_pattern(struct path_run *run, const struct expression_node *infix,
                         struct fx_text text, const struct fx_regex **ret_pattern) {
    for (size_t i = 0; i < run->n_patterns; i++) {
        if (fx_text_equal(run->patterns[i].text, text)) {
            *ret_pattern = run->patterns[i].regex;
            return *ret_pattern != NULL ||
                   FX_JSONPATH_FAIL(run, infix, "`%.*s` is not a regular expression",
                                    FX_TEXT_ARG(text));
        }
    }
    return add_pattern(run, infix, text, ret_pattern);
}

static bool match_pattern(struct path_run *run, const struct expression_node *infix,
                          const struct path_value *left, const struct path_value *right,
                          bool *ret_matches) {
    const struct fx_regex *regex = infix->as.pattern;
    struct fx_text text = {0};
    struct fx_text pattern = {0};
    if (!fx_jsonpath_text(run, left, &text) ||
        (regex == NULL && (!fx_jsonpath_text(run, right, &pattern) ||
                           !take_pattern(run, infix, pattern, &regex)))) {
        return false;
    }
    struct fx_err err = FX_ERR_INIT;
    if (fx_regex_match(regex, text, ret_matches, &err)) {
        return true;
    }
    run->is_over = true;
    return fx_fail_at(run->err, err.code, infix->off, infix->len, "%s", err.msg);
}

/* Both operands. They are also given as numbers if both are numbers or numeric texts. */
struct operands {
    struct path_run *run;
    const struct expression_node *node;
    const struct path_value *left, *right;
    bool are_numbers;
    struct number a, b;
};

/* Fails for operands of wrong types. The message for `-` has a hint about names with a
 * hyphen. */
static bool fail_types(const struct operands *of) {
    const enum operator_id id = (enum operator_id)of->node->id;
    return FX_JSONPATH_FAIL(
        of->run, of->node, "`%s` cannot be applied to %s and %s%s",
        fx_jsonpath_operator(id)->text, fx_jsonpath_type_name(of->left),
        fx_jsonpath_type_name(of->right),
        id == OPERATOR_SUBTRACT ? " (a name with a hyphen is selected as in `[\"a-b\"]`)"
                                : "");
}

/* ---- numbers --------------------------------------------------------------------- */

/* Shifts a number. Bits that are shifted out are lost; a negative count is a large
 * one. */
static double shift_bits(enum operator_id id, double number, double by) {
    const int64_t bits = fx_jsonpath_truncate(number);
    const int64_t count = fx_jsonpath_truncate(by);
    const bool all = count < 0 || count > 63;
    if (id == OPERATOR_SHIFT_LEFT) {
        const uint64_t moved = all ? 0 : (uint64_t)bits << count;
        int64_t result = 0;
        memcpy(&result, &moved, sizeof result);
        return (double)result;
    }
    const int64_t divided =
        bits >= 0 ? bits : ~bits; /* >> of a negative number depends on the compiler */
    const int64_t moved = all ? 0 : divided >> count;
    return (double)(bits >= 0 ? moved : ~moved);
}

static double bits(enum operator_id id, double a, double b) {
    const int64_t left = fx_jsonpath_truncate(a);
    const int64_t right = fx_jsonpath_truncate(b);
    switch ((int)id) {
    case OPERATOR_XOR: return (double)(left ^ right);
    case OPERATOR_BIT_AND: return (double)(left & right);
    default: return (double)(left | right);
    }
}

static double calculate(enum operator_id id, double a, double b) {
    switch ((int)id) {
    case OPERATOR_ADD: return a + b;
    case OPERATOR_SUBTRACT: return a - b;
    case OPERATOR_MULTIPLY: return a * b;
    case OPERATOR_DIVIDE: return a / b; /* by 0: infinity or NaN */
    case OPERATOR_MODULO: return fmod(a, b);
    case OPERATOR_POWER: return pow(a, b);
    case OPERATOR_SHIFT_LEFT:
    case OPERATOR_SHIFT_RIGHT: return shift_bits(id, a, b);
    default: return bits(id, a, b);
    }
}

static bool arithmetic(const struct operands *of, struct path_value *ret_value) {
    if (!of->are_numbers) {
        return fail_types(of);
    }
    *ret_value = fx_jsonpath_of_number(
        calculate((enum operator_id)of->node->id, of->a.real, of->b.real));
    return true;
}

/* ---- texts ----------------------------------------------------------------------- */

/* Gets the texts of both operands, which must not be null. */
static bool both_texts(const struct operands *of, struct fx_text *ret_left,
                       struct fx_text *ret_right) {
    if (fx_jsonpath_is_null(of->left) || fx_jsonpath_is_null(of->right)) {
        return fail_types(of);
    }
    return fx_jsonpath_text(of->run, of->left, ret_left) &&
           fx_jsonpath_text(of->run, of->right, ret_right);
}

static bool concatenate(const struct operands *of, struct path_value *ret_value) {
    struct fx_text left = {0};
    struct fx_text right = {0};
    if (!both_texts(of, &left, &right) ||
        !fx_jsonpath_spend(of->run, (left.len + right.len) / FX_BUDGET_BYTES)) {
        return false;
    }
    char *whole = fx_jsonpath_alloc(of->run, left.len + right.len);
    if (whole == NULL) {
        return false;
    }
    memcpy(whole, left.len > 0 ? left.data : "", left.len);
    memcpy(whole + left.len, right.len > 0 ? right.data : "", right.len);
    *ret_value =
        (struct path_value){.kind = VALUE_TEXT, .as.text = {whole, left.len + right.len}};
    return true;
}

static bool are_texts(const struct operands *of) {
    struct fx_text text = {0};
    return fx_jsonpath_as_text(of->left, &text) && fx_jsonpath_as_text(of->right, &text);
}

static bool eval_plus(const struct operands *of, struct path_value *ret_value) {
    return of->are_numbers && !are_texts(of) ? arithmetic(of, ret_value)
                                             : concatenate(of, ret_value);
}

/* ---- comparisons ----------------------------------------------------------------- */

static bool is_in_order(enum operator_id id, int order) {
    switch ((int)id) {
    case OPERATOR_GREATER: return order > 0;
    case OPERATOR_GREATER_OR_EQUAL: return order >= 0;
    case OPERATOR_LESS: return order < 0;
    default: return order <= 0;
    }
}

static bool eval_comparison(const struct operands *of, struct path_value *ret_value) {
    const enum operator_id id = (enum operator_id)of->node->id;
    int order = 0;
    bool ordered = true;
    if (of->are_numbers && !are_texts(of)) {
        order = fx_jsonpath_compare_numbers(&of->a, &of->b, &ordered);
    } else {
        struct fx_text left = {0};
        struct fx_text right = {0};
        if (!both_texts(of, &left, &right) ||
            !fx_jsonpath_spend(of->run, left.len / FX_BUDGET_BYTES)) {
            return false;
        }
        order = fx_text_compare(left, right);
    }
    *ret_value = fx_jsonpath_of_bool(ordered && is_in_order(id, order));
    return true;
}

/* Compares numbers and numeric texts by value: "1.10" == "1.1". */
static bool eval_equality(const struct operands *of, struct path_value *ret_value) {
    bool same = false;
    if (of->are_numbers) {
        bool ordered = false;
        same = fx_jsonpath_compare_numbers(&of->a, &of->b, &ordered) == 0 && ordered;
    } else {
        same = fx_jsonpath_equal(of->run, of->left, of->right);
    }
    *ret_value = fx_jsonpath_of_bool(same == (of->node->id == OPERATOR_EQUAL));
    return !of->run->is_over;
}

static bool is_in(const struct operands *of, struct path_value *ret_value) {
    size_t count = 0;
    bool found = false;
    if (!fx_jsonpath_is_list(of->right, &count)) {
        return FX_JSONPATH_FAIL(of->run, of->node,
                                "the right operand of `in` is %s, not a list",
                                fx_jsonpath_type_name(of->right));
    }
    for (size_t i = 0; i < count && !found && !of->run->is_over; i++) {
        const struct path_value entry = fx_jsonpath_list_at(of->right, i);
        found = fx_jsonpath_equal(of->run, of->left, &entry);
    }
    *ret_value = fx_jsonpath_of_bool(found);
    return !of->run->is_over;
}

/* ---- truth ----------------------------------------------------------------------- */

static bool fail_truth(struct path_run *run, const struct expression_node *node,
                       const char *operation, const struct path_value *operand) {
    return FX_JSONPATH_FAIL(run, node, "`%s` needs true or false, not %s%s", operation,
                            fx_jsonpath_type_name(operand),
                            operand->kind == VALUE_UNDEFINED
                                ? " (`isDefined(…)` tests whether a field exists)"
                                : "");
}

/* Evaluates `&&` or `||` if the right operand decides. */
static bool eval_logic(const struct operands *of, struct path_value *ret_value) {
    const char *text = fx_jsonpath_operator((enum operator_id)of->node->id)->text;
    bool truth = false;
    if (!fx_jsonpath_as_bool(of->left, &truth)) {
        return fail_truth(of->run, of->node, text, of->left);
    }
    if (!fx_jsonpath_as_bool(of->right, &truth)) {
        return fail_truth(of->run, of->node, text, of->right);
    }
    *ret_value = *of->right;
    return true;
}

static bool eval_match(const struct operands *of, struct path_value *ret_value) {
    bool matches = false;
    if (!match_pattern(of->run, of->node, of->left, of->right, &matches)) {
        return false;
    }
    *ret_value = fx_jsonpath_of_bool(matches == (of->node->id == OPERATOR_MATCH));
    return true;
}

static bool takes_numbers(enum operator_id id) {
    switch ((int)id) {
    case OPERATOR_COALESCE:
    case OPERATOR_OR:
    case OPERATOR_AND:
    case OPERATOR_MATCH:
    case OPERATOR_NO_MATCH:
    case OPERATOR_IN: return false;
    default: return true;
    }
}

/* Returns the cost of parsing the value as a number. Long texts are not numbers
 * (program.h). */
static size_t number_steps(const struct path_value *value) {
    struct fx_text text = {0};
    return fx_jsonpath_as_text(value, &text) && text.len <= 1000 ? text.len / 4 : 0;
}

bool fx_jsonpath_operate(struct path_run *run, const struct expression_node *infix,
                         const struct path_value *left, const struct path_value *right,
                         struct path_value *ret_value) {
    struct operands of = {.run = run, .node = infix, .left = left, .right = right};
    const enum operator_id id = (enum operator_id)infix->id;
    if (!fx_jsonpath_spend(run, number_steps(left) + number_steps(right))) {
        return false;
    }
    of.are_numbers = takes_numbers(id) && fx_jsonpath_as_number(left, &of.a) &&
                     fx_jsonpath_as_number(right, &of.b);
    switch (id) {
    case OPERATOR_COALESCE: *ret_value = *right; return true;
    case OPERATOR_OR:
    case OPERATOR_AND: return eval_logic(&of, ret_value);
    case OPERATOR_EQUAL:
    case OPERATOR_UNEQUAL: return eval_equality(&of, ret_value);
    case OPERATOR_GREATER:
    case OPERATOR_GREATER_OR_EQUAL:
    case OPERATOR_LESS:
    case OPERATOR_LESS_OR_EQUAL: return eval_comparison(&of, ret_value);
    case OPERATOR_MATCH:
    case OPERATOR_NO_MATCH: return eval_match(&of, ret_value);
    case OPERATOR_IN: return is_in(&of, ret_value);
    case OPERATOR_ADD: return eval_plus(&of, ret_value);
    case OPERATOR_XOR:
    case OPERATOR_BIT_AND:
    case OPERATOR_BIT_OR:
    case OPERATOR_SHIFT_LEFT:
    case OPERATOR_SHIFT_RIGHT:
    case OPERATOR_SUBTRACT:
    case OPERATOR_MULTIPLY:
    case OPERATOR_DIVIDE:
    case OPERATOR_MODULO:
    case OPERATOR_POWER: return arithmetic(&of, ret_value);
    case OPERATOR_NONE: break;
    }
    assert(false);
    return false;
}

bool fx_jsonpath_prefix(struct path_run *run, const struct expression_node *prefix,
                        const struct path_value *operand, struct path_value *ret_value) {
    struct number number = {0};
    bool truth = false;
    if (prefix->id == PREFIX_NOT) {
        if (!fx_jsonpath_as_bool(operand, &truth)) {
            return fail_truth(run, prefix, "!", operand);
        }
        *ret_value = fx_jsonpath_of_bool(!truth);
        return true;
    }
    if (!fx_jsonpath_as_number(operand, &number)) {
        return FX_JSONPATH_FAIL(run, prefix, "`%c` needs a number, not %s",
                                prefix->id == PREFIX_MINUS ? '-' : '~',
                                fx_jsonpath_type_name(operand));
    }
    *ret_value = fx_jsonpath_of_number(prefix->id == PREFIX_MINUS
                                           ? -number.real
                                           : (double)~fx_jsonpath_truncate(number.real));
    return true;
}

/* ---- functions --------------------------------------------------------------------- */

/* Returns the number of entries, members or bytes; 0 for null and undefined. */
static bool call_length(struct path_run *run, const struct expression_node *call,
                        const struct path_value *value, size_t *ret_length) {
    struct fx_text text = {0};
    if (value->kind == VALUE_UNDEFINED || fx_jsonpath_is_null(value)) {
        *ret_length = 0;
    } else if (fx_jsonpath_is_map(value)) {
        *ret_length = fx_jsonpath_map_size(value);
    } else if (fx_jsonpath_as_text(value, &text)) {
        *ret_length = text.len;
    } else if (!fx_jsonpath_is_list(value, ret_length)) {
        return FX_JSONPATH_FAIL(run, call,
                                "`%s` takes a list, an object or a text, not %s",
                                fx_jsonpath_function_name((enum function_id)call->id),
                                fx_jsonpath_type_name(value));
    }
    return true;
}

/* The layouts of dates (spec section 7.3), in the order in which they are tried. */
static const char *const date_layouts[] = {
    "Mon Jan _2 15:04:05 2006",
    "Mon Jan _2 15:04:05 MST 2006",
    "Mon Jan 02 15:04:05 -0700 2006",
    "3:04PM",
    "2006-01-02T15:04:05Z07:00",
    "2006-01-02",
    "2006-01-02 15:04",
    "2006-01-02 15:04:05",
    "2006-01-02 15:04:05-07:00",
    "2006-01-02T15Z0700",
    "2006-01-02T15:04Z0700",
    "2006-01-02T15:04:05Z0700",
};

/* Parses the whole text by the first layout that matches. */
static bool parse_date(struct fx_text text, struct fx_go_time *ret_time) {
    for (size_t i = 0; i < FX_COUNT(date_layouts) && text.len > 0; i++) {
        if (fx_go_time_parse(fx_text_of(date_layouts[i]), text, ret_time, NULL)) {
            return true;
        }
    }
    return false;
}

static bool date(struct path_run *run, const struct expression_node *call,
                 const struct path_value *value, struct path_value *ret_value) {
    struct fx_text text = {0};
    if (!fx_jsonpath_as_text(value, &text)) {
        return FX_JSONPATH_FAIL(run, call, "`date` takes a text, not %s",
                                fx_jsonpath_type_name(value));
    }
    struct fx_go_time *made = fx_jsonpath_alloc(run, sizeof *made);
    if (made == NULL || !fx_jsonpath_spend(run, 50 + text.len)) {
        return false;
    }
    if (!parse_date(text, made)) {
        return FX_JSONPATH_FAIL(run, call,
                                "`%.*s` is not a date: write it as `2006-01-02` "
                                "or `2006-01-02T15:04:05Z`",
                                FX_TEXT_ARG(text));
    }
    *ret_value = (struct path_value){.kind = VALUE_DATE, .as.date = made};
    return true;
}

bool fx_jsonpath_call(struct path_run *run, const struct expression_node *call,
                      const struct path_value *argument, struct path_value *ret_value) {
    const bool is_undefined = argument->kind == VALUE_UNDEFINED;
    size_t count = 0;
    switch ((enum function_id)call->id) {
    case FUNCTION_LENGTH:
        if (!call_length(run, call, argument, &count)) {
            return false;
        }
        *ret_value =
            (struct path_value){.kind = VALUE_COUNT, .as.integer = (int64_t)count};
        return true;
    case FUNCTION_IS_EMPTY:
    case FUNCTION_IS_NOT_EMPTY:
        if (!call_length(run, call, argument, &count)) {
            return false;
        }
        *ret_value = fx_jsonpath_of_bool((count == 0) == (call->id == FUNCTION_IS_EMPTY));
        return true;
    case FUNCTION_IS_DEFINED:
        *ret_value = fx_jsonpath_of_bool(!is_undefined);
        return true;
    case FUNCTION_IS_UNDEFINED:
        *ret_value = fx_jsonpath_of_bool(is_undefined);
        return true;
    case FUNCTION_DATE: return date(run, call, argument, ret_value);
    case FUNCTION_NONE: break;
    }
    assert(false);
    return false;
}
