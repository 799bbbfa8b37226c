/* SPDX-License-Identifier: Apache-2.0
 *
 * base/wildcard_test.c - wildcards, against the definition and within the budget.
 */
#include "base/wildcard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/budget.h"

static bool matches(const char *pattern, const char *text) {
    return fx_wildcard_match(fx_text_of(pattern), fx_text_of(text));
}

static void whole_texts_match(void **state) {
    (void)state;
    assert_true(matches("", ""));
    assert_false(matches("", "a"));
    assert_true(matches("*", ""));
    assert_false(matches("?", ""));
    assert_true(matches("a?c", "abc"));
    assert_false(matches("a?c", "ac"));
    assert_true(matches("prod-*-db", "prod-eu-west-db"));
    assert_false(matches("prod-*-db", "prod-db"));
    assert_true(matches("*db", "db-dbdb"));
    assert_true(matches("**a**", "a"));
    assert_false(matches("a.c", "abc"));
    assert_false(matches("[a]*", "abc"));
    assert_true(matches("\\*", "\\anything"));
}

/* A rune of two bytes is two of `?`. */
static void bytes_are_compared(void **state) {
    static const char with_nul[] = "a\0b";
    (void)state;
    assert_false(matches("?", "\xc3\xa9"));
    assert_true(matches("??", "\xc3\xa9"));
    assert_true(fx_wildcard_match(FX_TEXT("a?b"), (struct fx_text){with_nul, 3}));
    assert_true(fx_wildcard_match(FX_TEXT("*"), (struct fx_text){NULL, 0}));
}

/* The definition. */
static bool slow_match(struct fx_text pattern, struct fx_text text) {
    if (pattern.len == 0) {
        return text.len == 0;
    }
    const struct fx_text rest = fx_text_rest(pattern, 1);
    if (pattern.data[0] == '*') {
        return slow_match(rest, text) ||
               (text.len > 0 && slow_match(pattern, fx_text_rest(text, 1)));
    }
    return text.len > 0 && (pattern.data[0] == '?' || pattern.data[0] == text.data[0]) &&
           slow_match(rest, fx_text_rest(text, 1));
}

/* All patterns of up to 6 of `a b ? *` against all texts of up to 5 of `a b`. */
static void every_short_pattern(void **state) {
    static const char letters[] = "ab?*";
    size_t n_true = 0;
    (void)state;
    for (unsigned p = 0; p < 1u << 12; p++) {
        char pattern[6];
        const size_t pattern_len = p % 7;
        for (size_t i = 0; i < pattern_len; i++) {
            pattern[i] = letters[p * 2654435761u >> (2 * i + 8) & 3];
        }
        for (unsigned t = 0; t < 63; t++) {
            char text[5];
            const size_t text_len = t % 6;
            for (size_t i = 0; i < text_len; i++) {
                text[i] = letters[t >> i & 1];
            }
            const struct fx_text a = {pattern, pattern_len};
            const struct fx_text b = {text, text_len};
            assert_int_equal(fx_wildcard_match(a, b), slow_match(a, b));
            n_true += slow_match(a, b) ? 1 : 0;
        }
    }
    assert_true(n_true > 1000);
}

#define LONG 20000u

/* `*aaa…ab` does not match `aaa…`: each start of the piece is tried. */
static void hostile_patterns_spend(void **state) {
    char *text = malloc(LONG);
    char *pattern = malloc(LONG / 2);
    (void)state;
    assert_non_null(text);
    assert_non_null(pattern);
    memset(text, 'a', LONG);
    memset(pattern, 'a', LONG / 2);
    pattern[0] = '*';
    pattern[LONG / 2 - 1] = 'b';
    const struct fx_bound before = fx_budget_narrow(UINT64_C(100000), 0);
    assert_false(fx_wildcard_match((struct fx_text){pattern, LONG / 2},
                                   (struct fx_text){text, LONG}));
    assert_int_equal(fx_budget_exceeded(), FX_EXCEEDED_UNITS);
    assert_int_equal(fx_budget_widen(before), FX_EXCEEDED_UNITS);
    free(pattern);
    free(text);
}

/* Each `*` is only extended until the next one is reached, so many of them cost no more
 * than one. */
static void many_stars_are_cheap(void **state) {
    char text[2000];
    char pattern[2000];
    (void)state;
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof pattern; i++) {
        pattern[i] = i % 2 == 0 ? '*' : 'a';
    }
    pattern[sizeof pattern - 1] = 'b';
    const uint64_t before = fx_budget_spent();
    assert_false(fx_wildcard_match((struct fx_text){pattern, sizeof pattern},
                                   (struct fx_text){text, sizeof text}));
    assert_true(fx_budget_spent() - before < 2000);
}

static void patterns_are_told_from_names(void **state) {
    (void)state;
    assert_true(fx_wildcard_is_pattern(FX_TEXT("a*")));
    assert_true(fx_wildcard_is_pattern(FX_TEXT("?")));
    assert_false(fx_wildcard_is_pattern(FX_TEXT("a.b[c]")));
    assert_false(fx_wildcard_is_pattern(FX_TEXT("")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_texts_match),
        cmocka_unit_test(bytes_are_compared),
        cmocka_unit_test(every_short_pattern),
        cmocka_unit_test(hostile_patterns_spend),
        cmocka_unit_test(many_stars_are_cheap),
        cmocka_unit_test(patterns_are_told_from_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
