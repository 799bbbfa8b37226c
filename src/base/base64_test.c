/* SPDX-License-Identifier: Apache-2.0
 *
 * base/base64_test.c - the vectors of RFC 4648 section 10, and what is not base64.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/base64.h"
#include "base/macros.h"

static const struct {
    const char *bytes, *text;
} vectors[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xfb\xff\xbf", "+/+/"},
};

static void test_vectors(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(vectors); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_buf_str(&buf, ">");
        fx_base64_encode(&buf, fx_text_of(vectors[i].bytes));
        assert_string_equal(buf.data + 1, vectors[i].text);
        assert_int_equal(buf.len - 1, fx_base64_length(strlen(vectors[i].bytes)));
        fx_buf_reset(&buf);
        fx_buf_str(&buf, ">");
        assert_true(fx_base64_decode(&buf, fx_text_of(vectors[i].text)));
        assert_string_equal(buf.data + 1, vectors[i].bytes);
        fx_buf_finish(&buf);
    }
}

/* Every length up to a few groups, every byte value, there and back. */
static void test_round_trip(void **state) {
    (void)state;
    char bytes[256];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(unsigned char)(255 - i);
    }
    for (size_t len = 0; len <= sizeof bytes; len++) {
        struct fx_buf text;
        struct fx_buf back;
        fx_buf_init(&text, 0);
        fx_buf_init(&back, 0);
        fx_base64_encode(&text, (struct fx_text){bytes, len});
        assert_false(text.failed);
        assert_true(fx_base64_decode(&back, (struct fx_text){text.data, text.len}));
        assert_int_equal(back.len, len);
        assert_true(len == 0 || memcmp(back.data, bytes, len) == 0);
        fx_buf_finish(&text);
        fx_buf_finish(&back);
    }
}

static void test_line_ends_are_skipped(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    assert_true(fx_base64_decode(&buf, FX_TEXT("\nZm\r\n9v\nYg=\n=\n")));
    assert_string_equal(buf.data, "foob");
    fx_buf_finish(&buf);
}

static void test_what_is_not_base64(void **state) {
    (void)state;
    const struct fx_text bad[] = {
        FX_TEXT("Z"),        FX_TEXT("Zg"),       FX_TEXT("Zg="),
        FX_TEXT("Zg==="),    FX_TEXT("===="),     FX_TEXT("Z==="),
        FX_TEXT("Zg=v"),     FX_TEXT("Zg==Zm9v"), FX_TEXT("Zm9v Zg="),
        FX_TEXT("Zm9v\0g="), FX_TEXT("Zm-_"),     FX_TEXT("Zm9vZ"),
        FX_TEXT("\xc3\xa9"), FX_TEXT("Zm9v\0"),   FX_TEXT("Zm9vZg=a"),
    };
    for (size_t i = 0; i < FX_COUNT(bad); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_buf_str(&buf, "kept");
        assert_false(fx_base64_decode(&buf, bad[i]));
        assert_false(buf.failed);
        assert_string_equal(buf.data, "kept");
        fx_buf_finish(&buf);
    }
}

static void test_where_it_is_at_fault(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t at;
    } cases[] = {
        {"!", 0},        {"Zm9!", 3}, {"Zm9v\nZ", 5},   {"=", 0},     {"Z===", 1},
        {"Zg=", 3},      {"Zg=v", 2}, {"Zg\n=\n=v", 6}, {"Zm8=v", 4}, {"Zm8=\nv", 5},
        {"Zm9vZ\nm", 5}, {"Zm 9", 2}, {"Zg==Zg==", 4},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        assert_false(fx_base64_decode(&buf, fx_text_of(cases[i].text)));
        assert_int_equal(fx_base64_find_fault(fx_text_of(cases[i].text)), cases[i].at);
        fx_buf_finish(&buf);
    }
}

static void test_the_bound_holds(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 7);
    fx_base64_encode(&buf, FX_TEXT("foob"));
    assert_true(buf.failed);
    fx_buf_reset(&buf);
    assert_false(fx_base64_decode(&buf, FX_TEXT("Zm9vYmFyZm9v")));
    assert_true(buf.failed);
    fx_buf_finish(&buf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_line_ends_are_skipped),
        cmocka_unit_test(test_what_is_not_base64),
        cmocka_unit_test(test_where_it_is_at_fault),
        cmocka_unit_test(test_the_bound_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
