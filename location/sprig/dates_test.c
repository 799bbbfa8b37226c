/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/dates_test.c - Sprig's Dates: the results of the library in UTC, and
 * errors instead of reading the clock or time zones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case examples_of_the_spec_cases[] = {
    {"{{ date \"2006-01-02\" 0 }}", "1970-01-01", NULL},
    {"{{ dateInZone \"2006-01-02 15:04 MST\" 0 \"UTC\" }} {{ date_in_zone \"15:04\" 60 "
     "\"UTC\" }}",
     "1970-01-01 00:00 UTC 00:01", NULL},
    {"{{ dateInZone \"15:04\" (toDate \"2006-01-02\" \"2020-01-02\" | dateModify "
     "\"+1h30m\") \"UTC\" }}",
     "01:30", NULL},
    {"{{ duration \"95\" }}", "1m35s", NULL},
    {"{{ durationRound \"2h10m5s\" }}", "2h", NULL},
    {"{{ htmlDateInZone 0 \"UTC\" }}", "1970-01-01", NULL},
    {"{{ toDate \"2006-01-02\" \"2020-12-31\" | date \"02/01/2006\" }}", "31/12/2020",
     NULL},
    {"{{ toDate \"2006-01-02\" \"1970-01-02\" | unixEpoch }}", "86400", NULL},
};

static void examples_of_the_spec(void **state) {
    (void)state;
    check_table(examples_of_the_spec_cases, FX_COUNT(examples_of_the_spec_cases));
}

static const struct table_case layouts_are_written_cases[] = {
    {"{{ date \"Mon Jan _2 15:04:05 2006|Monday, 02-Jan-06 15:04:05 MST|3:04PM 03:04 "
     "pm\" 1600000000 }}",
     "Sun Sep 13 12:26:40 2020|Sunday, 13-Sep-20 12:26:40 UTC|12:26PM 12:26 pm", NULL},
    {"{{ date \"January 1 01 _2 2 02 __2 002 06 4 5\" 5097600 }}",
     "March 3 03  1 1 01  60 060 70 0 0", NULL},
    {"{{ date \"Z0700 Z07:00 Z07 Z070000 Z07:00:00 -0700 -07:00 -07 -070000 -07:00:00\" "
     "0 }}",
     "Z Z Z Z Z +0000 +00:00 +00 +000000 +00:00:00", NULL},
    {"{{ dateInZone \"Z0700 Z07:00 Z07 Z070000 Z07:00:00 -0700 -07:00 -07 -070000 "
     "-07:00:00 MST\" 0 \"Etc/GMT+5\" }}",
     "-0500 -05:00 -05 -050000 -05:00:00 -0500 -05:00 -05 -050000 -05:00:00 -05", NULL},
    {"{{ dateInZone \"15:04 MST -07\" 0 \"Etc/GMT-14\" }} {{ dateInZone \"MST\" 0 "
     "\"GMT\" }} {{ dateInZone \"MST\" 0 \"Zulu\" }} {{ dateInZone \"MST\" 0 \"\" }} {{ "
     "dateInZone \"MST\" 0 \"Nowhere/X\" }} {{ dateInZone \"MST\" 0 \"Etc/GMT-15\" }}",
     "14:00 +14 +14 GMT UTC UTC UTC UTC", NULL},
    {"{{ $t := toDate \"2006-01-02T15:04:05Z07:00\" \"2020-02-29T12:34:56.1203+01:30\" "
     "}}{{ date \"5.0 05.000 .999 ,000 .0000000000 5.999999999 .05\" $t }}|{{ $t }}",
     "56.1 56.120 .12 ,120 .120300000 56.1203 .56|2020-02-29 12:34:56.1203 +0130 +0130",
     NULL},
    {"{{ date \"_2006 Janet Month Mondays ..00. .009 x\" 0 }}",
     "_1970 Janet Month Thursdays ..00. .009 x", NULL},
    {"{{ date \"2006-01-02\" -62135596800 }} {{ date \"2006-01-02 Mon\" -62200000000 }} "
     "{{ date \"06\" -99999999999 }}",
     "0001-01-01 -0002-12-17 Thu 99", NULL},
    {"{{ date \"2006-01-02\" 253402300800 }} {{ date \"2006-01-02 15:04:05\" -1 }}",
     "10000-01-01 1969-12-31 23:59:59", NULL},
    {"{{ date \"002 __2\" 951782400 }} {{ date \"002\" 978220800 }} {{ date \"Jan _2\" "
     "68169600 }}",
     "060  60 366 Feb 29", NULL},
    {"{{ htmlDate 86400 }} {{ htmlDate (int64 86399) }}", "1970-01-02 1970-01-01", NULL},
    {"{{ date \"\" 0 }}|{{ date \"\303\251\\\"\" 0 }}", "|\303\251\"", NULL},
};

