/* SPDX-License-Identifier: Apache-2.0
 *
 * server/timeout_test.c - durations as Go reads them, and budgets made of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/go/time.h"
#include "server/respond.h"

#define MS INT64_C(1000000)
#define S  (1000 * MS)

static void test_durations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"5s", 5 * S},
        {"30s", 30 * S},
        {"1m30s", 90 * S},
        {"500ms", 500 * MS},
        {"1.5s", 1500 * MS},
        {".5s", 500 * MS},
        {"5.s", 5 * S},
        {"1h", 3600 * S},
        {"2h45m", 9900 * S},
        {"+5s", 5 * S},
        {"-5s", -5 * S},
        {"7ns", 7},
        {"3us", 3000},
        {"3\xc2\xb5s", 3000},
        {"3\xce\xbcs", 3000},
        {"9223372036854775807ns", INT64_MAX},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        int64_t ns = -1;
        struct fx_err err = FX_ERR_INIT;
        assert_true(fx_go_duration_parse(fx_text_of(cases[i].text), &ns, &err));
        assert_int_equal(ns, cases[i].ns);
    }
}

static void test_no_durations(void **state) {
    (void)state;
    static const char *const cases[] = {"",
                                        "5",
                                        "s",
                                        ".s",
                                        "-",
                                        "+",
                                        "5 s",
                                        "5S",
                                        "5sec",
                                        "1m30",
                                        "5s ",
                                        "--5s",
                                        "1d",
                                        "0x5s",
                                        "9223372036854775808ns",
                                        "5..s",
                                        "9999999999999h",
                                        "2562047h99999m"};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        int64_t ns = 42;
        struct fx_err err = FX_ERR_INIT;
        assert_false(fx_go_duration_parse(fx_text_of(cases[i]), &ns, &err));
        assert_int_equal(ns, 42);
    }
}

static void test_budgets(void **state) {
    (void)state;
    static const struct {
        const char *query;
        int64_t ns;
    } cases[] = {
        {NULL, 10 * S},
        {"", 10 * S},
        {"timeout=5s", 4 * S},
        {"timeout=1s", 800 * MS},
        {"timeout=1m30s", 48 * S}, /* a minute at most */
        {"timeout=9999h", 48 * S},
        {"timeout=500ms", 400 * MS},
        {"a=b&timeout=5s&c", 4 * S},
        {"timeout", 10 * S},
        {"timeout=", 10 * S},
        {"xtimeout=5s", 10 * S},
        {"timeout=0", 10 * S},
        {"timeout=0s", 10 * S},
        {"&&timeout=5s", 4 * S},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        uint64_t ns = 0;
        assert_true(fx_timeout_budget_ns(fx_text_of(cases[i].query), 10000, &ns));
        assert_int_equal(ns, cases[i].ns);
    }
}

static void test_no_budgets(void **state) {
    (void)state;
    static const char *const cases[] = {"timeout=-5s", "timeout=soon", "timeout=5",
                                        "timeout=5s%20", "a=b&timeout=-1ns&c=d"};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        uint64_t ns = 42;
        assert_false(fx_timeout_budget_ns(fx_text_of(cases[i]), 10000, &ns));
        assert_int_equal(ns, 42);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_no_durations),
        cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_no_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
