/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/path_tests_test.c - which path tests are accepted, and what passes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/macros.h"
#include "location/gatekeeper/path_tests.h"
#include "location/gatekeeper/testing.h"

#define MAX_ENTRIES 4

/* Compiles up to three pairs of sub path and condition. */
static struct fx_path_tests *compile(const char *location_text,
                                     const char *const pairs[2 * MAX_ENTRIES],
                                     struct fx_err *err) {
    struct fx_location *location = must_parse(location_text);
    struct fx_location *paths[MAX_ENTRIES] = {0};
    struct fx_path_test_entry entries[MAX_ENTRIES];
    size_t count = 0;
    for (; count < MAX_ENTRIES && pairs[2 * count] != NULL; count++) {
        paths[count] = must_parse(pairs[2 * count]);
        entries[count] =
            (struct fx_path_test_entry){paths[count], fx_text_of(pairs[2 * count + 1])};
    }
    struct fx_path_tests *tests = NULL;
    const bool ok = fx_path_tests_compile(location, entries, count, &tests, err);
    assert_true(ok == (tests != NULL));
    for (size_t i = 0; i < count; i++) {
        fx_location_destroy(paths[i]);
    }
    fx_location_destroy(location);
    return tests;
}

#define PREFIX_RULE \
    "all subpaths must be a prefix of the `location` value of the mutation: "
#define CONFLICT "conflicting path test conditions: path "

/* Without `msg`: accepted. */
static const struct {
    const char *location;
    const char *pairs[2 * MAX_ENTRIES];
    const char *msg;
    uint32_t entry;
} rules[] = {
    {"spec.a.b", {NULL}, NULL, 0},
    {"spec.a.b", {"spec.a", "MustExist"}, NULL, 0},
    {"spec.a.b", {"spec.a.b", "MustNotExist"}, NULL, 0},
    {"spec.a.b", {"spec.a", "MustExist", "spec.a", "MustExist"}, NULL, 0},
    {"spec.a.b", {"", "MustExist"}, NULL, 0},
    {"spec.a.b", {"spec", "MustExist", "spec.a.b", "MustNotExist"}, NULL, 0},
    {"spec.a.b",
     {"spec", "MustExist", "spec.b", "MustExist"},
     PREFIX_RULE "subpath \"spec.b\" is not a prefix of location \"spec.a.b\"",
     1},
    {"spec.l[k: 5].n",
     {"spec.l[k: '5']", "MustExist"},
     PREFIX_RULE "subpath \"spec.l[k: \\\"5\\\"]\" is not a prefix of location "
                 "\"spec.l[k: 5].n\"",
     0},
    {"spec.a.b",
     {"spec.a", "MustExist", "spec.a", "MustNotExist"},
     CONFLICT "\"spec.a\" is marked both MustExist and MustNotExist",
     0},
    {"spec.a.b",
     {"", "MustExist", "", "MustNotExist"},
     CONFLICT "\"\" is marked both MustExist and MustNotExist",
     0},
    /* Two depths: the message names the first entry that differs from the last of its
     * depth. */
    {"spec.a.b",
     {"spec", "MustExist", "spec.a", "MustNotExist", "spec.a", "MustExist", "spec",
      "MustNotExist"},
     CONFLICT "\"spec\" is marked both MustExist and MustNotExist",
     0},
    {"spec.a.b",
     {"spec", "MustExist", "spec.a", "MustExist", "spec.a", "MustNotExist", "spec",
      "MustExist"},
     CONFLICT "\"spec.a\" is marked both MustExist and MustNotExist",
     1},
    {"spec.a.b",
     {"spec.a", "MustExist", "spec", "MustNotExist", "spec.a", "MustNotExist", "spec.a",
      "MustExist"},
     CONFLICT "\"spec.a\" is marked both MustExist and MustNotExist",
     2},
    /* Unknown conditions are compared as texts. */
    {"spec.a.b",
     {"spec", "MustExist", "spec.a", "Exists", "spec.a", "mustExist"},
     CONFLICT "\"spec.a\" is marked both MustExist and MustNotExist",
     1},
    {"spec.a.b",
     {"spec.a", "MustNotExist", "spec.a", ""},
     CONFLICT "\"spec.a\" is marked both MustExist and MustNotExist",
     0},
    {"spec.a.b", {"spec.a", "Exists", "spec.a", "Exists", "spec", "exists"}, NULL, 0},
    /* The rule of parents, which compares indexes of entries. */
    {"spec.a.b", {"spec.a.b", "MustExist", "spec.a", "MustNotExist"}, NULL, 0},
    {"spec.a.b",
     {"spec.a.b", "MustNotExist", "spec.a", "MustExist"},
     CONFLICT "\"spec.a\" is marked MustExist but parent <nil> MustNotExist",
     1},
    {"spec.a.b",
     {"spec", "MustNotExist", "spec.a", "MustNotExist", "spec.a.b", "MustExist"},
     CONFLICT "\"spec.a.b\" is marked MustExist but parent \"spec\" MustNotExist",
     2},
    {"spec.a.b",
     {"spec.a.b", "MustNotExist", "", "MustExist"},
     CONFLICT "<nil> is marked MustExist but parent <nil> MustNotExist",
     1},
};

static void follows_the_rules(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rules); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_path_tests *tests = compile(rules[i].location, rules[i].pairs, &err);
        assert_true((tests != NULL) == (rules[i].msg == NULL));
        if (tests == NULL) {
            assert_string_equal(err.msg, rules[i].msg);
            assert_int_equal(err.code, FX_EINVALID);
            assert_int_equal(err.off, rules[i].entry);
        }
        fx_path_tests_destroy(tests);
    }
}

static void reads_conditions(void **state) {
    (void)state;
    assert_int_equal(fx_path_test_parse(FX_TEXT("MustExist")), FX_PATH_TEST_MUST_EXIST);
    assert_int_equal(fx_path_test_parse(FX_TEXT("MustNotExist")),
                     FX_PATH_TEST_MUST_NOT_EXIST);
    assert_int_equal(fx_path_test_parse(FX_TEXT("")), FX_PATH_TEST_NEVER);
    assert_int_equal(fx_path_test_parse(FX_TEXT("mustExist")), FX_PATH_TEST_NEVER);
}

static void passes_by_depth(void **state) {
    (void)state;
    const char *const pairs[2 * MAX_ENTRIES] = {"spec",         "MustExist",    "spec.l",
                                                "MustNotExist", "spec.l[k: v]", "never"};
    struct fx_err err = FX_ERR_INIT;
    struct fx_path_tests *tests = compile("spec.l[k: v].x", pairs, &err);
    assert_non_null(tests);
    const bool expected[][2] = {
        {false, true}, {true, false}, {false, false}, {true, true}, {true, true}};
    for (size_t depth = 0; depth < FX_COUNT(expected); depth++) {
        assert_true(fx_path_tests_pass(tests, depth, false) == expected[depth][0]);
        assert_true(fx_path_tests_pass(tests, depth, true) == expected[depth][1]);
    }
    assert_true(fx_path_tests_pass(NULL, 0, true));
    fx_path_tests_destroy(tests);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_rules),
        cmocka_unit_test(reads_conditions),
        cmocka_unit_test(passes_by_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
