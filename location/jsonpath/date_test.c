/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/date_test.c - dates in each of the layouts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "location/jsonpath/date.h"

static void test_dates(void **state) {
    static const char *const rows[][2] = {
        {"Mon Jan  2 15:04:05 2006", "2006-01-02 15:04:05 +0000 UTC"},
        {"mon JAN 12 5:04:05 2006", "2006-01-12 05:04:05 +0000 UTC"},
        {"Mon Jan 2 15:04:05.25 2006", "2006-01-02 15:04:05.25 +0000 UTC"},
        {"Mon Jan  2 15:04:05 UTC 2006", "2006-01-02 15:04:05 +0000 UTC"},
        {"Mon Jan  2 15:04:05 CET 2006", "2006-01-02 15:04:05 +0000 CET"},
        {"Mon Jan  2 15:04:05 CEST 2006", "2006-01-02 15:04:05 +0000 CEST"},
        {"Mon Jan  2 15:04:05 GMT-8 2006", "2006-01-02 15:04:05 -0800 GMT-8"},
        {"Mon Jan 02 15:04:05 -0730 2006", "2006-01-02 15:04:05 -0730 -0730"},
        {"3:04PM", "0000-01-01 15:04:00 +0000 UTC"},
        {"12:30AM", "0000-01-01 00:30:00 +0000 UTC"},
        {"12:30PM", "0000-01-01 12:30:00 +0000 UTC"},
        {"2006-01-02T15:04:05Z", "2006-01-02 15:04:05 +0000 UTC"},
        {"2006-01-02T15:04:05.120Z", "2006-01-02 15:04:05.12 +0000 UTC"},
        {"2006-01-02T15:04:05,1234567891Z", "2006-01-02 15:04:05.123456789 +0000 UTC"},
        {"2006-01-02T15:04:05+01:00", "2006-01-02 15:04:05 +0100 +0100"},
        {"2006-01-02T15:04:05-00:00", "2006-01-02 15:04:05 +0000 UTC"},
        {"2006-01-02", "2006-01-02 00:00:00 +0000 UTC"},
        {"2024-02-29", "2024-02-29 00:00:00 +0000 UTC"},
        {"2006-01-02 15:04", "2006-01-02 15:04:00 +0000 UTC"},
        {"2006-01-02 15:04:05", "2006-01-02 15:04:05 +0000 UTC"},
        {"2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05 -0700 -0700"},
        {"2006-01-02T15Z", "2006-01-02 15:00:00 +0000 UTC"},
        {"2006-01-02T15:04+0130", "2006-01-02 15:04:00 +0130 +0130"},
        {"2006-01-02T15:04:05.5-0100", "2006-01-02 15:04:05.5 -0100 -0100"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct date date;
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        if (!fx_jsonpath_date_parse(fx_text_of(rows[i][0]), &date)) {
            fail_msg("%s: no date", rows[i][0]);
        }
        fx_jsonpath_date_print(&buf, &date);
        assert_string_equal(buf.data, rows[i][1]);
        fx_buf_finish(&buf);
    }
    (void)state;
}

static void test_no_dates(void **state) {
    static const char *const rows[] = {
        "",
        "garbage",
        "2006-1-02",
        "2006-02-30",
        "2023-02-29",
        "2006-00-01",
        "2006-13-01",
        "2006-01-02 24:00",
        "2006-01-02 15:60",
        "2006-01-02 15:04:60",
        "2006-01-02T15:04:05",
        "2006-01-02T15:04:05z",
        "2006-01-02T15:04:05+1:00",
        "2006-01-02 15:04:05+0100",
        "2006-01-02x",
        "13:04PM",
        "3:04pm",
        "Mon Jan  2 15:04:05 cet 2006",
        "Mon Jan  2 15:04:05 ABCDEF 2006",
        "Mon Jan  2 15:04:05 GMT-99 2006",
        "Abc Jan  2 15:04:05 2006",
        "Mon Jan02 15:04:05 2006",
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct date date;
        if (fx_jsonpath_date_parse(fx_text_of(rows[i]), &date)) {
            fail_msg("%s: is a date", rows[i]);
        }
    }
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_no_dates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
