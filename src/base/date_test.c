/* SPDX-License-Identifier: Apache-2.0
 *
 * base/date_test.c - the calendar, in both directions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/date.h"

static void dates_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1969-12-31T23:59:59Z", -1},
        {"2026-11-21T10:02:33Z", 1795255353},
        {"2026-11-21T10:02:33.123456Z", 1795255353},
        {"2026-11-21t10:02:33z", 1795255353},
        {"2026-11-21T11:32:33+01:30", 1795255353},
        {"2026-11-21T02:02:33-08:00", 1795255353},
        {"2024-02-29T00:00:00Z", 1709164800},
        {"2016-12-31T23:59:60Z", 1483228800},
        {"9999-12-31T23:59:59Z", 253402300799},
        {"0000-01-01T00:00:00Z", -62167219200}, /* 719528 days */
        {"0000-02-29T00:00:00Z", -62162121600},
        {"0000-03-01T00:00:00Z", -62162035200},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        int64_t seconds = 7;
        assert_true(fx_date_parse(fx_text_of(cases[i].text), &seconds));
        assert_int_equal(seconds, cases[i].seconds);
    }
}

static void other_texts_are_refused(void **state) {
    (void)state;
    static const char *const cases[] = {
        "",
        "2026-11-21",
        "2026-11-21T10:02:33",
        "2026-11-21 10:02:33Z",
        "2026-11-21T10:02Z",
        "2026-11-21T10:02:33.Z",
        "2026-11-21T10:02:33Z ",
        "2026-13-21T10:02:33Z",
        "2026-00-21T10:02:33Z",
        "2026-02-29T10:02:33Z",
        "2100-02-29T10:02:33Z",
        "2026-04-31T10:02:33Z",
        "2026-11-21T24:00:00Z",
        "2026-11-21T10:60:00Z",
        "2026-11-21T10:00:61Z",
        "2026-11-21T10:02:33+1:00",
        "2026-11-21T10:02:33+0100",
        "26-11-21T10:02:33Z",
        "+026-11-21T10:02:33Z",
        "tomorrow",
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        int64_t seconds = 7;
        assert_false(fx_date_parse(fx_text_of(cases[i]), &seconds));
    }
}

/* Each hour of eight hundred years would take long; a stride that is no divisor of a day
 * meets every hour, day and month. */
static void what_is_printed_reads_the_same(void **state) {
    (void)state;
    const int64_t stride = 7 * 86400 + 3607;
    const int64_t end = fx_date_seconds(2400, 1, 1, 0, 0, 0);
    for (int64_t at = fx_date_seconds(1600, 1, 1, 0, 0, 0); at < end; at += stride) {
        char text[FX_DATE];
        int64_t seconds = 0;
        fx_date_print(at, text);
        assert_true(fx_date_parse(fx_text_of(text), &seconds));
        assert_int_equal(seconds, at);
    }
}

static void years_beyond_four_digits_are_not_printed(void **state) {
    (void)state;
    char text[FX_DATE];
    fx_date_print(INT64_C(253402300800), text);
    assert_string_equal(text, "");
    fx_date_print(INT64_MAX, text);
    assert_string_equal(text, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_read),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(what_is_printed_reads_the_same),
        cmocka_unit_test(years_beyond_four_digits_are_not_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
