/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/random_test.c - random(): what it makes matches the pattern, all
 * characters come up, and what it does not support fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/regex.h"
#include "location/jmespath/functions.h"
#include "value/tree.h"

#define MEMORY ((size_t)1 << 20)

/* Calls random(); NULL with *err. */
static json_t *make(const char *pattern, struct fx_err *err) {
    struct fx_arena arena;
    json_t *value = NULL;
    json_t *text = fx_tree_new_string(fx_text_of(pattern));
    const struct fx_jmespath_function *function =
        fx_jmespath_function_find(FX_TEXT("random"));
    assert_non_null(text);
    assert_non_null(function);
    fx_arena_init(&arena, MEMORY);
    const struct fx_jmespath_call call = {.args = &text, .n_args = 1, .arena = &arena};
    if (!function->call(&call, &value, err)) {
        value = NULL;
    }
    fx_arena_finish(&arena);
    json_decref(text);
    return value;
}

static const char *const patterns[] = {
    "abc",
    "[a-z0-9]{5}",
    "[a-f]+-\\d{3}",
    "(foo|bar|ba{2,3}z)?x",
    "\\w\\s\\D\\W\\S.",
    "[^a-zA-Z]*",
    "[]a-][]^]",
    "[^]]{2,}",
    "[[:alpha:]_][[:^digit:]]",
    "(?:a|(?P<n>b|c)){4}",
    "\\x41\\x{1F600}\\.\\[\\n",
    "[\xc3\xa4-\xc3\xbc]{3}",
    "a{,2}b{x}",
    "^[A-Z]{1,3}$",
    "|a",
    "()",
    "x*?y+?z??",
    "[\\d\\-x]{20}",
    "[\\x{D000}-\\x{F000}]{8}",
};

static void expect_match(const char *pattern, const struct fx_regex *regex) {
    struct fx_err err = FX_ERR_INIT;
    bool matches = false;
    json_t *value = make(pattern, &err);
    if (value == NULL) {
        fail_msg("%s: %s", pattern, err.msg);
    }
    assert_true(fx_regex_match(regex, fx_tree_text(value), &matches, &err));
    if (!matches) {
        fail_msg("%s: %s", pattern, json_string_value(value));
    }
    json_decref(value);
}

/* Each text matches the whole pattern. */
static void texts_match(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(patterns); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_regex *regex = NULL;
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_buf_printf(&buf, "^(?s:%s)$", patterns[i]);
        assert_true(fx_regex_compile(fx_buf_view(&buf), &regex, &err));
        for (int n = 0; n < 50; n++) {
            expect_match(patterns[i], regex);
        }
        fx_regex_destroy(regex);
        fx_buf_finish(&buf);
    }
}

/* The chance that one of ten digits is missing in 100 × 10 is below 1e-44. */
static void all_choices_come_up(void **state) {
    unsigned seen = 0;
    (void)state;
    for (int n = 0; n < 100; n++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *value = make("(0|1|2|3|4|[5-9]){10}", &err);
        assert_int_equal(json_string_length(value), 10);
        for (size_t i = 0; i < 10; i++) {
            seen |= 1u << (json_string_value(value)[i] - '0');
        }
        json_decref(value);
    }
    assert_int_equal(seen, 0x3FF);
}

static void repetitions_are_bounded(void **state) {
    size_t most = 0;
    (void)state;
    for (int n = 0; n < 200; n++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *value = make("a{3,}", &err);
        const size_t len = json_string_length(value);
        assert_true(len >= 3 && len <= 3 + FX_LIMIT_RANDOM_REPEATS);
        most = len > most ? len : most;
        json_decref(value);
    }
    assert_true(most > 20);
}

static void others_fail(void **state) {
    static const struct {
        const char *pattern, *message;
    } cases[] = {
        {"", "the pattern is empty"},
        {"(a", "missing closing )"},
        {"(?i)a", "does not support this regular expression from `i` on"},
        {"\\bfoo", "from `bf"},
        {"\\pL", "from `pL"},
        {"\\Qa\\E", "from `Qa"},
        {"[^\\x00-\\x{10FFFF}]", "no printable character of ASCII"},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        assert_null(make(cases[i].pattern, &err));
        assert_int_equal(err.code, FX_EINVALID);
        if (strstr(err.msg, cases[i].message) == NULL) {
            fail_msg("%s: %s", cases[i].pattern, err.msg);
        }
    }
}

static void depth_and_length_are_limited(void **state) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf deep;
    (void)state;
    fx_buf_init(&deep, 0);
    fx_buf_fill(&deep, '(', FX_LIMIT_RANDOM_DEPTH + 1);
    fx_buf_fill(&deep, ')', FX_LIMIT_RANDOM_DEPTH + 1);
    assert_null(make(deep.data, &err));
    assert_string_equal(err.msg, "the pattern has more than 100 levels");
    assert_int_equal(err.code, FX_ELIMIT);
    fx_buf_finish(&deep);
    const struct fx_bound before = fx_budget_narrow(100000, 0);
    assert_null(make("((((((((a{9})+)+)+)+)+)+)+)+", &err));
    assert_int_equal(err.code, FX_ELIMIT);
    (void)fx_budget_widen(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_match),
        cmocka_unit_test(all_choices_come_up),
        cmocka_unit_test(repetitions_are_bounded),
        cmocka_unit_test(others_fail),
        cmocka_unit_test(depth_and_length_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
