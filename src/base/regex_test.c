/* SPDX-License-Identifier: Apache-2.0
 *
 * base/regex_test.c - what matches, what is no regular expression, and what time a match
 * takes at worst.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/regex.h"

/* FX_TEXT is no constant. */
#define T(literal) {literal, sizeof(literal) - 1}

static struct fx_regex *must_compile(struct fx_text pattern) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_regex *regex = NULL;
    if (!fx_regex_compile(pattern, &regex, &err)) {
        fail_msg("`%.*s`: %s", FX_TEXT_ARG(pattern), err.msg);
    }
    return regex;
}

static bool matches(const struct fx_regex *regex, struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    bool found = false;
    if (!fx_regex_match(regex, text, &found, &err)) {
        fail_msg("%s", err.msg);
    }
    return found;
}

static bool find(const struct fx_regex *regex, struct fx_text text, size_t from,
                 struct fx_regex_span *spans, size_t n_spans) {
    struct fx_err err = FX_ERR_INIT;
    if (!fx_regex_find(regex, text, from, spans, n_spans, &err)) {
        fail_msg("%s", err.msg);
    }
    return spans[0].from != FX_REGEX_NO_SPAN;
}

/* As Go's regexp.MatchString answers. */
static const struct {
    struct fx_text pattern, text;
    bool matches;
} cases[] = {
    {T(""), T(""), true},
    {T(""), T("a"), true},
    {T("b"), T("abc"), true},
    {T("^b"), T("abc"), false},
    {T("^abc$"), T("abc"), true},
    {T("^abc$"), T("abc\n"), false},
    {T("^b"), T("a\nb"), false},
    {T("(?m)^b$"), T("a\nb\nc"), true},
    {T("a.b"), T("a\nb"), false},
    {T("(?s)a.b"), T("a\nb"), true},
    {T("(?i)ABC"), T("xabcx"), true},
    {T("ABC"), T("abc"), false},
    {T("^\\d+\\s\\w+$"), T("42 a_Z"), true},
    {T("^\\w$"), T("é"), false},
    {T("^\\pL$"), T("é"), true},
    {T("^.$"), T("🦋"), true},
    {T("^[à-ö]$"), T("é"), true},
    {T("\\bweb\\b"), T("a web b"), true},
    {T("\\bweb\\b"), T("a webs b"), false},
    {T("\\Aa\\z"), T("a"), true},
    {T("\\Q.*\\E"), T("ab"), false},
    {T("(?P<n>a)b"), T("ab"), true},
    {T("[[:alpha:]]{3}"), T("a1bc"), false},
    {T("\\x{e9}"), T("é"), true},
    {T("^(docker\\.io|quay\\.io)/"), T("quay.io/x"), true},
    {T("^(docker\\.io|quay\\.io)/"), T("quayXio/x"), false},
    {T("a\0b"), T("a\0b"), true},
    {T("a\0b"), T("a"), false},
    {T("b"), T("a\0b"), true},
    /* Malformed UTF-8 is no character. */
    {T("^.$"), T("\xff"), false},
    {T("^[^a]+$"), T("b\xc3"), false},
    {T("b"),
     T("\xed\xa0\x80"
       "b\xf5"),
     true},
    {T("a"), T("\xff\xfe"), false},
};

static void matches_as_go_does(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_regex *regex = must_compile(cases[i].pattern);
        if (matches(regex, cases[i].text) != cases[i].matches) {
            fail_msg("`%.*s` in `%.*s`", FX_TEXT_ARG(cases[i].pattern),
                     FX_TEXT_ARG(cases[i].text));
        }
        /* What it remembers of the first time changes nothing. */
        assert_true(matches(regex, cases[i].text) == cases[i].matches);
        fx_regex_destroy(regex);
    }
    fx_regex_destroy(NULL);
}

/* The short form of a named group is refused; a similar pattern is not. */
static void takes_what_looks_like_a_short_name(void **state) {
    (void)state;
    static const struct fx_text good[] = {
        T("(?P<m>a)"),
        T("(?P<m>a)\\(?<n>"),
        T("(?P<m>a)[(?<n>]"),
        T("(?P<m>a)[](?<n>]"),
        T("(?P<m>a)[^](?<n>]"),
        T("(?P<m>a)[\\](?<n>]"),
        T("(?P<m>a)[[:alpha:](?<n>]"),
        T("(?P<m>a)\\Q(?<n>\\E"),
        T("(?P<m>a)\\Q(?<n>"),
    };
    for (size_t i = 0; i < FX_COUNT(good); i++) {
        fx_regex_destroy(must_compile(good[i]));
    }
}