static void layouts_are_written(void **state) {
    (void)state;
    check_table(layouts_are_written_cases, FX_COUNT(layouts_are_written_cases));
}

static const struct table_case texts_are_read_cases[] = {
    {"{{ mustToDate \"2006-01-02T15:04:05Z07:00\" \"2020-02-29T01:02:03Z\" }} {{ "
     "mustToDate \"2006-01-02T15:04:05Z07:00\" \"2020-02-29T01:02:03.5-08:00\" }}",
     "2020-02-29 01:02:03 +0000 UTC 2020-02-29 01:02:03.5 -0800 -0800", NULL},
    {"{{ mustToDate \"Mon, 02 Jan 2006 15:04:05 MST\" \"Tue, 10 Nov 2009 23:00:00 CET\" "
     "}} {{ mustToDate \"MST\" \"GMT+3\" }} {{ mustToDate \"MST\" \"UTC\" }} {{ "
     "mustToDate \"MST\" \"+05\" }} {{ mustToDate \"MST\" \"WITA\" }}",
     "2009-11-10 23:00:00 +0000 CET 0000-01-01 03:00:00 +0300 GMT+3 0000-01-01 00:00:00 "
     "+0000 UTC 0000-01-01 00:00:00 +0000 +05 0000-01-01 00:00:00 +0000 WITA",
     NULL},
    {"{{ mustToDate \"MST -0700\" \"CEST +0200\" }} {{ mustToDate \"-0700\" \"+0000\" }} "
     "{{ mustToDate \"MST -0700\" \"GMT +0000\" }}",
     "0000-01-01 00:00:00 +0200 CEST 0000-01-01 00:00:00 +0000 UTC 0000-01-01 00:00:00 "
     "+0000 GMT",
     NULL},
    {"{{ mustToDate \"Monday January 2 2006\" \"tuesday FEBRUARY 29 2000\" }} {{ "
     "mustToDate \"3:04PM\" \"12:30AM\" }} {{ mustToDate \"3:04pm\" \"1:30pm\" }} {{ "
     "mustToDate \"3:04PM\" \"12:30PM\" }}",
     "2000-02-29 00:00:00 +0000 UTC 0000-01-01 00:30:00 +0000 UTC 0000-01-01 13:30:00 "
     "+0000 UTC 0000-01-01 12:30:00 +0000 UTC",
     NULL},
    {"{{ mustToDate \"2006-002\" \"2020-060\" }} {{ mustToDate \"2006 __2\" \"2021  60\" "
     "}} {{ mustToDate \"06\" \"69\" }} {{ mustToDate \"06\" \"68\" }}",
     "2020-02-29 00:00:00 +0000 UTC 2021-03-01 00:00:00 +0000 UTC 1969-01-01 00:00:00 "
     "+0000 UTC 2068-01-01 00:00:00 +0000 UTC",
     NULL},
    {"{{ mustToDate \"15:04\" \"10:00\" }} {{ mustToDate \"2 Jan 2006\" \"1 Jan 0000\" "
     "}} {{ mustToDate \"2006\" \"9999\" }}",
     "0000-01-01 10:00:00 +0000 UTC 0000-01-01 00:00:00 +0000 UTC 9999-01-01 00:00:00 "
     "+0000 UTC",
     NULL},
    {"{{ mustToDate \"5\" \"7.25\" }} {{ mustToDate \"5,000\" \"7,250\" }} {{ mustToDate "
     "\"5.999 x\" \"7 x\" }} {{ mustToDate \"5.999\" \"7.123456789123\" }}",
     NULL, "parsing time \"7.123456789123\": extra text: \"123\""},
    {"{{ mustToDate \"2006  01\" \"2020 02\" }} {{ mustToDate \"2006 \" \"2020\" }}",
     "2020-02-01 00:00:00 +0000 UTC 2020-01-01 00:00:00 +0000 UTC", NULL},
    {"{{ toDate \"2006\" \"x\" }} {{ (toDate \"2006\" \"x\").IsZero }}",
     "0001-01-01 00:00:00 +0000 UTC true", NULL},
    {"{{ mustToDate \"2006-01-02\" \"2020-13-01\" }}", NULL,
     "parsing time \"2020-13-01\": month out of range"},
    {"{{ mustToDate \"2006-01-02\" \"2021-02-29\" }}", NULL,
     "parsing time \"2021-02-29\": day out of range"},
    {"{{ mustToDate \"2006-01-02\" \"2020-1-01\" }}", NULL,
     "parsing time \"2020-1-01\" as \"2006-01-02\": cannot parse \"1-01\" as \"01\""},
    {"{{ mustToDate \"2006-01-02\" \"2020/01/01\" }}", NULL,
     "parsing time \"2020/01/01\" as \"2006-01-02\": cannot parse \"/01/01\" as \"-\""},
    {"{{ mustToDate \"2006-01-02\" \"2020-01-01x\" }}", NULL,
     "parsing time \"2020-01-01x\": extra text: \"x\""},
    {"{{ mustToDate \"15:04:05\" \"24:00:00\" }}", NULL,
     "parsing time \"24:00:00\": hour out of range"},
    {"{{ mustToDate \"15:04:05\" \"23:60:00\" }}", NULL,
     "parsing time \"23:60:00\": minute out of range"},
    {"{{ mustToDate \"15:04:05\" \"23:00:60\" }}", NULL,
     "parsing time \"23:00:60\": second out of range"},
    {"{{ mustToDate \"2006-002\" \"2021-366\" }}", NULL,
     "parsing time \"2021-366\": day-of-year out of range"},
    {"{{ mustToDate \"2006-002 Jan\" \"2021-060 Apr\" }}", NULL,
     "parsing time \"2021-060 Apr\": day-of-year does not match month"},
    {"{{ mustToDate \"2006-002 2\" \"2021-060 2\" }}", NULL,
     "parsing time \"2021-060 2\": day-of-year does not match day"},
    {"{{ mustToDate \"Jan \303\251\" \"Foo \\\"\" }}", NULL,
     "parsing time \"Foo \\\"\" as \"Jan \\xc3\\xa9\": cannot parse \"Foo \\\"\" as "
     "\"Jan\""},
    {"{{ mustToDate \"5.00\" \"7.2\" }}", NULL,
     "parsing time \"7.2\" as \"5.00\": cannot parse \".2\" as \".00\""},
    {"{{ mustToDate \"MST\" \"abc\" }}", NULL,
     "parsing time \"abc\" as \"MST\": cannot parse \"abc\" as \"MST\""},
};

