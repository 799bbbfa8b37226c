/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/date_test.c - date(text): what it parses, and how the result
 * prints.
 */
#include "location/jsonpath/testing.h"

#include <stdio.h>

/* Evaluates date(text) as a text, into `buf`. */
static void evaluate_date(struct fx_buf *buf, const char *text) {
    char expression[128];
    (void)snprintf(expression, sizeof expression, "\"\" + date(\"%s\")", text);
    evaluate_to(buf, expression, json_null());
}

static void test_dates(void **state) {
    static const char *const rows[][2] = {
        {"Mon Jan  2 15:04:05 2006", "2006-01-02 15:04:05 +0000 UTC"},
        {"mon JAN 12 5:04:05 2006", "2006-01-12 05:04:05 +0000 UTC"},
        {"Mon Jan 2 15:04:05.25 2006", "2006-01-02 15:04:05.25 +0000 UTC"},
        {"Mon Jan  2 15:04:05 UTC 2006", "2006-01-02 15:04:05 +0000 UTC"},
        {"Mon Jan  2 15:04:05 CET 2006", "2006-01-02 15:04:05 +0000 CET"},
        {"Mon Jan  2 15:04:05 CEST 2006", "2006-01-02 15:04:05 +0000 CEST"},
        {"Mon Jan  2 15:04:05 GMT-8 2006", "2006-01-02 07:04:05 -0800 GMT-8"},
        {"Mon Jan  2 15:04:05 +03 2006", "2006-01-02 15:04:05 +0000 +03"},
        {"Mon Jan  2 15:04:05 -0000 2006", "2006-01-02 15:04:05 +0000 -0000"},
        {"Mon Jan 02 15:04:05 -0000 2006", "2006-01-02 15:04:05 +0000 -0000"},
        {"Mon Jan  2 15:04:05 ChST 2006", "2006-01-02 15:04:05 +0000 ChST"},
        {"Mon Jan  2 15:04:05 MeST 2006", "2006-01-02 15:04:05 +0000 MeST"},
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
        struct fx_buf buf;
        char wanted[64];
        fx_buf_init(&buf, 0);
        evaluate_date(&buf, rows[i][0]);
        (void)snprintf(wanted, sizeof wanted, "\"%s\"", rows[i][1]);
        assert_string_equal(buf.data, wanted);
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
        "Mon Jan  2 15:04:05 GMTT 2006",
        "Mon Jan  2 15:04:05 UTCT 2006",
        "Abc Jan  2 15:04:05 2006",
        "Mon Jan02 15:04:05 2006",
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        evaluate_date(&buf, rows[i]);
        if (buf.data[0] != '!') {
            fail_msg("%s: is a date", rows[i]);
        }
        fx_buf_finish(&buf);
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
