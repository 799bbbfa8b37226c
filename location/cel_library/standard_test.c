/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/standard_test.c - the standard functions (location/cel: convert.c,
 * texts.c and time.c), which need a whole expression.
 */
#include "location/cel_library/testing.h"

static const struct library_case conversions_cases[] = {
    {"int(dyn(-1.9))", "-1", 0},
    {"int(double('9223372036854774784'))", "9223372036854774784", 0},
    {"[-9223372036854775808.0].map(x, int(x))", "! integer overflow", 0},
    {"[double('nan')].map(x, int(x))", "! integer overflow", 0},
    {"['+1', '01', '-0'].map(x, int(x))", "[1, 1, 0]", 0},
    {"['0x10'].map(x, int(x))", "! type conversion error from 'string' to 'int'", 0},
    {"['9223372036854775808'].map(x, int(x))",
     "! type conversion error from 'string' to 'int'", 0},
    {"int(timestamp('1969-12-31T23:59:59.9Z'))", "-1", 0},
    {"int(duration('1.5s'))", "1500000000", 0},
    {"[18446744073709551615u].map(x, int(x))", "! integer overflow", 0},
    {"[-0.5].map(x, uint(x))", "! unsigned integer overflow", 0},
    {"[18446744073709549568.0, 0.9].map(x, uint(x))", "[18446744073709549568u, 0u]", 0},
    {"[-1].map(x, uint(x))", "! unsigned integer overflow", 0},
    {"['+1'].map(x, uint(x))", "! type conversion error from 'string' to 'uint'", 0},
    {"['0x1p4', 'inf', '1e-400', '5.'].map(x, double(x))", "[16, +Inf, 0, 5]", 0},
    {"['T', 'true', '1', 'F'].map(x, bool(x))", "[true, true, true, false]", 0},
    {"['tRue'].map(x, bool(x))", "! type conversion error from 'string' to 'bool'", 0},
    {"[100000.0, 1e6, 0.0001, 1e-5, -0.0].map(x, string(x))",
     "[100000, 1e+06, 0.0001, 1e-05, -0]", 0},
    {"string(bytes('é')) == 'é'", "true", 1},
    {"[b'\\xff'].map(x, string(x))", "! invalid UTF-8 in bytes, cannot convert to string",
     0},
    {"type(1) == int && type(type) == type(int)", "true", 2},
};

static void conversions(void **state) {
    (void)state;
    check_cases(conversions_cases, FX_COUNT(conversions_cases));
}

static const struct library_case times_cases[] = {
    {"string(timestamp('2024-01-01T00:00:00.100+02:00') + duration('24h'))",
     "2024-01-02T00:00:00.1+02:00", 2},
    {"string(timestamp(0))", "1970-01-01T00:00:00Z", 0},
    {"[253402300800].map(x, timestamp(x))", "! timestamp overflow", 0},
    {"['0001-01-01T00:00:00+01:00'].map(x, timestamp(x))", "! timestamp overflow", 0},
    {"['2024-01-01t00:00:00z'].map(x, timestamp(x))",
     "! type conversion error from 'string' to 'google.protobuf.Timestamp'", 0},
    {"string(timestamp('2024-01-01T0:00:00,5-24:00'))", "2024-01-01T00:00:00.5-24:00", 0},
    {"['1h30m', '-1.5s', '1ns', '0.5ns', '2562047h47m16.854775807s']"
     ".map(x, string(duration(x)))",
     "[5400s, -1.5s, 0.000000001s, 0s, 9223372036.854776s]", 0},
    {"['1d'].map(x, duration(x))",
     "! type conversion error from 'string' to 'google.protobuf.Duration'", 0},
    {"[1].map(x, duration(x))",
     "! type conversion error from 'int' to 'google.protobuf.Duration'", 0},
};

static void times(void **state) {
    (void)state;
    check_cases(times_cases, FX_COUNT(times_cases));
}

#define TIME "timestamp('2023-12-31T23:45:06.789-05:00')"

static const struct library_case accessors_cases[] = {
    {TIME ".getFullYear()", "2024", 1},
    {TIME ".getFullYear('-05:00')", "2023", 1},
    {TIME ".getMonth('America/New_York')", "11", 1},
    {"[" TIME ".getDate('UTC'), " TIME ".getDayOfMonth(''), " TIME
     ".getDayOfYear(), " TIME ".getDayOfYear('US/Eastern'), " TIME ".getDayOfWeek()]",
     "[1, 0, 0, 364, 1]", 0},
    {"[" TIME ".getHours('+05:60'), " TIME ".getMinutes('5:30'), " TIME
     ".getSeconds('-00:01'), " TIME ".getMilliseconds('Asia/Kolkata')]",
     "[10, 15, 6, 789]", 0},
    {"timestamp(0).getHours('+99:99')", "4", 1},
    {TIME ".getHours('Mars/Phobos')", "! unknown time zone Mars/Phobos", 0},
    {TIME ".getHours('../UTC')", "! time: invalid location name", 0},
    {TIME ".getHours('+05')", "! unknown time zone +05", 0},
    {TIME ".getHours(':30')", "! strconv.Atoi: parsing \"\": invalid syntax", 0},
    {"[duration('-90m').getHours(), duration('-90m').getMinutes(), "
     "duration('90.5s').getSeconds(), duration('90.5s').getMilliseconds()]",
     "[-1, -90, 90, 90500]", 0},
};

static void accessors(void **state) {
    (void)state;
    check_cases(accessors_cases, FX_COUNT(accessors_cases));
}

static const struct library_case texts_cases[] = {
    {"[size('é😀'), 'é😀'.size(), size(b'\\xc3\\xa9'), [1, 2].size(), {1: 2}.size()]",
     "[2, 2, 2, 2, 1]", 15},
    {"size(dyn(1))", "! no such overload: size", 0},
    {"'abcabd'.contains('abd') && 'abc'.startsWith('ab') && 'abc'.endsWith('bc') && "
     "!'bc'.endsWith('abc')",
     "true", 5},
    {"dyn(1).contains('a')", "! no such overload", 0},
    {"'aaaaaaaaaaaaaaaaaaaa'.contains('aaaaaaaaaaa')", "true", 4},
    {"['foo.bar', 'foobar'].map(x, x.matches('^foo\\\\.'))", "[true, false]", 0},
    {"matches('aéb', 'a.b$')", "true", 1},
    {"['(?<year>a)', '(?P<y>a)', '[(?<]a', '\\\\Q(?<\\\\Ea'].map(x, '(?<a'.matches(x))",
     "[true, true, true, true]", 0},
    {"['(?<=a)'].map(x, 'a'.matches(x))",
     "! error parsing regexp: invalid or unsupported Perl syntax: `(?<`", 0},
    {"['(a'].map(x, 'a'.matches(x))", "! error parsing regexp: missing closing ): `(a`",
     0},
    {"['\\\\C'].map(x, 'a'.matches(x))",
     "! error parsing regexp: invalid escape sequence: `\\C`", 0},
};

static void texts(void **state) {
    (void)state;
    check_cases(texts_cases, FX_COUNT(texts_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions),
        cmocka_unit_test(times),
        cmocka_unit_test(accessors),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
