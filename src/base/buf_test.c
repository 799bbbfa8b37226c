/* SPDX-License-Identifier: Apache-2.0
 *
 * base/buf_test.c - appending, the bound and the sticky failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/buf.h"

static void appends(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_add(&buf, NULL, 0);
    assert_string_equal(buf.data, "");
    fx_buf_str(&buf, "ab");
    fx_buf_char(&buf, 'c');
    fx_buf_text(&buf, FX_TEXT("de"));
    fx_buf_fill(&buf, '-', 3);
    fx_buf_printf(&buf, "%d", 42);
    assert_string_equal(buf.data, "abcde---42");
    assert_int_equal(buf.len, 10);
    fx_buf_reset(&buf);
    assert_string_equal(buf.data, "");
    for (int i = 0; i < 1000; i++) {
        fx_buf_printf(&buf, "%04d", i);
    }
    assert_int_equal(buf.len, 4000);
    assert_memory_equal(buf.data + 3996, "0999", 5);
    fx_buf_finish(&buf);
    fx_buf_finish(&buf);
    fx_buf_finish(NULL);
}

static void sticks_at_the_bound(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 4);
    fx_buf_str(&buf, "abcd");
    assert_false(buf.failed);
    fx_buf_char(&buf, 'e');
    assert_true(buf.failed && buf.full);
    fx_buf_printf(&buf, "%s", "");
    assert_string_equal(buf.data, "abcd");
    assert_null(fx_buf_reserve(&buf, 0));
    fx_buf_reset(&buf);
    fx_buf_str(&buf, "abc");
    assert_false(buf.failed || buf.full);
    fx_buf_printf(&buf, "%s", "de");
    assert_true(buf.failed);
    assert_int_equal(buf.len, 3);
    fx_buf_finish(&buf);
}

static void gives_away(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 8);
    char *empty = fx_buf_steal(&buf);
    assert_string_equal(empty, "");
    free(empty);
    fx_buf_str(&buf, "abc");
    char *text = fx_buf_steal(&buf);
    assert_string_equal(text, "abc");
    free(text);
    assert_null(buf.data);
    assert_int_equal(buf.max, 8);
    fx_buf_str(&buf, "123456789");
    assert_null(fx_buf_steal(&buf));
    fx_buf_finish(&buf);
}

/* That nothing stays behind where it was moved from is seen from outside
 * (tests/e2e/test_sandbox_wipe.py). */
static void grows_as_a_secret(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init_secret(&buf, 1000);
    for (unsigned i = 0; i < 200; i++) {
        fx_buf_printf(&buf, "%u,", i % 10);
    }
    assert_int_equal(buf.len, 400);
    assert_memory_equal(buf.data + 396, "8,9,", 5);
    fx_buf_fill(&buf, 'x', 601);
    assert_true(buf.failed);
    fx_buf_reset(&buf);
    for (size_t i = 0; i < 400; i++) {
        assert_int_equal(buf.data[i], 0);
    }
    fx_buf_str(&buf, "abc");
    char *text = fx_buf_steal(&buf);
    assert_string_equal(text, "abc");
    assert_true(buf.secret && buf.max == 1000);
    free(text);
    fx_buf_finish(&buf);
}

static void writes_numbers(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_number(&buf, 0);
    fx_buf_char(&buf, ' ');
    fx_buf_number(&buf, 1090);
    fx_buf_char(&buf, ' ');
    fx_buf_number(&buf, UINT64_MAX);
    assert_string_equal(buf.data, "0 1090 18446744073709551615");
    fx_buf_finish(&buf);
}

static void writes_signed_and_padded(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_integer(&buf, INT64_MIN);
    fx_buf_char(&buf, ' ');
    fx_buf_integer(&buf, 0);
    fx_buf_char(&buf, ' ');
    fx_buf_padded(&buf, 7, 3);
    fx_buf_padded(&buf, UINT64_MAX, 2);
    fx_buf_char(&buf, ' ');
    fx_buf_hex(&buf, 0xAB, 4, false);
    fx_buf_hex(&buf, UINT64_MAX, 2, true);
    assert_string_equal(
        buf.data, "-9223372036854775808 0 00718446744073709551615 00abFFFFFFFFFFFFFFFF");
    fx_buf_finish(&buf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_signed_and_padded), cmocka_unit_test(appends),
        cmocka_unit_test(sticks_at_the_bound),      cmocka_unit_test(gives_away),
        cmocka_unit_test(writes_numbers),           cmocka_unit_test(grows_as_a_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
