/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/numbers_test.c - Sprig's integers and floats: the examples of the
 * templates spec, edge cases, error messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case examples_of_the_spec_cases[] = {
    {"{{ atoi \"42\" }} {{ atoi \"x\" }}", "42 0", NULL},
    {"{{ int 3.9 }} {{ int64 \"12\" }} {{ int \"x\" }} {{ int64 .Target.big }}",
     "3 12 0 1000650000", NULL},
    {"{{ toDecimal \"0777\" }}", "511", NULL},
    {"{{ add 1 2 \"3\" }} {{ add1 4 }} {{ sub 5 3 }} {{ mul 2 3 4 }}", "6 5 2 24", NULL},
    {"{{ div 7 2 }} {{ mod 7 2 }}", "3 1", NULL},
    {"{{ max 1 3 2 }} {{ min 1 3 2 }}", "3 1", NULL},
    {"{{ seq 3 }}|{{ seq 2 4 }}|{{ seq 0 2 6 }}|{{ seq 3 1 }}",
     "1 2 3|2 3 4|0 2 4 6|3 2 1", NULL},
    {"{{ until 3 }} {{ untilStep 3 9 2 }}", "[0 1 2] [3 5 7]", NULL},
    {"{{ float64 \"1.5\" }} {{ float64 2 }}", "1.5 2", NULL},
    {"{{ addf 1.5 2 }} {{ add1f 1.5 }} {{ subf 3 1.5 }} {{ mulf 1.5 2 }} {{ divf 3 2 }}",
     "3.5 2.5 1.5 3 1.5", NULL},
    {"{{ maxf 1 2.5 }} {{ minf 1 2.5 }}", "2.5 1", NULL},
    {"{{ floor 1.9 }} {{ ceil 1.1 }} {{ round 1.2345 2 }} {{ round 1.25 1 }}",
     "1 2 1.23 1.3", NULL},
};

static void examples_of_the_spec(void **state) {
    (void)state;
    check_table(examples_of_the_spec_cases, FX_COUNT(examples_of_the_spec_cases));
}

