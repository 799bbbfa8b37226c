/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_case.c - Kyverno's functions that compare texts or change
 * their case.
 */
#include "base/runes.h"
#include "location/jmespath/functions.h"

#define BYTES_OF_A_CASED_UNIT 2u /* each rune is looked up in a table */

static bool call_compare(const struct fx_jmespath_call *call, json_t **ret_value,
                         struct fx_err *err) {
    const int order =
        fx_text_compare(jmespath_argument_text(call, 0), jmespath_argument_text(call, 1));
    return fx_jmespath_give_number(order < 0 ? -1 : order > 0, ret_value, err);
}

/* ---- case -------------------------------------------------------------------------- */

static bool spend_runes(struct fx_text text, struct fx_err *err) {
    return fx_spend(1 + text.len / BYTES_OF_A_CASED_UNIT) || fx_fail_exceeded(err);
}

typedef uint32_t mapping(uint32_t rune);

static bool map_runes(struct fx_text text, mapping *map, json_t **ret_value,
                      struct fx_err *err) {
    struct fx_buf buf;
    if (!spend_runes(text, err)) {
        return false;
    }
    jmespath_result_init(&buf);
    while (text.len > 0 && !buf.failed) {
        char out[4];
        uint32_t rune = 0;
        const size_t len = fx_text_rune(text, &rune);
        fx_buf_add(&buf, out, fx_text_encode_rune(map(rune), out));
        text = fx_text_rest(text, len);
    }
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

static bool call_to_upper(const struct fx_jmespath_call *call, json_t **ret_value,
                          struct fx_err *err) {
    return map_runes(jmespath_argument_text(call, 0), fx_rune_to_upper, ret_value, err);
}

static bool call_to_lower(const struct fx_jmespath_call *call, json_t **ret_value,
                          struct fx_err *err) {
    return map_runes(jmespath_argument_text(call, 0), fx_rune_to_lower, ret_value, err);
}

#define CAPITAL_I_WITH_DOT  0x130u
#define SMALL_I_WITHOUT_DOT 0x131u

/* The same rune for all that differ in case only: Unicode's simple case folding. The two
 * letters of Turkish have no other case there. */
static uint32_t fold(uint32_t rune) {
    return rune == CAPITAL_I_WITH_DOT || rune == SMALL_I_WITHOUT_DOT
               ? rune
               : fx_rune_to_lower(fx_rune_to_upper(rune));
}

/* Do both begin with runes that differ in case only? Removes them. */
static bool take_equal(struct fx_text *a, struct fx_text *b) {
    uint32_t left = 0;
    uint32_t right = 0;
    const size_t left_len = fx_text_rune(*a, &left);
    const size_t right_len = fx_text_rune(*b, &right);
    *a = fx_text_rest(*a, left_len);
    *b = fx_text_rest(*b, right_len);
    return left == right || fold(left) == fold(right);
}

static bool call_equal_fold(const struct fx_jmespath_call *call, json_t **ret_value,
                            struct fx_err *err) {
    struct fx_text a = jmespath_argument_text(call, 0);
    struct fx_text b = jmespath_argument_text(call, 1);
    bool equal = true;
    if (!spend_runes(a, err) || !spend_runes(b, err)) {
        return false;
    }
    while (equal && a.len > 0 && b.len > 0) {
        equal = take_equal(&a, &b);
    }
    return fx_jmespath_give_boolean(equal && a.len == b.len, ret_value, err);
}

/* ---- booleans ---------------------------------------------------------------------- */

/* Is it the word in any case of letters? */
static bool is_word(struct fx_text text, const char *word) {
    size_t i = 0;
    for (; i < text.len && word[i] != '\0'; i++) {
        const char c = text.data[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != word[i]) {
            return false;
        }
    }
    return i == text.len && word[i] == '\0';
}

static bool call_to_boolean(const struct fx_jmespath_call *call, json_t **ret_value,
                            struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, 0);
    const bool is_true = is_word(text, "true");
    if (!is_true && !is_word(text, "false")) {
        return fx_fail_quoted(err, FX_EINVALID, "expected 'true' or 'false', got ", text,
                              "");
    }
    return fx_jmespath_give_boolean(is_true, ret_value, err);
}

const struct fx_jmespath_function fx_jmespath_case_functions[] = {
    FX_JMESPATH_ROW("compare", call_compare, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("equal_fold", call_equal_fold, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("to_upper", call_to_upper, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("to_lower", call_to_lower, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("to_boolean", call_to_boolean, {.types = FX_JMESPATH_STRING}),
    {.name = NULL},
};
