/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/standard_numbers.c - functions of JMESPath about numbers. Integers
 * stay integers.
 */
#include <math.h>

#include "base/budget.h"
#include "base/strconv.h"
#include "location/jmespath/standard.h"
#include "value/tree.h"

bool fx_jmespath_abs(const struct fx_jmespath_call *call, json_t **ret_value,
                     struct fx_err *err) {
    const json_int_t integer = json_integer_value(call->args[0]);
    if (json_is_integer(call->args[0]) && integer != INT64_MIN) {
        return fx_jmespath_give_take(json_integer(integer < 0 ? -integer : integer),
                                     ret_value, err);
    }
    return fx_jmespath_give_number(fabs(json_number_value(call->args[0])), ret_value,
                                   err);
}

/* Gives an integer unchanged, and a real rounded. */
static bool give_rounded(json_t *number, double rounded, json_t **ret_value,
                         struct fx_err *err) {
    if (json_is_integer(number)) {
        *ret_value = json_incref(number);
        return true;
    }
    return fx_jmespath_give_number(rounded, ret_value, err);
}

bool fx_jmespath_ceil(const struct fx_jmespath_call *call, json_t **ret_value,
                      struct fx_err *err) {
    return give_rounded(call->args[0], ceil(json_number_value(call->args[0])), ret_value,
                        err);
}

bool fx_jmespath_floor(const struct fx_jmespath_call *call, json_t **ret_value,
                       struct fx_err *err) {
    return give_rounded(call->args[0], floor(json_number_value(call->args[0])), ret_value,
                        err);
}

/* The average of no numbers is null, as in JMESPath. */
bool fx_jmespath_avg(const struct fx_jmespath_call *call, json_t **ret_value,
                     struct fx_err *err) {
    const size_t n = json_array_size(call->args[0]);
    double sum = 0;
    if (n == 0) {
        return fx_jmespath_give_take(json_null(), ret_value, err);
    }
    if (!fx_spend(n)) {
        return fx_fail_exceeded(err);
    }
    for (size_t i = 0; i < n; i++) {
        sum += json_number_value(json_array_get(call->args[0], i));
    }
    return fx_jmespath_give_number(sum / (double)n, ret_value, err);
}

/* An integer text gives an integer. A text that Go's ParseFloat does not read, or that
 * has no finite value, gives null. */
static bool parse_number(struct fx_text text, json_t **ret_value, struct fx_err *err) {
    int64_t integer = 0;
    double number = 0;
    if (text.len <= FX_GO_SHORT_NUMBER &&
        fx_go_parse_int(text, 10, &integer) == FX_GO_NUMBER) {
        return fx_jmespath_give_take(json_integer(integer), ret_value, err);
    }
    const enum fx_go_number result = fx_go_parse_float(text, &number);
    if (result == FX_GO_NOMEM) {
        return fx_fail_nomem(err);
    }
    return result == FX_GO_NUMBER && isfinite(number)
               ? fx_jmespath_give_number(number, ret_value, err)
               : fx_jmespath_give_take(json_null(), ret_value, err);
}

bool fx_jmespath_to_number(const struct fx_jmespath_call *call, json_t **ret_value,
                           struct fx_err *err) {
    json_t *value = call->args[0];
    if (json_is_string(value)) {
        return parse_number(fx_tree_text(value), ret_value, err);
    }
    *ret_value = json_is_number(value) ? json_incref(value) : json_null();
    return true;
}
