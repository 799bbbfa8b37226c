/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/format_test.c - format(). Formats are dyn where the check of
 * literals would refuse them.
 */
#include "location/cel_library/testing.h"

static const struct library_case numbers_cases[] = {
    {"'%d %d%%'.format([-1, 18446744073709551615u])", "-1 18446744073709551615%", 1},
    {"'%b %b %b'.format([-5, 5u, true])", "-101 101 1", 1},
    {"'%o %x %X'.format([-9, -255, 255u])", "-11 -ff FF", 1},
    {"'%x %X'.format(['é', b'\\x00\\xff'])", "c3a9 00FF", 1},
    {"'%x'.format([-9223372036854775807 - 1])", "-8000000000000000", 0},
    {"'%f %.0f %.2f'.format([1234567.5, 2.5, -0.375])", "1,234,567.500000 2 -0.38", 2},
    {"'%.0f %f %.1f'.format([-0.4, -0.0, 999.95])", "-0 0.000000 1,000.0", 2},
    {"'%.20f'.format([0.1])", "0.10000000000000000555", 1},
    {"'%.1200f'.format([5e-324]).size()", "1202", 0},
    {"'%f %f'.format([double('inf'), double('nan')])", "∞ NaN", 1},
    {"'%f %.0e %f'.format(['-Infinity', 'Infinity', 'NaN'])", "-∞ ∞ NaN", 1},
    {"'%e %e %e'.format([-0.000123, 0.0, 1e100])",
     "-1.230000×10⁻⁰⁴ 0.000000×10⁰⁰ 1.000000×10¹⁰⁰", 1},
    {"'%.3e|%.15e|%e|%.0e'.format([1.5, -1.5, double('-inf'), double('nan')])",
     "1.500000×10⁰⁰| -1.500000×10⁰⁰|    -∞|NaN", 2},
};

static void numbers(void **state) {
    (void)state;
    check_cases(numbers_cases, FX_COUNT(numbers_cases));
}

static const struct library_case values_cases[] = {
    {"'%s %s %s'.format(['a\"b', 1e6, null])", "a\"b 1e+06 null", 1},
    {"'%s %s'.format([duration('90s'), timestamp('2024-01-01T00:00:00+01:00')])",
     "90s 2024-01-01T00:00:00+01:00", 1},
    {"'%s'.format([[dyn('a\"b'), 1, 2u, 1.5, true, null, b'c', int]])",
     "[\"a\\\"b\", 1, 2, 1.500000, true, null, b\"c\", int]", 0},
    {"'%s'.format([['\\u0001é']]) + '%s'.format([[b'\\n']])", "[\"\\x01é\"][b\"\\n\"]",
     0},
    {"'%s'.format([[duration('90s')]])", "[duration(\"90s\")]", 0},
    {"'%s'.format([[double('nan'), double('inf'), -0.0]])",
     "[\"NaN\", \"+Inf\", -0.000000]", 0},
    {"'%s'.format([{'b': [1], 'a': {'c': 2}}])", "{\"a\":{\"c\":2}, \"b\":[1]}", 1},
    {"'%s'.format([{10: 'x', 9: 'y'}])", "{10:\"x\", 9:\"y\"}", 1},
    {"'%s'.format([b'\\xff'])",
     "! error during formatting: could not convert argument \"invalid UTF-8 in bytes, "
     "cannot convert to string\" to string",
     0},
    {"'%s'.format([{dyn(1.5): 1}])",
     "! error during formatting: no formatting function for map key of type double", 0},
    {"'%s'.format([dyn([optional.none()])])",
     "! error during formatting: no formatting function for optional_type", 0},
    {"'%s'.format([dyn(optional.none())])",
     "! error during formatting: string clause can only be used on strings, bools, "
     "bytes, "
     "ints, doubles, maps, lists, types, durations, and timestamps, was given "
     "optional_type",
     0},
};

static void values(void **state) {
    (void)state;
    check_cases(values_cases, FX_COUNT(values_cases));
}

static const struct library_case mistakes_cases[] = {
    {"dyn('%d').format([1.0])",
     "! error during formatting: decimal clause can only be used on integers, was given "
     "double",
     0},
    {"dyn('%f').format([1])",
     "! error during formatting: fixed-point clause can only be used on doubles, was "
     "given int",
     0},
    {"dyn('%f').format(['inf'])",
     "! error during formatting: fixed-point clause can only be used on doubles, was "
     "given string",
     0},
    {"dyn('%e').format([1])",
     "! error during formatting: scientific clause can only be used on doubles, was "
     "given "
     "int",
     0},
    {"dyn('%b').format(['a'])",
     "! error during formatting: only integers and bools can be formatted as binary, was "
     "given string",
     0},
    {"dyn('%o').format([true])",
     "! error during formatting: octal clause can only be used on integers, was given "
     "bool",
     0},
    {"dyn('%x').format([1.5])",
     "! error during formatting: only integers, byte buffers, and strings can be "
     "formatted as hex, was given double",
     0},
    {"dyn('%d %d').format([1])", "! index 1 out of range", 0},
    {"dyn('a%').format([1])", "! unexpected end of string", 0},
    {"dyn('%é').format([1])",
     "! could not parse formatting clause: unrecognized formatting clause \"Ã\"", 0},
    {"dyn('%.5').format([1])",
     "! could not parse formatting clause: error while parsing precision: could not find "
     "end of precision specifier",
     0},
    {"dyn('%.f').format([1.0])",
     "! could not parse formatting clause: error while parsing precision: error while "
     "converting precision to integer: strconv.Atoi: parsing \"\": invalid syntax",
     0},
    {"dyn('%.99999999f').format([1.0])",
     "! error during formatting: precision 99998899 is too large", 0},
    {"dyn('%s').format([1, 2])", "1", 0},
};

static void mistakes(void **state) {
    (void)state;
    check_cases(mistakes_cases, FX_COUNT(mistakes_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(values),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
