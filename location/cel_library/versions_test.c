/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/versions_test.c - semver() and its methods.
 */
#include "location/cel_library/testing.h"

static const struct library_case reading_cases[] = {
    {"semver('1.2.3-rc.1+build.5')", "1.2.3-rc.1+build.5", 2},
    {"semver('1.0.0-0.a-b.-')", "1.0.0-0.a-b.-", 0},
    {"semver('1.2.3+01')", "1.2.3+01", 0},
    {"semver('v01.02', true)", "1.2.0", 1},
    {"semver('1.2.03-rc', true)", "1.2.3-rc", 0},
    {"semver('1.2.3', false)", "1.2.3", 0},
    {"semver('1.2.3').minor()", "2", 2},
    {"semver('18446744073709551615.0.0').major()", "-1", 0},
    {"semver('9223372036854775808.0.0').major()", "-9223372036854775808", 0},
    {"isSemver('v1')", "false", 1},
    {"isSemver('v1', true)", "true", 1},
    {"isSemver('')", "false", 0},
};

static void reading(void **state) {
    (void)state;
    check_cases(reading_cases, FX_COUNT(reading_cases));
}

static const struct library_case refused_cases[] = {
    {"semver('')", "! Version string empty", 0},
    {"semver('1.2')", "! No Major.Minor.Patch elements found", 0},
    {"semver('v1.2.3')", "! Invalid character(s) found in major number \"v1\"", 0},
    {"semver('1.-2.3')", "! Invalid character(s) found in minor number \"-2\"", 0},
    {"semver('1.2.3 ')", "! Invalid character(s) found in patch number \"3 \"", 0},
    {"semver('00.0.0')", "! Major number must not contain leading zeroes \"00\"", 0},
    {"semver('1.02.3')", "! Minor number must not contain leading zeroes \"02\"", 0},
    {"semver('1.2.03')", "! Patch number must not contain leading zeroes \"03\"", 0},
    {"semver('.1.2')", "! strconv.ParseUint: parsing \"\": invalid syntax", 0},
    {"semver('18446744073709551616.0.0')",
     "! strconv.ParseUint: parsing \"18446744073709551616\": value out of range", 0},
    {"semver('1.2.3-a..b')", "! Prerelease is empty", 0},
    {"semver('1.2.3-')", "! Prerelease is empty", 0},
    {"semver('1.2.3-a_b')", "! Invalid character(s) found in prerelease \"a_b\"", 0},
    {"semver('1.2.3-alpha.01')",
     "! Numeric PreRelease version must not contain leading zeroes \"01\"", 0},
    {"semver('1.2.3+')", "! Build meta data is empty", 0},
    {"semver('1.2.3+a+b')", "! Invalid character(s) found in build meta data \"a+b\"", 0},
    {"semver('1.2-rc', true)",
     "! short version cannot contain PreRelease/Build meta data", 0},
    {"semver('v1-rc.1', true)", "! Invalid character(s) found in major number \"1-rc\"",
     0},
    {"semver(' 1.2.3', true)", "! Invalid character(s) found in major number \"0 1\"", 0},
};

static void refused(void **state) {
    (void)state;
    check_cases(refused_cases, FX_COUNT(refused_cases));
}

static const struct library_case order_cases[] = {
    {"semver('1.10.0').compareTo(semver('1.9.0'))", "1", 3},
    {"['1.0.0-0', '1.0.0-1', '1.0.0-10', '1.0.0-a', '1.0.0-a.1', '1.0.0-a.b', '1.0.0-b', "
     "'1.0.0', '1.0.1'].map(v, semver(v)).all(i, a, ['1.0.0-0', '1.0.0-1', '1.0.0-10', "
     "'1.0.0-a', '1.0.0-a.1', '1.0.0-a.b', '1.0.0-b', '1.0.0', '1.0.1'].map(v, "
     "semver(v)).all(j, b, a.isLessThan(b) == (i < j) && a.isGreaterThan(b) == (i > j)))",
     "true", 0},
    {"semver('1.2.3-rc.1') == semver('1.2.3-rc.1+build.5')", "true", 4},
    {"{semver('1.2.3'): 1}",
     "! internal error: runtime error: hash of unhashable type cel.Semver", 0},
};

static void order(void **state) {
    (void)state;
    check_cases(order_cases, FX_COUNT(order_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(refused),
        cmocka_unit_test(order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
