/* SPDX-License-Identifier: Apache-2.0
 *
 * net/cert_parts_test.c - names as DER, dates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/date.h"
#include "base/macros.h"
#include "net/tls_issue.h"

static void names_are_der(void **state) {
    (void)state;
    static const char *const names[] = {"a.b", "127.0.0.1", "::1"};
    static const unsigned char wanted[] = {
        0x30, 29, 0x82, 3, 'a', '.', 'b', 0x87, 4, 127, 0, 0, 1, 0x87, 16, 0,
        0,    0,  0,    0, 0,   0,   0,   0,    0, 0,   0, 0, 0, 0,    1,
    };
    struct fx_buf der = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_cert_names_write(names, FX_COUNT(names), &der, &err));
    assert_int_equal(der.len, sizeof wanted);
    assert_memory_equal(der.data, wanted, sizeof wanted);
    fx_buf_finish(&der);
}

/* DER takes the shortest form of a length. */
static void long_lists_have_long_lengths(void **state) {
    (void)state;
    static const struct {
        size_t n_names;
        unsigned char head[4];
    } cases[] = {
        {10, {0x30, 120, 0x82, 10}},
        {11, {0x30, 0x81, 132, 0x82}},
        {25, {0x30, 0x82, 1, 44}},
    };
    const char *names[25];
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        names[i] = "abcdefghij";
    }
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf der = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_true(fx_cert_names_write(names, cases[i].n_names, &der, &err));
        assert_memory_equal(der.data, cases[i].head, 4);
        fx_buf_finish(&der);
    }
}

static void odd_names_are_refused(void **state) {
    (void)state;
    char too_long[300];
    memset(too_long, 'a', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    const char *const cases[] = {"", "a b", "http://x", "a\nb", "x,y", too_long};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf der = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_false(fx_cert_names_write(&cases[i], 1, &der, &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_false(fx_cert_names_write(NULL, 0, &der, &err));
        fx_buf_finish(&der);
    }
}

static void dates_count_from_1970(void **state) {
    (void)state;
    static const struct {
        int date[6];
        int64_t seconds;
        const char *text;
    } cases[] = {
        {{1970, 1, 1, 0, 0, 0}, 0, "19700101000000"},
        {{2000, 2, 29, 12, 0, 1}, 951825601, "20000229120001"},
        {{2026, 11, 21, 11, 21, 9}, 1795260069, "20261121112109"},
        {{2100, 3, 1, 0, 0, 0}, 4107542400, "21000301000000"},
        {{1969, 12, 31, 23, 59, 59}, -1, "19691231235959"},
        {{9999, 12, 31, 23, 59, 59}, 253402300799, "99991231235959"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const int *d = cases[i].date;
        char text[FX_CERT_DATE];
        assert_true(fx_date_seconds(d[0], d[1], d[2], d[3], d[4], d[5]) ==
                    cases[i].seconds);
        fx_cert_date(cases[i].seconds, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_der),
        cmocka_unit_test(long_lists_have_long_lengths),
        cmocka_unit_test(odd_names_are_refused),
        cmocka_unit_test(dates_count_from_1970),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