static void matches_the_empty_text(void **state) {
    (void)state;
    struct fx_regex *regex = must_compile((struct fx_text){NULL, 0});
    assert_true(matches(regex, (struct fx_text){NULL, 0}));
    fx_regex_destroy(regex);
}

static void refuses_what_is_none(void **state) {
    (void)state;
    static const struct {
        struct fx_text pattern;
        enum fx_code code;
        const char *msg;
    } bad[] = {
        {T("a(b"), FX_ESYNTAX, "missing ): a(b"},
        {T("a)b"), FX_ESYNTAX, "unexpected ): a)b"},
        {T("[a"), FX_ESYNTAX, "missing ]: [a"},
        {T("[b-a]"), FX_ESYNTAX, "invalid character class range: b-a"},
        {T("*"), FX_ESYNTAX, "no argument for repetition operator: *"},
        {T("a**"), FX_ESYNTAX, "bad repetition operator: **"},
        {T("a{1001}"), FX_ESYNTAX, "invalid repetition size: {1001}"},
        {T("a\\"), FX_ESYNTAX, "trailing \\"},
        {T("\\8"), FX_ESYNTAX, "invalid escape sequence: \\8"},
        {T("(a)\\1"), FX_ESYNTAX, "invalid escape sequence: \\1"},
        {T("(?=a)"), FX_ESYNTAX, "invalid perl operator: (?="},
        {T("(?<=a)"), FX_ESYNTAX, "invalid perl operator: (?<"},
        {T("(?<!a)"), FX_ESYNTAX, "invalid perl operator: (?<"},
        {T("(?<n"), FX_ESYNTAX, "invalid perl operator: (?<"},
        {T("(?<n>a)"), FX_ESYNTAX, "invalid perl operator: (?<"},
        {T("(?P<m>[]a]\\Q]\\E)(?<n>a)"), FX_ESYNTAX, "invalid perl operator: (?<"},
        {T("\\p{Klingon}"), FX_ESYNTAX, "invalid character class range: \\p{Klingon}"},
        {T("\xff"), FX_ESYNTAX, "invalid UTF-8"},
        {T("\\pL{1000}"), FX_ELIMIT, "regular expression takes more than 8388608 bytes"},
    };
    for (size_t i = 0; i < FX_COUNT(bad); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_regex *regex = NULL;
        assert_false(fx_regex_compile(bad[i].pattern, &regex, &err));
        assert_null(regex);
        assert_string_equal(err.msg, bad[i].msg);
        assert_int_equal(err.code, bad[i].code);
    }
}

/* A backtracking matcher would need 2^n steps for these; the second exhausts what may be
 * remembered of states, and starts anew each time. */
static void takes_linear_time(void **state) {
    (void)state;
    static const char *const patterns[] = {"^(a+)+$", "^(a|b)*a(a|b){24}$", "(x+x+)+y"};
    struct fx_buf text;
    fx_buf_init(&text, 0);
    uint32_t random = 1;
    for (size_t i = 0; i < 50000; i++) {
        random = random * 1664525 + 1013904223;
        fx_buf_char(&text, random >> 31 == 0 ? 'a' : 'b');
    }
    fx_buf_char(&text, '!');
    for (size_t i = 0; i < FX_COUNT(patterns); i++) {
        struct fx_regex *regex = must_compile(fx_text_of(patterns[i]));
        assert_false(matches(regex, (struct fx_text){text.data, text.len}));
        fx_regex_destroy(regex);
    }
    fx_buf_finish(&text);
}

