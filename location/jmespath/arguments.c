/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/arguments.c - how Kyverno's functions read their arguments and fail.
 */
#include <math.h>

#include "location/go/regex.h"
#include "location/jmespath/functions.h"
#include "value/number.h"
#include "value/tree.h"

bool jmespath_spend_bytes(size_t bytes, struct fx_err *err) {
    return fx_spend(1 + bytes / FX_BUDGET_BYTES) || fx_fail_exceeded(err);
}

bool jmespath_fail_argument(struct fx_err *err) {
    if (err->code == FX_EMUTATE || err->code == FX_ESYNTAX) {
        err->code = FX_EINVALID;
        err->off = err->len = 0; /* of another text */
    }
    return false;
}

bool jmespath_fail_pattern(struct fx_err *err) {
    struct fx_buf message;
    if (err->code != FX_ESYNTAX) {
        return false;
    }
    fx_buf_init(&message, 0);
    fx_buf_str(&message, "error parsing regexp: ");
    fx_go_regex_message(&message, err->msg);
    err->off = err->len = 0; /* of the pattern */
    return fx_buf_fail(&message, err, FX_EINVALID);
}

static void add_plain_double(struct fx_buf *buf, double number) {
    struct fx_double_digits digits; /* 0.d1d2d3… × 10^point */
    fx_double_digits_find(fabs(number), false, &digits);
    const int whole = digits.point > 0 && digits.n > 0 ? digits.point : 0;
    const int known = whole < digits.n ? whole : digits.n;
    fx_buf_str(buf, number < 0 ? "-" : "");
    fx_buf_add(buf, digits.text, (size_t)known);
    fx_buf_fill(buf, '0', (size_t)(whole - known));
    fx_buf_str(buf, whole == 0 ? "0" : "");
    if (known < digits.n) {
        fx_buf_char(buf, '.');
        fx_buf_fill(buf, '0', digits.point < 0 ? (size_t)-digits.point : 0);
        fx_buf_add(buf, digits.text + known, (size_t)(digits.n - known));
    }
}

void jmespath_add_plain_number(struct fx_buf *buf, const json_t *number) {
    if (json_is_integer(number)) {
        fx_buf_integer(buf, json_integer_value(number));
    } else {
        add_plain_double(buf, json_real_value(number));
    }
}

bool jmespath_argument_plain(const struct fx_jmespath_call *call, size_t i,
                             struct fx_buf *room, struct fx_text *ret_text,
                             struct fx_err *err) {
    if (json_is_string(call->args[i])) {
        *ret_text = jmespath_argument_text(call, i);
        return true;
    }
    jmespath_add_plain_number(room, call->args[i]);
    *ret_text = fx_buf_view(room);
    return !room->failed || fx_fail_nomem(err);
}

bool jmespath_append_take(json_t *list, json_t *element, struct fx_err *err) {
    if (!fx_spend(1)) {
        json_decref(element);
        return fx_fail_exceeded(err);
    }
    if (json_array_size(list) == FX_LIMIT_JMESPATH_VALUE_NODES) {
        json_decref(element);
        return fx_fail(err, FX_ELIMIT, "the list has more than %u elements",
                       FX_LIMIT_JMESPATH_VALUE_NODES);
    }
    return fx_tree_append_take(list, element) || fx_fail_nomem(err);
}
