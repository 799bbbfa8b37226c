/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/literal_test.c - numbers, runes and strings as Go writes them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/limits.h"
#include "location/gotemplate/parser.h"

static struct template_token token_of(enum template_token_type type, const char *text) {
    return (struct template_token){.type = type, .text = fx_text_of(text)};
}

enum { INT = 1, FLOAT = 2, IDEAL_FLOAT = 4, NOTHING = 0 };

static void numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned is; /* can be */
        double number;
    } cases[] = {
        {"0", INT | FLOAT, 0},
        {"-0", INT | FLOAT, 0},
        {"42", INT | FLOAT, 42},
        {"+42", INT | FLOAT, 42},
        {"-42", INT | FLOAT, -42},
        {"1_000", INT | FLOAT, 1000},
        {"0x1F", INT | FLOAT, 31},
        {"0X_1f", INT | FLOAT, 31},
        {"0b11", INT | FLOAT, 3},
        {"0o17", INT | FLOAT, 15},
        {"017", INT | FLOAT, 15},
        {"0_7", INT | FLOAT, 7},
        {"0xE", INT | FLOAT, 14},
        {"-0xE", INT | FLOAT | IDEAL_FLOAT, -14},
        {"9223372036854775807", INT | FLOAT, 9223372036854775807.0},
        {"-9223372036854775808", INT | FLOAT, -9223372036854775808.0},
        {"9223372036854775808", FLOAT, 9223372036854775808.0},
        {"18446744073709551615", FLOAT, 18446744073709551615.0},
        {"1.0", INT | FLOAT | IDEAL_FLOAT, 1},
        {"1.5", FLOAT | IDEAL_FLOAT, 1.5},
        {".5", FLOAT | IDEAL_FLOAT, 0.5},
        {"1.", INT | FLOAT | IDEAL_FLOAT, 1},
        {"08.5", FLOAT | IDEAL_FLOAT, 8.5},
        {"1e3", INT | FLOAT | IDEAL_FLOAT, 1000},
        {"1_0e1", INT | FLOAT | IDEAL_FLOAT, 100},
        {"1e-2", FLOAT | IDEAL_FLOAT, 0.01},
        {"1e30", FLOAT | IDEAL_FLOAT, 1e30},
        {"0x1p-2", FLOAT | IDEAL_FLOAT, 0.25},
        {"0x1.8p1", INT | FLOAT | IDEAL_FLOAT, 3},
        {"18446744073709551616", NOTHING, 0},
        {"-9223372036854775809", NOTHING, 0},
        {"+9223372036854775808", NOTHING, 0},
        {"08", NOTHING, 0},
        {"0x", NOTHING, 0},
        {"0b2", NOTHING, 0},
        {"0x1.8", NOTHING, 0},
        {"1e400", NOTHING, 0},
        {"1e", NOTHING, 0},
        {"1__0", NOTHING, 0},
        {"1_", NOTHING, 0},
        {"_1", NOTHING, 0},
        {"1_.5", NOTHING, 0},
        {"+", NOTHING, 0},
        {"-", NOTHING, 0},
        {".", NOTHING, 0},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct template_token token = token_of(TOKEN_NUMBER, cases[i].text);
        struct literal literal = {0};
        struct fx_err err = FX_ERR_INIT;
        const bool ok = literal_read_number(&token, &literal, &err);
        const unsigned is = (literal.is_int ? INT : NOTHING) |
                            (literal.is_float ? FLOAT : NOTHING) |
                            (literal.ideal.kind == VALUE_FLOAT64 ? IDEAL_FLOAT : NOTHING);
        if (ok != (cases[i].is != NOTHING) ||
            (ok && (is != cases[i].is || literal.number != cases[i].number))) {
            fail_msg("%s: %u %g %s", cases[i].text, is, literal.number, err.msg);
        }
    }
}

static void integers_are_exact(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t integer;
    } cases[] = {
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"0x7fff_ffff_ffff_fffe", INT64_MAX - 1},
        {"-0b1", -1},
        {"2e9", 2000000000},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct template_token token = token_of(TOKEN_NUMBER, cases[i].text);
        struct literal literal = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_true(literal_read_number(&token, &literal, &err) && literal.is_int);
        assert_int_equal(literal.integer, cases[i].integer);
    }
}

static void runes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t rune; /* -1: none */
    } cases[] = {
        {"'a'", 'a'},      {"'\xC3\xA9'", 0xE9}, {"'\\n'", '\n'},
        {"'\\''", '\''},   {"'\\\\'", '\\'},     {"'\\x41'", 0x41},
        {"'\\101'", 0x41}, {"'\\u00e9'", 0xE9},  {"'\\U0001F600'", 0x1F600},
        {"''", -1},        {"'ab'", -1},         {"'\\\"'", -1},
        {"'\\400'", -1},   {"'\\ud800'", -1},    {"'\\U00110000'", -1},
        {"'\\z'", -1},     {"'\\x4'", -1},       {"'\\8'", -1},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct template_token token = token_of(TOKEN_RUNE, cases[i].text);
        struct literal literal = {0};
        struct fx_err err = FX_ERR_INIT;
        const bool ok = literal_read_number(&token, &literal, &err);
        assert_int_equal(ok ? literal.integer : -1, cases[i].rune);
        assert_true(!ok || literal.ideal.kind == VALUE_INT);
    }
}

static void strings(void **state) {
    (void)state;
    static const struct {
        const char *text, *string; /* NULL: none */
    } cases[] = {
        {"\"\"", ""},
        {"\"a b\"", "a b"},
        {"\"\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\"", "\a\b\f\n\r\t\v\\\""},
        {"\"\\101\\xff\\u00e9\\U0001F600x\"", "A\xFF\xC3\xA9\xF0\x9F\x98\x80x"},
        {"`a\\nb`", "a\\nb"},
        {"`a\r\nb`", "a\nb"},
        {"\"\\'\"", NULL},
        {"\"\\q\"", NULL},
        {"\"\\x0\"", NULL},
        {"\"\\09\"", NULL},
        {"\"\\ud800\"", NULL},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const bool is_raw = cases[i].text[0] == '`';
        const struct template_token token =
            token_of(is_raw ? TOKEN_RAW_STRING : TOKEN_STRING, cases[i].text);
        struct fx_arena arena;
        fx_arena_init(&arena, 4096);
        struct fx_text string = {0};
        struct fx_err err = FX_ERR_INIT;
        const bool ok = literal_read_string(&arena, &token, &string, &err);
        assert_int_equal(ok, cases[i].string != NULL);
        assert_true(!ok || fx_text_is(string, cases[i].string));
        fx_arena_finish(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(runes),
        cmocka_unit_test(strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
