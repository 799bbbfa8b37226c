/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/strings_test.c - the functions of strings, and find and findAll.
 */
#include "location/cel_library/testing.h"

static const struct library_case parts_cases[] = {
    {"['é😀a'].map(x, x.charAt(1))", "[😀]", 0},
    {"'é'.charAt(1)", "", 1},
    {"'é'.charAt(2)", "! index out of range: 2", 0},
    {"'é'.charAt(-1)", "! index out of range: -1", 0},
    {"'é😀ab'.substring(1, 3)", "😀a", 1},
    {"'é😀ab'.substring(4)", "", 1},
    {"'ab'.substring(3)", "! index out of range: 3", 0},
    {"'ab'.substring(1, 3)", "! index out of range: 3", 0},
    {"'ab'.substring(-1, 1)", "! index out of range: -1", 0},
    {"'ab'.substring(2, 1)", "! invalid substring range. start: 2, end: 1", 0},
    {"'\\u00a0 x\\u3000'.trim()", "x", 1},
    {"['AbÉ', 'é'].map(x, x.lowerAscii() + x.upperAscii())", "[abÉABÉ, éé]", 0},
};

static void parts(void **state) {
    (void)state;
    check_cases(parts_cases, FX_COUNT(parts_cases));
}

static const struct library_case searches_cases[] = {
    {"'éaéa'.indexOf('a')", "1", 0},
    {"'éaéa'.indexOf('a', 2)", "3", 0},
    {"'éaéa'.indexOf('a', 4)", "-1", 0},
    {"'éaéa'.indexOf('a', 5)", "-1", 0},
    {"'a'.indexOf('a', -1)", "! index out of range: -1", 0},
    {"'a'.indexOf('', 30)", "30", 0},
    {"'éaéa'.lastIndexOf('é')", "2", 0},
    {"'éaéa'.lastIndexOf('é', 1)", "0", 0},
    {"'éaéa'.lastIndexOf('aéa', 3)", "1", 0},
    {"'éaéa'.lastIndexOf('a', 4)", "-1", 0},
    {"'a'.lastIndexOf('b', -1)", "! index out of range: -1", 0},
    {"'é'.lastIndexOf('')", "1", 0},
    {"dyn(null).lastIndexOf('a')", "! no such overload: lastIndexOf(null_type, string)",
     0},
};

static void searches(void **state) {
    (void)state;
    check_cases(searches_cases, FX_COUNT(searches_cases));
}

static const struct library_case rebuilt_cases[] = {
    {"'abab'.replace('ab', 'x')", "xx", 1},
    {"'abab'.replace('ab', 'x', 1)", "xab", 1},
    {"'abab'.replace('ab', 'x', 0)", "abab", 1},
    {"'éa'.replace('', '-')", "-é-a-", 1},
    {"'éa'.replace('', '-', 2)", "-é-a", 1},
    {"'a,b,,c'.split(',')", "[a, b, , c]", 2},
    {"'a,b,,c'.split(',', 2)", "[a, b,,c]", 2},
    {"'a,b'.split(',', 0)", "[]", 1},
    {"'a,b'.split(',', 1)", "[a,b]", 1},
    {"'éab'.split('')", "[é, a, b]", 1},
    {"'éab'.split('', 2)", "[é, ab]", 1},
    {"[''.split('').size(), ''.split(',').size()]", "[0, 1]", 12},
    {"['a', '', 'b'].join('é')", "aééb", 1},
    {"['a', 'b'].join()", "ab", 1},
    {"[dyn('a'), dyn(1)].join(',')", "! join: invalid input: 1", 0},
    {"strings.quote('a\\n\"\\\\\\u0001é')", "\"a\\n\\\"\\\\\x01é\"", 1},
};

static void rebuilt(void **state) {
    (void)state;
    check_cases(rebuilt_cases, FX_COUNT(rebuilt_cases));
}

static const struct library_case regexes_cases[] = {
    {"'a1b22'.find('[0-9]+')", "1", 2},
    {"'abc'.find('[0-9]+')", "", 2},
    {"'a1b22'.findAll('[0-9]+')", "[1, 22]", 2},
    {"'a1b22'.findAll('[0-9]+', 1)", "[1]", 2},
    {"'a1b22'.findAll('[0-9]+', 0)", "[]", 2},
    {"'aééa'.findAll('a*')", "[a, , a]", 1},
    {"'éé'.findAll('')", "[, , ]", 0},
    {"['+'].map(x, 'a'.find(x))",
     "! error parsing regexp: missing argument to repetition operator: `+`", 0},
    {"dyn(1).findAll('a')", "! no such overload", 0},
};

static void regexes(void **state) {
    (void)state;
    check_cases(regexes_cases, FX_COUNT(regexes_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
        cmocka_unit_test(searches),
        cmocka_unit_test(rebuilt),
        cmocka_unit_test(regexes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
