/* SPDX-License-Identifier: Apache-2.0 */
#include "location/cel/zone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/date.h"
#include "base/macros.h"
#include "location/cel/functions.h"

static int64_t at(int year, int month, int day, int hour, int minute) {
    return fx_date_seconds(year, month, day, hour, minute, 0);
}

#define HOURS(n) ((int32_t)((n) * 3600))

/* Each rule at a change, and a second before it. */
static void test_rules(void **state) {
    (void)state;
    const struct {
        const char *rule;
        int64_t at;
        int32_t before, after;
    } cases[] = {
        {"EST5EDT,M3.2.0,M11.1.0", at(2050, 3, 13, 7, 0), HOURS(-5), HOURS(-4)},
        {"EST5EDT,M3.2.0,M11.1.0", at(2050, 11, 6, 6, 0), HOURS(-4), HOURS(-5)},
        /* in the south, daylight time lasts over the turn of the year */
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", at(2051, 4, 1, 16, 0), HOURS(11), HOURS(10)},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", at(2050, 10, 1, 16, 0), HOURS(10), HOURS(11)},
        /* half an hour, and names in brackets */
        {"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", at(2050, 10, 1, 15, 30), HOURS(10.5),
         HOURS(11)},
        /* the last Sunday of a month with four, at a negative time of the day */
        {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", at(2050, 3, 27, 1, 0), HOURS(-2), HOURS(-1)},
        /* Julian days do not count February 29; the others do */
        {"AAA0BBB,J60/0,J365/0", at(2052, 3, 1, 0, 0), HOURS(0), HOURS(1)},
        {"AAA0BBB,60/0,J365/0", at(2052, 3, 1, 0, 0), HOURS(0), HOURS(1)},
        {"AAA0BBB,59/0,J365/0", at(2051, 3, 1, 0, 0), HOURS(0), HOURS(1)},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct cel_zone_rule rule;
        assert_true(cel_zone_rule_parse(fx_text_of(cases[i].rule), &rule));
        assert_int_equal(cel_zone_rule_offset(&rule, cases[i].at - 1), cases[i].before);
        assert_int_equal(cel_zone_rule_offset(&rule, cases[i].at), cases[i].after);
    }
}

static void test_bad_rules(void **state) {
    (void)state;
    static const char *const rules[] = {
        "",
        "EST",
        "ES5",
        "EST5EDT",
        "EST5EDT,M3.2.0",
        "EST5EDT,M3.2.0,M13.1.0",
        "EST5EDT,M3.6.0,M11.1.0",
        "EST169",
        "EST5EDT,J0,J1",
        "EST5EDT,M3.2.0,M11.1.0 ",
        "<EST5",
        "EST5:60",
    };
    for (size_t i = 0; i < FX_COUNT(rules); i++) {
        struct cel_zone_rule rule;
        assert_false(cel_zone_rule_parse(fx_text_of(rules[i]), &rule));
    }
}

/* A file with two types, a change in 1970 and one in 2001, and a rule. */
static const unsigned char file[] =
    "TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1" /* nothing in 32 bits */
    "\0\0\0\0\0\0\0"
    "TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0\4"
    "\0\0\0\0\0\0\0\0"
    "\0\0\0\0\x3b\x9a\xca\x00"
    "\1\0"
    "\0\0\x0e\x10\0\0" /* 3600 */
    "\0\0\x1c\x20\1\0" /* 7200, daylight */
    "XYZ\0"
    "\nXYZ-3\n";

static void test_file(void **state) {
    (void)state;
    struct cel_zone zone;
    struct fx_text bytes = {(const char *)file, sizeof file - 1};
    assert_int_equal(cel_zone_parse(bytes, &zone), CEL_ZONE_PARSED);
    assert_int_equal(cel_zone_offset_at(&zone, -1), 3600);
    assert_int_equal(cel_zone_offset_at(&zone, 0), 7200);
    assert_int_equal(cel_zone_offset_at(&zone, 999999999), 7200);
    assert_int_equal(cel_zone_offset_at(&zone, 1000000000), 10800); /* the rule */
    cel_zone_finish(&zone);
    for (bytes.len = sizeof file - 1 - strlen("\nXYZ-3\n"); bytes.len > 0; bytes.len--) {
        assert_int_equal(cel_zone_parse(bytes, &zone), CEL_ZONE_INVALID);
    }
}

/* More names than zones that are kept would be too many: some, twice. */
static void test_names(void **state) {
    (void)state;
    int32_t offset = 0;
    assert_int_equal(
        fx_cel_zone_offset(FX_TEXT("Europe/Berlin"), at(2024, 7, 1, 12, 0), &offset),
        FX_CEL_ZONE_FOUND);
    assert_int_equal(offset, HOURS(2));
    for (int round = 0; round < 2; round++) {
        for (int n = -14; n <= 12; n++) {
            char name[16];
            const int len = snprintf(name, sizeof name, "Etc/GMT%+d", n);
            const struct fx_text text = {name, (size_t)len};
            assert_int_equal(fx_cel_zone_offset(text, 0, &offset), FX_CEL_ZONE_FOUND);
            assert_int_equal(offset, HOURS(-n));
        }
    }
    static const char *const unknown[] = {
        "",
        "/etc/passwd",
        "../../../etc/passwd",
        "Europe",
        "europe/berlin",
        "zone.tab",
        "Europe/Berlin ",
        "Mars/Phobos",
        "leapseconds",
    };
    for (size_t i = 0; i < FX_COUNT(unknown); i++) {
        assert_int_equal(fx_cel_zone_offset(fx_text_of(unknown[i]), 0, &offset),
                         FX_CEL_ZONE_UNKNOWN);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_bad_rules),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
