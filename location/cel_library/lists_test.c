/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/lists_test.c - the functions of lists, sets and optionals.
 */
#include "location/cel_library/testing.h"

static const struct library_case ordered_cases[] = {
    {"[1, 2, 2].isSorted() && !['b', 'a'].isSorted() && [].isSorted()", "true", 4},
    {"[double('nan'), 1.0].isSorted()", "true", 2},
    {"[[3, 1, 2].min(), [3, 1, 2].max(), [3, 1, 2].sum()]", "[1, 3, 6]", 19},
    {"[dyn(1.5), dyn(2.5)].sum()", "4", 2},
    {"[duration('1s'), duration('1m')].sum()", "61s", 2},
    {"[].sum()", "0", 0},
    {"[].min()", "! min called on empty list", 0},
    {"[dyn(1), dyn('a')].sum()", "! no such overload", 0},
    {"[null].max()", "! no such overload: max(list)", 0},
    {"[9223372036854775807, 1].sum()", "! integer overflow", 0},
    {"['b', 'a', 'c', 'a'].sort()", "[a, a, b, c]", 44},
    {"lists.range(100).map(x, (x * 37) % 101).sort().isSorted()", "true", 0},
    {"lists.range(40).sortBy(x, x % 2).slice(18, 22)", "[36, 38, 1, 3]", 0},
    {"[double('nan'), 1.0].sort()", "[NaN, 1]", 0},
    {"[dyn(1), dyn('a')].sort()", "! list elements must have the same type", 0},
    {"[1, 2].sortBy(x, null)", "! list elements must be comparable", 0},
    {"dyn(1).sort()", "! no such overload: sort", 0},
};

static void ordered(void **state) {
    (void)state;
    check_cases(ordered_cases, FX_COUNT(ordered_cases));
}

static const struct library_case made_cases[] = {
    {"[1, 2, 3].slice(1, 3)", "[2, 3]", 13},
    {"[1].slice(-1, 1)", "! cannot slice(-1, 1), negative indexes not supported", 0},
    {"[1].slice(1, 0)",
     "! cannot slice(1, 0), start index must be less than or equal to end index", 0},
    {"[1].slice(0, 2)", "! cannot slice(0, 2), list is length 1", 0},
    {"[1, 2].reverse()", "[2, 1]", 13},
    {"[[1], [2, 3]].flatten()", "[1, 2, 3]", 13},
    {"[dyn([dyn(1), dyn([2])]), dyn(3)].flatten(2)", "[1, 2, 3]", 15},
    {"[[1]].flatten(0)", "[[1]]", 11},
    {"[1].flatten(-1)", "! level must be non-negative", 0},
    {"[1].flatten(9223372036854775807)",
     "! operation cancelled: actual cost limit exceeded", 0},
    {"lists.range(3)", "[0, 1, 2]", 14},
    {"lists.range(-1)", "[]", 11},
    {"lists.range(9223372036854775807)",
     "! operation cancelled: actual cost limit exceeded", 0},
    {"[dyn(1), dyn(2), dyn(1), dyn(2u)].distinct()", "[1, 2]", 0},
    {"['a', 'a'].distinct()", "[a]", 19},
    {"[[1, 2, 1].indexOf(1), [1, 2, 1].lastIndexOf(1), [1].indexOf(2)]", "[0, 2, -1]", 0},
    {"[[1, 2].first(), [1, 2].last(), [].first()]", "[optional 1, optional 2, optional ]",
     13},
};

static void made(void **state) {
    (void)state;
    check_cases(made_cases, FX_COUNT(made_cases));
}

static const struct library_case sets_cases[] = {
    {"sets.contains([1, 2, 3], [3, 1, 1])", "true", 10},
    {"sets.contains([1], [1, 2])", "false", 3},
    {"sets.equivalent([1, 2, 1], [2, 1])", "true", 13},
    {"sets.equivalent([1, 2], [1])", "false", 5},
    {"sets.intersects([1, 2], [3, 2])", "true", 5},
    {"sets.intersects([1], [])", "false", 1},
};

static void sets(void **state) {
    (void)state;
    check_cases(sets_cases, FX_COUNT(sets_cases));
}

static const struct library_case optionals_cases[] = {
    {"optional.of(1).value() + (optional.none().hasValue() ? 1 : 2)", "3", 5},
    {"optional.none().value()", "! optional.none() dereference", 0},
    {"[dyn(0), dyn(''), dyn([]), dyn({}), dyn(null), dyn(0.0), dyn(false), "
     "dyn(duration('0s')), dyn(timestamp('0001-01-01T00:00:00Z'))]"
     ".exists(x, optional.ofNonZeroValue(x).hasValue())",
     "false", 0},
    {"[dyn(1), dyn('a'), dyn([0]), dyn({0: 0}), dyn(true), dyn(timestamp(0)), dyn(int), "
     "dyn(optional.none())].all(x, optional.ofNonZeroValue(x).hasValue())",
     "true", 0},
    {"optional.unwrap([optional.of(1), optional.none()])", "[1]", 0},
    {"[optional.none(), optional.of(2)].unwrapOpt()", "[2]", 0},
    {"dyn([1]).unwrapOpt()", "! no such overload: unwrapOpt(list)", 0},
};

static void optionals(void **state) {
    (void)state;
    check_cases(optionals_cases, FX_COUNT(optionals_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordered),
        cmocka_unit_test(made),
        cmocka_unit_test(sets),
        cmocka_unit_test(optionals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
