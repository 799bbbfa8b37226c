/* SPDX-License-Identifier: Apache-2.0
 *
 * result.c - comparisons, and messages about differences.
 */
#include "result.h"

#include "value/equal.h"
#include "value/json.h"

void fx_case_result_finish(struct fx_case_result *result) {
    if (result != NULL) {
        fx_buf_finish(&result->words);
    }
}

/* Begins the message of a failure; false if there is an earlier one. */
static bool begin(struct fx_case_result *result, const char *what) {
    if (result->failed) {
        return false;
    }
    result->failed = true;
    fx_buf_printf(&result->words, "%s: expected ", what);
    return true;
}

void fx_case_fail(struct fx_case_result *result, const char *what, const char *expected,
                  const char *got) {
    if (begin(result, what)) {
        fx_buf_printf(&result->words, "%s, got %s", expected, got);
    }
}

void fx_case_expect_bool(struct fx_case_result *result, const char *what, bool expected,
                         bool got) {
    if (expected != got) {
        fx_case_fail(result, what, expected ? "true" : "false", got ? "true" : "false");
    }
}

static void fail_text(struct fx_case_result *result, const char *what, const char *how,
                      struct fx_text expected, struct fx_text got) {
    if (begin(result, what)) {
        fx_buf_str(&result->words, how);
        fx_text_quote_go(&result->words, expected);
        fx_buf_str(&result->words, ", got ");
        fx_text_quote_go(&result->words, got);
    }
}

void fx_case_expect_text(struct fx_case_result *result, const char *what,
                         struct fx_text expected, struct fx_text got) {
    if (!fx_text_equal(expected, got)) {
        fail_text(result, what, "", expected, got);
    }
}

void fx_case_expect_part(struct fx_case_result *result, const char *what,
                         struct fx_text part, struct fx_text got) {
    if (!fx_text_contains(got, part)) {
        fail_text(result, what, "words that hold ", part, got);
    }
}

static void add_json(struct fx_buf *buf, const json_t *value) {
    if (value == NULL) {
        fx_buf_str(buf, "nothing");
    } else {
        fx_json_write(buf, value, FX_JSON_SORT_KEYS);
    }
}

void fx_case_expect_json(struct fx_case_result *result, const char *what,
                         const json_t *expected, const json_t *got) {
    if (!fx_equal(expected, got) && begin(result, what)) {
        add_json(&result->words, expected);
        fx_buf_str(&result->words, ", got ");
        add_json(&result->words, got);
    }
}