/* A match and its two groups, from an offset on; "-" is no span. */
static const struct {
    struct fx_text pattern, text;
    size_t from;
    const char *spans;
} finds[] = {
    {T("b"), T("abcb"), 0, "1,2 - -"},
    {T("b"), T("abcb"), 2, "3,4 - -"},
    {T("b"), T("abcb"), 4, ""},
    {T("x*"), T("ab"), 2, "2,2 - -"},
    {T("^a"), T("aa"), 0, "0,1 - -"},
    {T("^a"), T("aa"), 1, ""},
    {T("(?m)^b"), T("a\nb"), 2, "2,3 - -"},
    {T("(?m)^b"), T("ab"), 1, ""},
    {T("\\bb"), T("ab b"), 1, "3,4 - -"},
    {T("a$"), T("aa"), 1, "1,2 - -"},
    {T("(a)|(b)"), T("b"), 0, "0,1 - 0,1"},
    {T("(a*)(b?)"), T("aac"), 0, "0,2 0,2 2,2"},
    {T("((a)(b))"), T("xab"), 0, "1,3 1,3 1,2"},
    {T("(.*)/(.*)"), T("a/b/c"), 0, "0,5 0,3 4,5"},
    {T("é"), T("aéé"), 2, "3,5 - -"},
    {T("\\B"), T("é"), 0, "0,0 - -"},
    {T("\\B"), T("xéy"), 0, ""},
    {T(""), T(""), 0, "0,0 - -"},
    {{NULL, 0}, {NULL, 0}, 0, "0,0 - -"},
};

static void finds_matches_and_groups(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(finds); i++) {
        struct fx_regex *regex = must_compile(finds[i].pattern);
        struct fx_regex_span spans[3];
        char found[128] = "";
        if (find(regex, finds[i].text, finds[i].from, spans, FX_COUNT(spans))) {
            size_t len = 0;
            for (size_t k = 0; k < FX_COUNT(spans); k++) {
                len += spans[k].from == FX_REGEX_NO_SPAN
                           ? (size_t)snprintf(found + len, sizeof found - len, " -")
                           : (size_t)snprintf(found + len, sizeof found - len, " %zu,%zu",
                                              spans[k].from, spans[k].to);
            }
        }
        assert_string_equal(found + (found[0] != '\0'), finds[i].spans);
        assert_true(fx_regex_size(regex) > 0);
        fx_regex_destroy(regex);
    }
}

static void knows_groups_by_name(void **state) {
    (void)state;
    struct fx_regex *regex = must_compile(FX_TEXT("(a)(?P<n>b)(?:c)(?P<m_1>d)"));
    assert_int_equal(fx_regex_count_groups(regex), 3);
    assert_int_equal(fx_regex_find_group(regex, FX_TEXT("n")), 2);
    assert_int_equal(fx_regex_find_group(regex, FX_TEXT("m_1")), 3);
    assert_int_equal(fx_regex_find_group(regex, FX_TEXT("m")), 0);
    assert_int_equal(fx_regex_find_group(regex, (struct fx_text){NULL, 0}), 0);
    struct fx_regex_span match;
    assert_true(find(regex, FX_TEXT("xabcd"), 0, &match, 1));
    assert_int_equal(match.from, 1);
    fx_regex_destroy(regex);
}

