/* SPDX-License-Identifier: Apache-2.0
 *
 * base/text_test.c - spans, UTF-8 and Go's quoting.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

static void compares_bytes(void **state) {
    (void)state;
    const struct fx_text none = {0};
    assert_true(fx_text_equal(none, FX_TEXT("")));
    assert_true(fx_text_equal(FX_TEXT("a\0b"), FX_TEXT("a\0b")));
    assert_false(fx_text_equal(FX_TEXT("a\0b"), FX_TEXT("a\0c")));
    assert_true(fx_text_is(FX_TEXT("abc"), "abc"));
    assert_false(fx_text_is(FX_TEXT("abc"), "abcd"));
    assert_int_equal(fx_text_of(NULL).len, 0);
    assert_true(fx_text_compare(FX_TEXT("a"), FX_TEXT("b")) < 0);
    assert_true(fx_text_compare(FX_TEXT("ab"), FX_TEXT("a")) > 0);
    assert_true(fx_text_compare(none, FX_TEXT("a")) < 0);
    assert_int_equal(fx_text_compare(FX_TEXT("\xFF"), FX_TEXT("\xFF")), 0);
    assert_true(fx_text_compare(FX_TEXT("\xFF"), FX_TEXT("a")) > 0);
}

static void finds_parts(void **state) {
    (void)state;
    const struct fx_text text = FX_TEXT("abcabd");
    assert_true(fx_text_starts(text, FX_TEXT("abc")));
    assert_false(fx_text_starts(text, FX_TEXT("bc")));
    assert_true(fx_text_ends(text, FX_TEXT("abd")));
    assert_false(fx_text_ends(FX_TEXT("d"), FX_TEXT("abd")));
    assert_true(fx_text_contains(text, FX_TEXT("abd")));
    assert_true(fx_text_contains(text, FX_TEXT("")));
    assert_false(fx_text_contains(text, FX_TEXT("abe")));
    assert_false(fx_text_contains(FX_TEXT("ab"), FX_TEXT("abc")));
    assert_false(fx_text_contains(FX_TEXT(""), FX_TEXT("a")));
}

/* rune 0: malformed */
struct rune_case {
    struct fx_text text;
    uint32_t rune;
};

static const struct rune_case rune_cases[] = {
    {{"a", 1}, 'a'},
    {{"\xC3\xA9", 2}, 0xE9},
    {{"\xE2\x82\xAC", 3}, 0x20AC},
    {{"\xF0\x9F\x98\x80", 4}, 0x1F600},
    {{"\xF4\x8F\xBF\xBF", 4}, 0x10FFFF},
    {{"\x80", 1}, 0},             /* follows nothing */
    {{"\xC3\xA9", 1}, 0},         /* cut short: what follows is not ours */
    {{"\xC0\xAF", 2}, 0},         /* overlong */
    {{"\xE0\x80\xAF", 3}, 0},     /* overlong */
    {{"\xED\xA0\x80", 3}, 0},     /* surrogate */
    {{"\xF4\x90\x80\x80", 4}, 0}, /* beyond U+10FFFF */
    {{"\xFF", 1}, 0},
};

static void decodes_runes(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rune_cases); i++) {
        const struct rune_case *c = &rune_cases[i];
        uint32_t rune = 0;
        const size_t length = fx_text_rune(c->text, &rune);
        assert_int_equal(rune, c->rune == 0 ? 0xFFFD : c->rune);
        assert_int_equal(length, c->rune == 0 ? 1 : c->text.len);
        assert_int_equal(fx_text_is_utf8(c->text), c->rune != 0);
        char out[4];
        if (c->rune != 0) {
            assert_int_equal(fx_text_encode_rune(rune, out), c->text.len);
            assert_memory_equal(out, c->text.data, c->text.len);
        }
    }
}

static void floors_at_runes(void **state) {
    (void)state;
    const char text[] = "a\xE2\x82\xAC"
                        "b";
    const size_t floors[] = {0, 1, 1, 1, 4, 5};
    for (size_t i = 0; i < FX_COUNT(floors); i++) {
        assert_int_equal(fx_text_rune_floor(text, i), floors[i]);
    }
}

static void trims_space(void **state) {
    (void)state;
    static const struct {
        struct fx_text text;
        const char *trimmed;
    } cases[] = {
        {{NULL, 0}, ""},
        {{" x ", 3}, "x"},
        {{" \t\n\v\f\r ", 7}, ""},
        {{"a b", 3}, "a b"},
        {{"\xC2\x85\xE2\x80\x83x\xE3\x80\x80\xC2\xA0", 11}, "x"},
        {{" \xC3\xA9 ", 4}, "\xC3\xA9"},
        {{"\x85x\xA0", 3}, "\x85x\xA0"}, /* bytes that are no UTF-8 */
        {{" \x80\x80 ", 4}, "\x80\x80"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        if (!fx_text_is(fx_text_trim_space(cases[i].text), cases[i].trimmed)) {
            fail_msg("case %zu", i);
        }
    }
}

static void quotes_as_go(void **state) {
    (void)state;
    static const struct {
        struct fx_text text;
        const char *quoted;
    } cases[] = {
        {{"", 0}, "\"\""},
        {{"a\"b\\c\n\t", 7}, "\"a\\\"b\\\\c\\n\\t\""},
        {{"\0\x7F", 2}, "\"\\x00\\x7f\""},
        {{"\xFF", 1}, "\"\\xff\""},
        {{"\xC2\xA0", 2}, "\"\\u00a0\""},
        {{"\xC3\xA9", 2}, "\"\xC3\xA9\""},
        {{"\xF3\xA0\x80\x81", 4}, "\"\\U000e0001\""},
        {{"\xCD\xB8", 2}, "\"\\u0378\""},
        {{"\xED\x9F\xBF", 3}, "\"\\ud7ff\""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_text_quote_go(&buf, cases[i].text);
        assert_false(buf.failed);
        assert_string_equal(buf.data, cases[i].quoted);
        fx_buf_finish(&buf);
    }
}

static void repairs(void **state) {
    static const struct {
        struct fx_text text;
        const char *wanted;
    } cases[] = {
        {{"h\xc3\xa9!", 4}, "h\xc3\xa9!"},
        {{"a\xff"
          "b\xc3",
          4},
         "a\xef\xbf\xbd"
         "b\xef\xbf\xbd"},
        {{"\xed\xa0\x80", 3}, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_text_repair(&buf, cases[i].text);
        assert_string_equal(buf.data, cases[i].wanted);
        fx_buf_finish(&buf);
    }
}

static void texts_are_cut(void **state) {
    (void)state;
    struct fx_text rest = FX_TEXT("a,,b");
    assert_true(fx_text_is(fx_text_cut(&rest, ','), "a"));
    assert_true(fx_text_is(fx_text_cut(&rest, ','), ""));
    assert_true(fx_text_is(fx_text_cut(&rest, ','), "b"));
    assert_int_equal(rest.len, 0);
    rest = (struct fx_text){0};
    assert_int_equal(fx_text_cut(&rest, ',').len, 0);
    assert_null(rest.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_bytes), cmocka_unit_test(finds_parts),
        cmocka_unit_test(decodes_runes),  cmocka_unit_test(floors_at_runes),
        cmocka_unit_test(trims_space),    cmocka_unit_test(quotes_as_go),
        cmocka_unit_test(repairs),        cmocka_unit_test(texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