static void texts_are_read(void **state) {
    (void)state;
    check_table(texts_are_read_cases, FX_COUNT(texts_are_read_cases));
}

static const struct table_case times_are_modified_cases[] = {
    {"{{ $t := toDate \"2006-01-02\" \"2020-01-31\" }}{{ dateModify \"-24h\" $t }} {{ "
     "date_modify \"1.5s\" $t }} {{ dateModify \"bad\" $t }} {{ mustDateModify \"720h\" "
     "$t }} {{ must_date_modify \"-1ns\" $t }}",
     "2020-01-30 00:00:00 +0000 UTC 2020-01-31 00:00:01.5 +0000 UTC 2020-01-31 00:00:00 "
     "+0000 UTC 2020-03-01 00:00:00 +0000 UTC 2020-01-30 23:59:59.999999999 +0000 UTC",
     NULL},
    {"{{ mustDateModify \"1x\" (toDate \"2006\" \"2020\") }}", NULL,
     "time: unknown unit \"x\" in duration \"1x\""},
    {"{{ mustDateModify \"\" (toDate \"2006\" \"2020\") }}", NULL,
     "time: invalid duration \"\""},
    {"{{ mustDateModify \"5\" (toDate \"2006\" \"2020\") }}", NULL,
     "time: missing unit in duration \"5\""},
    {"{{ mustDateModify \"9223372037s\" (toDate \"2006\" \"2020\") }}", NULL,
     "time: invalid duration \"9223372037s\""},
    {"{{ dateModify \"1h\" \"2020\" }}", NULL,
     "can't handle \"2020\" for arg of type time.Time"},
    {"{{ unixEpoch 5 }}", NULL, "can't handle 5 for arg of type time.Time"},
    {"{{ dateModify \"1h\" .Target.nope }}", NULL, "invalid value; expected time.Time"},
    {"{{ $t := toDate \"2006-01-02 15:04:05\" \"2020-12-31 23:59:58\" }}{{ $t.Year }} {{ "
     "$t.Day }} {{ $t.YearDay }} {{ $t.Hour }} {{ $t.Minute }} {{ $t.Second }} {{ "
     "$t.Nanosecond }} {{ $t.Unix }} {{ $t.UnixMilli }} {{ $t.UnixMicro }} {{ "
     "$t.UnixNano }} {{ $t.IsZero }}",
     "2020 31 366 23 59 58 0 1609459198 1609459198000 1609459198000000 "
     "1609459198000000000 false",
     NULL},
    {"{{ $t := toDate \"2006\" \"2020\" }}{{ deepEqual $t (toDate \"2006\" \"2020\") }} "
     "{{ deepEqual $t (toDate \"2006\" \"2021\") }}",
     "true false", NULL},
};