static const struct table_case edges_cases[] = {
    {"{{ int 1e30 }} {{ int -1e30 }} {{ int64 (float64 \"NaN\") }} {{ int (list 1) }} {{ "
     "int \"\" }} {{ atoi \"+7\" }} {{ atoi \"1_0\" }}",
     "-9223372036854775808 -9223372036854775808 -9223372036854775808 0 0 7 0", NULL},
    {"{{ int64 (list) }} {{ int .Target.labels }} {{ float64 \"1e400\" }} {{ float64 "
     "\"0x1p-2\" }} {{ float64 \"1_0\" }} {{ float64 \"inf\" }} {{ float64 \" 1\" }} {{ "
     "float64 true }} {{ float64 nil }} {{ float64 \"0x_1p0\" }} {{ float64 (list) }}",
     "0 0 0 0.25 10 +Inf 0 1 0 1 0", NULL},
    {"{{ addf 0.1 0.2 }} {{ divf 1 3 }} {{ divf 2 3 }} {{ divf -2 3 }} {{ divf 1 7 }} {{ "
     "mulf 1e308 1e308 }} {{ mulf 1e-300 1e-300 }} {{ subf 0 1e-320 }} {{ addf 1 \"x\" "
     "}} {{ divf 1 1e17 }} {{ divf 5 1e16 }} {{ divf 5 1e17 }}",
     "0.3 0.3333333333333333 0.6666666666666667 -0.6666666666666667 0.1428571428571429 "
     "+Inf 0 -1e-320 1 0 5e-16 1e-16",
     NULL},
    {"{{ round -1.25 1 }} {{ round 2.5 0 }} {{ round -2.5 0 }} {{ round 123.555555 3 }} "
     "{{ round 1.25 1 0.6 }} {{ round 15 -1 }} {{ round \"12.5\" 0 }} {{ round -1.7 0 }} "
     "{{ round 5 400 }} {{ round 1.1 1 -5.0 }}",
     "-1.3 3 -3 123.556 1.2 20 13 -2 NaN 1.1", NULL},
    {"{{ maxf 1 \"x\" -3 }} {{ maxf \"NaN\" 1 }} {{ minf 1 -2 \"-3.5\" }} {{ maxf -1 }} "
     "{{ ceil -1.5 }} {{ floor \"x\" }}",
     "1 NaN -3.5 -1 -1 0", NULL},
    {"{{ max 5 }} {{ max \"0x10\" 3 }} {{ min 1 }} {{ biggest 1 2.9 }} {{ add }} {{ add "
     "1.9 1.9 }} {{ mul 5 }}",
     "5 16 1 2 0 2 5", NULL},
    {"{{ div -7 2 }} {{ mod -7 2 }} {{ div 7 -2 }} {{ mod 7 -2 }} {{ div "
     "-9223372036854775808 -1 }} {{ mod -9223372036854775808 -1 }} {{ add "
     "9223372036854775807 1 }} {{ mul 9223372036854775807 2 }} {{ sub "
     "-9223372036854775808 1 }} {{ add1 \"9223372036854775807\" }}",
     "-3 -1 -3 1 -9223372036854775808 0 -9223372036854775808 -2 9223372036854775807 "
     "-9223372036854775808",
     NULL},
    {"{{ typeOf (add 1) }} {{ typeOf (max 1) }} {{ typeOf (int 1) }} {{ typeOf (until 2) "
     "}} {{ typeOf (seq 1) }} {{ typeOf (toDecimal 1) }} {{ typeOf (float64 1) }} {{ "
     "typeOf (atoi \"1\") }}",
     "int64 int64 int []int string int64 float64 int", NULL},
    {"{{ toDecimal 777 }} {{ toDecimal \"9\" }} {{ toDecimal 7.5 }} {{ toDecimal nil }} "
     "{{ toDecimal \"-17\" }} {{ toDecimal \"7777777777777777777777777\" }} {{ toDecimal "
     "\"-7777777777777777777777777\" }} {{ toDecimal \"1_0\" }} {{ toDecimal .Target.n "
     "}}",
     "511 0 0 0 -15 0 0 0 5", NULL},
    {"{{ seq }}|{{ seq 0 }}|{{ seq 1 }}|{{ seq -2 }}|{{ seq 5 1 }}|{{ seq 1 2 1 }}|{{ "
     "seq 1 0 5 }}|{{ seq 1 -1 5 }}|{{ seq 5 1 1 }}|{{ seq 1 2 3 4 }}|{{ seq 0 -2 -5 "
     "}}|{{ seq 3 3 }}|{{ seq 3 1 3 }}|{{ seq 3 -1 3 }}|{{ seq 3 0 3 }}",
     "|1 0|1|1 0 -1 -2|5 4 3 2 1|1|||||0 -2 -4|3|3||", NULL},
    {"{{ untilStep 1 5 0 }}|{{ untilStep 5 1 1 }}|{{ untilStep 1 5 -1 }}|{{ until 0 "
     "}}|{{ untilStep 0 0 0 }}|{{ untilStep 0 10 3 }}|{{ untilStep 5 5 1 }}|{{ untilStep "
     "0 -5 -2 }}",
     "[]|[]|[]|[]|[]|[0 3 6 9]|[]|[0 -2 -4]", NULL},
    {"{{ until 1.0 }}", "[0]", NULL},
    {"{{ int \"1_000\" }} {{ int \"99999999999999999999\" }} {{ atoi "
     "\"99999999999999999999\" }} {{ atoi \"-99999999999999999999\" }} {{ int \" 5\" }} "
     "{{ int \"+5\" }} {{ int \"0b101\" }} {{ int \"0o17\" }} {{ int \"08\" }} {{ int "
     "\"-0x1F\" }} {{ int \"_1\" }} {{ int \"1__0\" }} {{ int \"0x\" }}",
     "1000 0 9223372036854775807 -9223372036854775808 0 5 5 15 0 -31 0 0 0", NULL},
    {"{{ float64 \"1_0.5_5e1_0\" }} {{ float64 \"1__0\" }} {{ float64 \"1_.5\" }} {{ "
     "float64 \"._5\" }} {{ float64 \"0x1\" }} {{ float64 \"1e\" }} {{ float64 \"+inf\" "
     "}} {{ float64 \"+nan\" }} {{ float64 \"infinity\" }} {{ float64 \"-Infinit\" }} {{ "
     "float64 \".\" }}",
     "1.055e+11 0 0 0 0 0 +Inf 0 +Inf 0 0", NULL},
    {"{{ mulf 1e-300 1e-300 1e300 1e300 }} {{ divf 1 1e300 1e-300 }} {{ subf 1 0.9 0.1 "
     "}} {{ addf 1e20 0.1 -1e20 }} {{ mulf 0 -1 }} {{ divf 7 -2 }} {{ divf 1e17 3 }} {{ "
     "divf 0.00000000000000005 1 }} {{ divf 0.00000000000000004 1 }} {{ add1f 0.1 }}",
     "1 0 0 0.1 0 -3.5 3.3333333333333332e+16 1e-16 0 1.1", NULL},
};

static void edges(void **state) {
    (void)state;
    check_table(edges_cases, FX_COUNT(edges_cases));
}

static const struct table_case errors_cases[] = {
    {"{{ divf 1 0 }}", NULL, "error calling divf: decimal division by 0"},
    {"{{ addf \"NaN\" }}", NULL, "error calling addf: Cannot create a Decimal from NaN"},
    {"{{ addf \"inf\" }}", NULL, "error calling addf: Cannot create a Decimal from +Inf"},
    {"{{ addf \"-inf\" }}", NULL,
     "error calling addf: Cannot create a Decimal from -Inf"},
    {"{{ round 1.5 }}", NULL, "wrong number of args for round: want at least 2 got 1"},
    {"{{ max }}", NULL, "wrong number of args for max: want at least 1 got 0"},
    {"{{ until 1.5 }}", NULL, "expected integer; found 1.5"},
    {"{{ until \"1\" }}", NULL, "expected integer; found \"1\""},
};

static void errors(void **state) {
    (void)state;
    check_table(errors_cases, FX_COUNT(errors_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_spec),
        cmocka_unit_test(edges),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
