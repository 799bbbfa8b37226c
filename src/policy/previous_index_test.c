/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous_index_test.c - files found again, in whatever order they
 * are asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/build.h"
#include "policy/policies_testing.h"

#define NONE SIZE_MAX

static struct fx_policies *build_named(const char *const *names, size_t n_names) {
    struct fx_policy_input inputs[8] = {0};
    assert_in_range(n_names, 1, FX_COUNT(inputs));
    for (size_t i = 0; i < n_names; i++) {
        inputs[i].file = names[i];
    }
    return build(inputs, n_names, NULL);
}

static void expect_file(struct fx_previous_index *index, const char *name, size_t at) {
    const struct fx_policy_file *file = NULL;
    assert_true(fx_previous_index_find_file(index, name, &file));
    assert_ptr_equal(file, at == NONE ? NULL : &index->policies->files[at]);
}

static void files_by_name(void **state) {
    (void)state;
    static const char *const names[] = {"m", "z", "a", "k"};
    struct fx_policies *policies = build_named(names, FX_COUNT(names));
    struct fx_previous_index index = {.policies = policies};
    expect_file(&index, "m", 0);
    expect_file(&index, "z", 1);
    assert_null(index.files); /* all where they were: nothing is sorted */
    expect_file(&index, "b", NONE);
    expect_file(&index, "a", 2);
    expect_file(&index, "k", 3);
    expect_file(&index, "m", 0);
    expect_file(&index, "k", 3);
    expect_file(&index, "a", 2);
    expect_file(&index, "", NONE);
    expect_file(&index, "zz", NONE);
    fx_previous_index_finish(&index);
    fx_policies_unref(policies);
}

/* As flags have, which may be given several times. */
static void files_of_one_name_in_turn(void **state) {
    (void)state;
    static const char *const names[] = {"--x", "b", "--x", "--x", "a"};
    struct fx_policies *policies = build_named(names, FX_COUNT(names));
    struct fx_previous_index index = {.policies = policies};
    expect_file(&index, "--x", 0);
    expect_file(&index, "--x", 2);
    expect_file(&index, "--x", 3);
    expect_file(&index, "--x", 0); /* more of them now than then */
    expect_file(&index, "a", 4);
    expect_file(&index, "--x", 0);
    expect_file(&index, "b", 1);
    expect_file(&index, "--x", 2);
    fx_previous_index_finish(&index);
    fx_policies_unref(policies);
}

static void nothing_before(void **state) {
    (void)state;
    struct fx_previous_index index = {0};
    const struct fx_policy_file *file = NULL;
    assert_true(fx_previous_index_find_file(&index, "a", &file));
    assert_null(file);
    fx_previous_index_finish(&index);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_by_name),
        cmocka_unit_test(files_of_one_name_in_turn),
        cmocka_unit_test(nothing_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