static void times_are_modified(void **state) {
    (void)state;
    check_table(times_are_modified_cases, FX_COUNT(times_are_modified_cases));
}

static const struct table_case durations_cases[] = {
    {"{{ duration 95 }} {{ duration nil }} {{ duration \"x\" }} {{ duration (int64 3600) "
     "}} {{ duration \"-61\" }} {{ duration \"86400\" }} {{ duration 1.5 }} {{ duration "
     "\"99999999999999999999\" }}",
     "0s 0s 0s 1h0m0s -1m1s 24h0m0s 0s -1s", NULL},
    {"{{ durationRound \"1h\" }} {{ durationRound \"61s\" }} {{ durationRound \"1s\" }} "
     "{{ durationRound \"-3h\" }} {{ durationRound \"9000h\" }} {{ durationRound "
     "\"800h\" }} {{ durationRound \"25h\" }} {{ durationRound \"x\" }} {{ durationRound "
     "5 }} {{ durationRound (int64 7000000000) }} {{ durationRound "
     "\"2562047h47m16.854775807s\" }}",
     "60m 1m 0s 3h 1y 1mo 1d 0s 0s 7s 292y", NULL},
};

static void durations(void **state) {
    (void)state;
    check_table(durations_cases, FX_COUNT(durations_cases));
}

static const struct table_case nothing_reads_clock_or_zones_cases[] = {
    {"{{ dateInZone \"2006\" 0 \"Europe/Berlin\" }}", NULL,
     "time zone `Europe/Berlin` is not supported: its offset changes, and reviews read "
     "no time zone tables; use `UTC`, or `Etc/GMT-2` for two hours ahead of it"},
    {"{{ htmlDateInZone 0 \"Europe/Berlin\" }}", NULL,
     "time zone `Europe/Berlin` is not supported: its offset changes, and reviews read "
     "no time zone tables; use `UTC`, or `Etc/GMT-2` for two hours ahead of it"},
    {"{{ dateInZone \"2006\" 0 \"EST\" }}", NULL,
     "time zone `EST` is not supported: its offset changes, and reviews read no time "
     "zone tables; use `UTC`, or `Etc/GMT-2` for two hours ahead of it"},
    {"{{ date \"2006\" \"2020\" }}", NULL,
     "a value of type string is not a time, and templates cannot read the clock; use "
     "`toDate`, or `int` for seconds"},
    {"{{ date \"2006\" 1.5 }}", NULL,
     "a value of type float64 is not a time, and templates cannot read the clock; use "
     "`toDate`, or `int` for seconds"},
    {"{{ date \"2006\" nil }}", NULL,
     "a value of type <nil> is not a time, and templates cannot read the clock; use "
     "`toDate`, or `int` for seconds"},
    {"{{ htmlDate .Target.nope }}", NULL,
     "a value of type <nil> is not a time, and templates cannot read the clock; use "
     "`toDate`, or `int` for seconds"},
    {"{{ durationRound (toDate \"2006\" \"2020\") }}", NULL,
     "the age of a time is not available: templates cannot read the clock"},
};

static void nothing_reads_clock_or_zones(void **state) {
    (void)state;
    check_table(nothing_reads_clock_or_zones_cases,
                FX_COUNT(nothing_reads_clock_or_zones_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_spec),
        cmocka_unit_test(layouts_are_written),
        cmocka_unit_test(texts_are_read),
        cmocka_unit_test(times_are_modified),
        cmocka_unit_test(durations),
        cmocka_unit_test(nothing_reads_clock_or_zones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