/* The price grows with text and program; where both are large there is no answer. */
static void costs_what_it_takes(void **state) {
    (void)state;
    struct fx_regex *regex = must_compile(FX_TEXT("1[01]{20}x"));
    struct fx_regex *easy = must_compile(FX_TEXT("[01]"));
    const size_t most = FX_LIMIT_REGEX_WORK / fx_regex_size(regex);
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf bits;
    fx_buf_init(&bits, 0);
    uint32_t random = 1;
    while (bits.len <= most) {
        random = random * 1664525 + 1013904223;
        fx_buf_char(&bits, random >> 31 == 0 ? '0' : '1');
    }
    uint64_t before = fx_budget_spent();
    assert_false(matches(regex, (struct fx_text){bits.data, 100}));
    const uint64_t small = fx_budget_spent() - before;
    assert_in_range(small, 1, 100);
    before = fx_budget_spent();
    assert_false(matches(regex, (struct fx_text){bits.data, most}));
    assert_true(fx_budget_spent() - before > 100 * small);
    struct fx_regex_span first;
    before = fx_budget_spent();
    assert_true(find(easy, (struct fx_text){bits.data, most}, 0, &first, 1));
    assert_in_range(fx_budget_spent() - before, 1,
                    100); /* what was passed, not the rest */
    bool found = false;
    assert_false(
        fx_regex_match(regex, (struct fx_text){bits.data, most + 1}, &found, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    struct fx_regex_span span;
    assert_false(
        fx_regex_find(regex, (struct fx_text){bits.data, most + 1}, 0, &span, 1, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    const struct fx_bound outer = fx_budget_narrow(5, 0);
    assert_false(fx_regex_match(regex, FX_TEXT("x"), &found, &err));
    (void)fx_budget_widen(outer);
    assert_int_equal(err.code, FX_ELIMIT);
    fx_buf_finish(&bits);
    fx_regex_destroy(easy);
    fx_regex_destroy(regex);
}

/* So many, those that fail included; and the memory of each. */
static void keeps_within_an_allowance(void **state) {
    (void)state;
    struct fx_regex_allowance allowance = {.n_left = 3, .bytes_each = 64u << 10};
    struct fx_regex *regex = NULL;
    struct fx_err err = FX_ERR_INIT;
    fx_regex_allow(&allowance);
    fx_regex_destroy(must_compile(FX_TEXT("a+")));
    assert_false(fx_regex_compile(FX_TEXT("\\pL{100}"), &regex, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_string_equal(err.msg, "regular expression takes more than 65536 bytes");
    assert_false(fx_regex_compile(FX_TEXT("("), &regex, &err));
    assert_int_equal(err.code, FX_ESYNTAX);
    assert_false(fx_regex_compile(FX_TEXT("a"), &regex, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_string_equal(err.msg, "too many regular expressions");
    fx_regex_allow(NULL);
    fx_regex_destroy(must_compile(FX_TEXT("\\pL{100}")));
}

static void *match_often(void *user) {
    const struct fx_regex *regex = user;
    size_t n_matches = 0;
    for (int i = 0; i < 500; i++) {
        char text[32];
        const int len = snprintf(text, sizeof text, "%dbaab%d", i, 7 * i);
        n_matches += matches(regex, (struct fx_text){text, (size_t)len});
    }
    return n_matches == 357 ? user : NULL; /* those of four digits: 7i > 999 */
}

static void lets_any_thread_match(void **state) {
    (void)state;
    struct fx_regex *regex = must_compile(fx_text_of("[ab]{4}\\d{4}$"));
    pthread_t threads[4];
    for (size_t i = 0; i < FX_COUNT(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, match_often, regex), 0);
    }
    for (size_t i = 0; i < FX_COUNT(threads); i++) {
        void *right = NULL;
        assert_int_equal(pthread_join(threads[i], &right), 0);
        assert_non_null(right);
    }
    fx_regex_destroy(regex);
}

static struct fx_err compile_repeated(const char *part, size_t n_bytes) {
    struct fx_buf pattern;
    fx_buf_init(&pattern, 0);
    while (pattern.len < n_bytes) {
        fx_buf_str(&pattern, part);
    }
    struct fx_err err = FX_ERR_INIT;
    struct fx_regex *regex = NULL;
    if (!fx_regex_compile((struct fx_text){pattern.data, pattern.len}, &regex, &err)) {
        assert_true(err.code != FX_OK && err.msg[0] != '\0');
    }
    fx_regex_destroy(regex);
    fx_buf_finish(&pattern);
    return err;
}

static void has_limits(void **state) {
    (void)state;
    const size_t most = FX_LIMIT_REGEX_PATTERN_BYTES;
    static const struct {
        const char *part;
        enum fx_code code;
    } parts[] = {{"a", FX_OK},      {"a?", FX_OK},       {"()", FX_OK},
                 {"(", FX_ESYNTAX}, {"(a|", FX_ESYNTAX}, {"[a", FX_ESYNTAX}};
    for (size_t i = 0; i < FX_COUNT(parts); i++) {
        const struct fx_err err = compile_repeated(parts[i].part, most - 2);
        if (err.code != parts[i].code) {
            fail_msg("`%s`: %d %s", parts[i].part, err.code, err.msg);
        }
    }
    assert_int_equal(compile_repeated("a", most).code, FX_OK);
    assert_int_equal(compile_repeated("a", most + 1).code, FX_ELIMIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_as_go_does),
        cmocka_unit_test(matches_the_empty_text),
        cmocka_unit_test(finds_matches_and_groups),
        cmocka_unit_test(knows_groups_by_name),
        cmocka_unit_test(takes_what_looks_like_a_short_name),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(takes_linear_time),
        cmocka_unit_test(costs_what_it_takes),
        cmocka_unit_test(keeps_within_an_allowance),
        cmocka_unit_test(lets_any_thread_match),
        cmocka_unit_test(has_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
