/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/objects_test.c - policies that come as objects, as those of a cluster do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "policy/policies_testing.h"
#include "value/json.h"

/* With an unknown field, so that there is a finding about it. */
#define OBJECT(name, location)                                                         \
    "{\"apiVersion\":\"mutations.gatekeeper.sh/v1\",\"kind\":\"Assign\",\"metadata\":" \
    "{\"name\":\"" name                                                                \
    "\"},\"spec\":{\"applyTo\":[{\"groups\":[\"\"],\"versions\":[\"v1\"],"             \
    "\"kinds\":[\"Pod\"]}],\"location\":\"" location                                   \
    "\",\"parameters\":{\"assign\":{\"value\":\"x\"}},\"oops\":1}}"
#define WARNING(name) name ": warning: Assign/" name ": unknown field \"spec.oops\"\n"

static struct fx_policy_text *read_object(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *object = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(object);
    struct fx_policy_text *written = fx_policy_text_create(object);
    assert_non_null(written);
    json_decref(object);
    return written;
}

static void objects_have_findings_without_lines(void **state) {
    (void)state;
    struct fx_policy_text *good = read_object(OBJECT("pull", "spec.x"));
    struct fx_policy_text *bad = read_object(OBJECT("bad", "spec.["));
    const struct fx_policy_input inputs[] = {{.file = "bad", .object = bad},
                                             {.file = "pull", .object = good}};
    struct fx_policies *policies = build(inputs, 2, NULL);
    assert_int_equal(policies->snapshot->n_mutators, 1);
    assert_int_equal(fx_findings_count(&policies->findings, FX_SEVERITY_ERROR), 1);
    const struct fx_finding *first = &policies->findings.items[0];
    assert_string_equal(first->file, "bad");
    assert_int_equal(first->line, 0);
    fx_policies_unref(policies);
    fx_policy_text_unref(good);
    fx_policy_text_unref(bad);
}

/* The pointers verify it: an equal object is compiled again and then shared, the same one
 * is not compiled; both give the same findings. */
static void the_same_object_is_not_compiled_again(void **state) {
    (void)state;
    struct fx_policy_text *pull = read_object(OBJECT("pull", "spec.x"));
    struct fx_policy_text *zone = read_object(OBJECT("zone", "spec.y"));
    struct fx_policy_text *alpha = read_object(OBJECT("alpha", "spec.z"));
    const struct fx_policy_input before[] = {{.file = "pull", .object = pull},
                                             {.file = "zone", .object = zone}};
    struct fx_policies *first = build(before, 2, NULL);
    expect_findings(first, WARNING("pull") WARNING("zone"));

    const struct fx_policy_input after[] = {{.file = "alpha", .object = alpha},
                                            {.file = "pull", .object = pull},
                                            {.file = "zone", .object = zone}};
    struct fx_policies *second = build(after, 3, first);
    expect_findings(second, WARNING("alpha") WARNING("pull") WARNING("zone"));
    assert_ptr_equal(second->files[1].units[0], first->files[0].units[0]);
    assert_ptr_equal(second->files[2].units[0], first->files[1].units[0]);

    /* And it is the pointer that counts: who compiled an equal one has the former's. */
    struct fx_policy_text *equal = read_object(OBJECT("pull", "spec.x"));
    const struct fx_policy_input again[] = {{.file = "pull", .object = equal}};
    struct fx_policies *third = build(again, 1, second);
    expect_findings(third, WARNING("pull"));
    assert_ptr_equal(third->files[0].units[0], first->files[0].units[0]);
    assert_ptr_equal(third->files[0].units[0]->policy, pull);
    fx_policy_text_unref(equal);
    fx_policies_unref(first);
    fx_policies_unref(second);
    fx_policies_unref(third);
    fx_policy_text_unref(pull);
    fx_policy_text_unref(zone);
    fx_policy_text_unref(alpha);
}

/* Of thousands of policies each is there once. */
static void an_object_and_its_mutator_are_one_text(void **state) {
    (void)state;
    struct fx_policy_text *pull = read_object(OBJECT("pull", "spec.x"));
    const struct fx_policy_input input = {.file = "pull", .object = pull};
    struct fx_policies *policies = build(&input, 1, NULL);
    assert_ptr_equal(policies->snapshot->mutators[0]->policy, pull);
    assert_ptr_equal(policies->files[0].object, pull);
    fx_policy_text_unref(pull);
    fx_policies_unref(policies);
}

/* An update that does not compile leaves the version before active, for as long as it
 * stays: also in a build in which the bad update did not change. */
static void a_bad_update_leaves_the_version_before(void **state) {
    (void)state;
    struct fx_policy_text *good = read_object(OBJECT("pull", "spec.x"));
    struct fx_policy_text *bad = read_object(OBJECT("pull", "spec.["));
    const struct fx_policy_input before = {.file = "pull", .object = good};
    const struct fx_policy_input after = {.file = "pull", .object = bad};
    struct fx_policies *first = build(&before, 1, NULL);
    struct fx_policies *second = build(&after, 1, first);
    struct fx_policies *third = build(&after, 1, second);
    struct fx_policies *of_three[] = {first, second, third};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(of_three[i]->snapshot->n_mutators, 1);
        assert_ptr_equal(of_three[i]->snapshot->mutators[0],
                         first->snapshot->mutators[0]);
        assert_int_equal(fx_findings_count(&of_three[i]->findings, FX_SEVERITY_ERROR),
                         i == 0 ? 0 : 1);
    }
    assert_non_null(strstr(third->findings.items[0].text, "previous version stays"));
    for (size_t i = 0; i < 3; i++) {
        fx_policies_unref(of_three[i]);
    }
    fx_policy_text_unref(good);
    fx_policy_text_unref(bad);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_have_findings_without_lines),
        cmocka_unit_test(the_same_object_is_not_compiled_again),
        cmocka_unit_test(an_object_and_its_mutator_are_one_text),
        cmocka_unit_test(a_bad_update_leaves_the_version_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
