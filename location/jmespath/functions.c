/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions.c - finding functions, and what their results are made
 * with.
 */
#include <math.h>

#include "location/jmespath/functions.h"
#include "value/tree.h"

static const struct fx_jmespath_function *const tables[] = {
    fx_jmespath_standard_functions,   fx_jmespath_text_functions,
    fx_jmespath_case_functions,       fx_jmespath_pattern_functions,
    fx_jmespath_arithmetic_functions, fx_jmespath_collection_functions,
    fx_jmespath_encoding_functions,   fx_jmespath_name_functions,
    fx_jmespath_semver_functions,     fx_jmespath_time_functions,
    fx_jmespath_random_functions,     fx_jmespath_x509_functions,
};

const struct fx_jmespath_function *fx_jmespath_function_at(size_t index) {
    for (size_t t = 0; t < FX_COUNT(tables); t++) {
        for (size_t i = 0; tables[t][i].name != NULL; i++) {
            if (index-- == 0) {
                return &tables[t][i];
            }
        }
    }
    return NULL;
}

const struct fx_jmespath_function *fx_jmespath_function_find(struct fx_text name) {
    for (size_t t = 0; t < FX_COUNT(tables); t++) {
        for (size_t i = 0; tables[t][i].name != NULL; i++) {
            if (fx_text_is(name, tables[t][i].name)) {
                return &tables[t][i];
            }
        }
    }
    return NULL;
}

bool fx_jmespath_give_take(json_t *value, json_t **ret_value, struct fx_err *err) {
    *ret_value = value;
    return value != NULL || fx_fail_nomem(err);
}

bool fx_jmespath_give_string(struct fx_text text, json_t **ret_value,
                             struct fx_err *err) {
    if (text.len > FX_LIMIT_JMESPATH_TEXT_BYTES) {
        return fx_fail(err, FX_ELIMIT, "the text has more than %u bytes",
                       FX_LIMIT_JMESPATH_TEXT_BYTES);
    }
    return fx_jmespath_give_take(fx_tree_new_string(text), ret_value, err);
}

bool fx_jmespath_give_buf(struct fx_buf *buf, json_t **ret_value, struct fx_err *err) {
    bool ok = false;
    if (!buf->failed) {
        ok = fx_jmespath_give_string(fx_buf_view(buf), ret_value, err);
    } else if (buf->full) {
        ok = fx_fail(err, FX_ELIMIT, "the text has more than %u bytes",
                     FX_LIMIT_JMESPATH_TEXT_BYTES);
    } else {
        ok = fx_fail_nomem(err);
    }
    fx_buf_finish(buf);
    return ok;
}

/* Integral doubles below this are exact, and fit 64 bits. */
#define EXACT_INTEGERS 9007199254740992.0

bool fx_jmespath_give_number(double number, json_t **ret_value, struct fx_err *err) {
    if (!isfinite(number)) {
        return fx_fail(err, FX_EINVALID, "the result is not a finite number");
    }
    const bool is_integer = fabs(number) < EXACT_INTEGERS && trunc(number) == number;
    return fx_jmespath_give_take(is_integer ? json_integer((json_int_t)number)
                                            : json_real(number),
                                 ret_value, err);
}

bool fx_jmespath_give_boolean(bool truth, json_t **ret_value, struct fx_err *err) {
    return fx_jmespath_give_take(json_boolean(truth), ret_value, err);
}
