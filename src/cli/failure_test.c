/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/failure_test.c - messages on mutations that do not converge, and warnings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/emit.h"

static void test_a_cycle_names_its_mutators(void **state) {
    (void)state;
    char kind[] = "AssignImage";
    char names[2][2] = {"a", "\033"};
    char file[] = "policies/a.yaml";
    struct fx_mutator mutators[2] = {
        {.kind = kind, .name = names[0], .full_name = names[0], .origin = {file, 3}},
        {.kind = kind, .name = names[1], .full_name = names[1]},
    };
    struct fx_mutator *list[] = {&mutators[0], &mutators[1]};
    const struct fx_snapshot snapshot = {.mutators = list, .n_mutators = 2};
    struct fx_cycle_mutator cycle[] = {{0, FX_TEXT("/spec/x")},
                                       {1, FX_TEXT("/spec/\ny")}};
    const struct fx_outcome outcome = {.cycle = cycle, .n_cycle = 2};
    const struct fx_review_result result = {.outcome = &outcome, .snapshot = &snapshot};

    struct fx_input_object object = {.file = "pods.yaml", .line = 7};
    object.root = json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", "v1", "kind", "Pod",
                            "metadata", "generateName", "web-", "namespace", "shop");
    assert_non_null(object.root);
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail(&err, FX_ENOCONVERGE, "mutation not converging");

    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_failure_print(&buf, &object, &result, &err, false);
    assert_string_equal(buf.data,
                        "pods.yaml:7: error: Pod/shop/web-*: mutation not converging\n"
                        "  these mutators keep changing it, in this order:\n"
                        "    AssignImage/a  /spec/x  (policies/a.yaml:3)\n"
                        "    AssignImage/␛  /spec/␊y\n");
    fx_buf_finish(&buf);
    json_decref(object.root);
}

static void test_who_warns_and_audits(void **state) {
    (void)state;
    char kind[] = "Rule";
    char names[3][2] = {"a", "b", "c"};
    char file[] = "rules.yaml";
    struct fx_mutator mutators[3] = {
        {.kind = kind, .name = names[0], .full_name = names[0], .origin = {file, 3}},
        {.kind = kind, .name = names[1], .full_name = names[1]},
        {.kind = kind, .name = names[2], .full_name = names[2]},
    };
    struct fx_mutator *list[] = {&mutators[0], &mutators[1], &mutators[2]};
    const struct fx_snapshot snapshot = {.mutators = list, .n_mutators = 3};
    struct fx_violation violations[] = {
        {.mutator = 0, .action = FX_ACTION_WARN, .entry = FX_TEXT("no owner")},
        {.mutator = 1, .action = FX_ACTION_AUDIT, .entry = FX_TEXT("old image")},
        {.mutator = 2, .action = FX_ACTION_DENY, .entry = FX_TEXT("printed elsewhere")},
    };
    struct fx_skipped_mutator skipped[] = {
        {.mutator = 2, .pass = 1, .fails = true, .message = "it broke"}};
    const struct fx_outcome outcome = {
        .violations = violations, .n_violations = 3, .skipped = skipped, .n_skipped = 1};
    const struct fx_review_result result = {.outcome = &outcome, .snapshot = &snapshot};
    struct fx_input_object object = {.file = "pods.yaml", .line = 7};
    object.root = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Pod",
                            "metadata", "name", "web");
    assert_non_null(object.root);
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_failure_print_drops(&buf, &object, &result, false);
    assert_string_equal(buf.data,
                        "rules.yaml:3: warning: Rule/a: Pod/web: no owner\n"
                        "pods.yaml:7: warning: Rule/b: Pod/web: audit: old image\n"
                        "pods.yaml:7: warning: Rule/c: skipped for Pod/web: it broke\n");
    fx_buf_finish(&buf);
    json_decref(object.root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cycle_names_its_mutators),
        cmocka_unit_test(test_who_warns_and_audits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
