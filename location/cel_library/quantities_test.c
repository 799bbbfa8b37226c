/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/quantities_test.c - quantity() and its methods.
 */
#include "location/cel_library/testing.h"

static const struct library_case reading_cases[] = {
    {"quantity('1.5Gi')", "1536Mi", 1},
    {"quantity('1000')", "1k", 0},
    {"quantity('-0.5')", "-500m", 0},
    {"quantity('1e19')", "10e18", 0},
    {"quantity('+1.')", "1", 0},
    {"quantity('0Ki')", "0", 0},
    {"quantity('Gi')", "0", 0},
    {"quantity('+')", "0", 0},
    {"quantity('00.50')", "500m", 0},
    {"quantity('0.0000000001')", "1n", 2},
    {"quantity('-1.1n')", "-2n", 0},
    {"quantity('0.1Gi')", "107374182400m", 0},
    {"quantity('1000E')", "1000E", 0},
    {"quantity('16Ei')", "9223372036854775807", 0},
    {"quantity('-9Ei')", "-9223372036854775807", 0},
    {"quantity('1e1000')", "10e999", 0},
    {"quantity('123456789012345678901234567890')", "123456789012345678901234567890", 3},
    {"quantity('1023Ki')", "1023Ki", 0},
    {"quantity('1Ki').sub(1)", "1023", 0},
    {"quantity('0.5Ki')", "512", 0},
};

static void reading(void **state) {
    (void)state;
    check_cases(reading_cases, FX_COUNT(reading_cases));
}

static const struct library_case refused_cases[] = {
    {"quantity('')",
     "! quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
     0},
    {"quantity('1 Gi')",
     "! quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
     0},
    {"quantity('1..5')",
     "! quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
     0},
    {"quantity('0x10')",
     "! quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
     0},
    {"quantity('1K')", "! unable to parse quantity's suffix", 0},
    {"quantity('1e+')", "! unable to parse quantity's suffix", 0},
    {"quantity('+-1')", "! unable to parse quantity's suffix", 0},
    {"quantity('1e99999999999')", "! unable to parse quantity's suffix", 0},
    {"quantity('Ei')", "! unable to parse numeric part of quantity", 0},
    {"quantity('1234567890123456789e9999')", "! number has more than 4096 digits", 0},
    {"isQuantity('1Kib')", "false", 1},
    {"isQuantity('1e1000')", "true", 1},
    {"isQuantity('')", "false", 0},
};

static void refused(void **state) {
    (void)state;
    check_cases(refused_cases, FX_COUNT(refused_cases));
}

static const struct library_case integers_cases[] = {
    {"quantity('3.7e2').asInteger()", "370", 2},
    {"quantity('1Ti').asInteger()", "1099511627776", 0},
    {"quantity('1000m').isInteger()", "false", 2},
    {"quantity('1Ei').asInteger()", "! cannot convert value to integer", 0},
    {"quantity('9223372036854775807').isInteger()", "false", 0},
    {"quantity('1e19').asInteger()", "! cannot convert value to integer", 0},
    {"quantity('0e2000').asInteger()", "0", 0},
    {"quantity('1.0').isInteger()", "false", 0},
    {"sign(quantity('-1u'))", "-1", 2},
    {"sign(quantity('0'))", "0", 0},
    {"sign(quantity('-1234567890123456789'))", "-1", 0},
};

static void integers(void **state) {
    (void)state;
    check_cases(integers_cases, FX_COUNT(integers_cases));
}

static const struct library_case doubles_cases[] = {
    {"quantity('1.0001m').asApproximateFloat()", "0.0010000999999999999", 2},
    {"quantity('16Ei').asApproximateFloat()", "9.223372036854776e+18", 0},
    {"quantity('1e1000').asApproximateFloat()", "+Inf", 0},
    {"quantity('1u').sub(quantity('123456789012345678901234567890')).asApproximateFloat("
     ")",
     "-1.234567890123457e+29", 6},
    {"quantity('0e2000').asApproximateFloat()", "NaN", 0},
    {"quantity('-0.0Ki').asApproximateFloat()", "0", 0},
};

static void doubles(void **state) {
    (void)state;
    check_cases(doubles_cases, FX_COUNT(doubles_cases));
}

static const struct library_case sums_cases[] = {
    {"quantity('30k').add(7).sub(quantity('60k')).sub(-30000).asInteger()", "7", 6},
    {"quantity('1k').add(quantity('1.5Gi'))", "1610613736", 3},
    {"quantity('0').add(quantity('1Ki'))", "1Ki", 0},
    {"quantity('1Ki').add(9223372036854775807)", "9223372036854776831", 0},
    {"quantity('1').sub(-9223372036854775807 - 1)", "9223372036854775809", 0},
    {"quantity('8Ei').add(quantity('1e30')).sub(quantity('8Ei'))",
     "931322574615478515625Gi", 5},
    {"quantity('123456789012345678901234567890').add(quantity('0.1Gi'))",
     "123456789012345678901341942072400m", 5},
    {"quantity('-0.5').add(quantity('1e18')).sub(quantity('-0.5'))", "1E", 0},
    {"quantity('1n').add(quantity('1E3'))", "1000000000001n", 0},
    {"quantity('100').sub(quantity('1e20')).add(quantity('1e20'))", "100", 0},
    {"quantity('1e4090').add(quantity('1n'))", "! number has more than 4096 digits", 0},
    {"quantity('1').add(dyn('a'))",
     "! no such overload: add(kubernetes.Quantity, string)", 0},
};

static void sums(void **state) {
    (void)state;
    check_cases(sums_cases, FX_COUNT(sums_cases));
}

static const struct library_case comparisons_cases[] = {
    {"quantity('300M').compareTo(quantity('0.3G'))", "0", 3},
    {"quantity('1Ki').isLessThan(quantity('1000'))", "false", 3},
    {"quantity('1e2000').isGreaterThan(quantity('-1e1999'))", "true", 3},
    {"quantity('9223372036854775808').compareTo(quantity('9223372036854775807'))", "1",
     0},
    {"quantity('-2').compareTo(quantity('-1n'))", "-1", 0},
    {"quantity('1000m') == quantity('1')", "true", 3},
    {"quantity('0').add(1) == quantity('1')", "true", 0},
    {"quantity('1') == quantity('0').add(1)", "! no such overload", 0},
    {"[quantity('1')] == [quantity('0').add(1)]", "false", 0},
};

static void comparisons(void **state) {
    (void)state;
    check_cases(comparisons_cases, FX_COUNT(comparisons_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),  cmocka_unit_test(refused),
        cmocka_unit_test(integers), cmocka_unit_test(doubles),
        cmocka_unit_test(sums),     cmocka_unit_test(comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
