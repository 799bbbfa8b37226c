/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/quarantine_test.c - who is disabled by it, and until when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/fake_mutator.h"
#include "engine/policy_text.h"
#include "engine/snapshot.h"

static struct fx_mutator *make(const char *name, const char *source) {
    const struct fake_plan plan = {.name = name, .set_key = "x", .set_value = "1"};
    struct fake *fake = fake_create(&plan);
    assert_non_null(fake);
    if (source != NULL) {
        json_t *policy = fake_json(source);
        fake->head.policy = fx_policy_text_create(policy);
        assert_non_null(fake->head.policy);
        json_decref(policy);
    }
    return &fake->head;
}

static struct fx_snapshot *build(struct fx_mutator *const *mutators, size_t n,
                                 struct fx_quarantine *quarantine) {
    const struct fx_snapshot_parts parts = {
        .mutators = mutators, .n_mutators = n, .quarantine = quarantine};
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    return snapshot;
}

static struct fx_quarantine *quarantine_of(struct fx_mutator *mutator) {
    struct fx_quarantine *quarantine = fx_quarantine_create(1);
    assert_non_null(quarantine);
    fx_quarantine_add(quarantine, &(struct fx_quarantined){.mutator = mutator,
                                                           .reason = FX_FAILURE_FAILED,
                                                           .times = 3});
    return quarantine;
}

static size_t count_candidates(const struct fx_snapshot *snapshot) {
    struct fx_candidates candidates = {0};
    struct fx_err err = FX_ERR_INIT;
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    const struct fx_subject subject = {.version = FX_TEXT("v1"), .kind = FX_TEXT("Pod")};
    assert_true(fx_snapshot_candidates(snapshot, &request, &subject, &candidates, &err));
    const size_t n = candidates.n_indices;
    assert_true(fx_snapshot_all(snapshot, &candidates, &err));
    assert_int_equal(candidates.n_indices, n);
    fx_candidates_finish(&candidates);
    return n;
}

static void test_disabled(void **state) {
    (void)state;
    struct fx_mutator *mutators[] = {make("b", NULL), make("a", NULL), make("c", NULL)};
    struct fx_quarantine *quarantine = quarantine_of(mutators[0]);
    struct fx_snapshot *snapshot = build(mutators, 3, quarantine);
    assert_int_equal(count_candidates(snapshot), 2);
    assert_false(fx_snapshot_is_disabled(snapshot, 0));
    assert_true(fx_snapshot_is_disabled(snapshot, 1));
    assert_null(fx_snapshot_quarantined(snapshot, 2));
    fx_quarantine_unref(quarantine);
    const struct fx_quarantined *member = fx_snapshot_quarantined(snapshot, 1);
    assert_non_null(member);
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_quarantined_print(&text, member);
    assert_string_equal(text.data,
                        "quarantined after 3 failures in a row, the last one because "
                        "its match or mutation failed");
    fx_buf_finish(&text);
    fx_snapshot_unref(snapshot);
    snapshot = build(mutators, 3, NULL);
    assert_int_equal(count_candidates(snapshot), 3);
    assert_false(fx_snapshot_is_disabled(snapshot, 1));
    assert_null(fx_snapshot_quarantined(snapshot, 1));
    fx_snapshot_unref(snapshot);
    for (size_t i = 0; i < 3; i++) {
        fx_mutator_unref(mutators[i]);
    }
}

static void test_until_the_policy_changes(void **state) {
    (void)state;
    static const char before[] = "{\"metadata\": {\"uid\": \"u\", \"resourceVersion\": "
                                 "\"1\"}, \"spec\": {\"x\": 1}}";
    static const struct {
        const char *name, *source;
        bool disabled;
    } cases[] = {
        {"a", before, true},
        {"a", "{\"metadata\": {\"uid\": \"u\", \"labels\": {}}, \"spec\": {\"x\": 1}}",
         true},
        {"a", "{\"metadata\": {\"uid\": \"u\"}, \"spec\": {\"x\": 2}}", false},
        {"a", "{\"metadata\": {\"uid\": \"v\"}, \"spec\": {\"x\": 1}}", false},
        {"a", "{\"spec\": {\"x\": 1}}", false},
        {"a", "{\"metadata\": {\"uid\": \"u\"}}", false},
        {"b", before, false},
    };
    struct fx_mutator *old = make("a", before);
    struct fx_quarantine *quarantine = quarantine_of(old);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_mutator *mutator = make(cases[i].name, cases[i].source);
        struct fx_snapshot *snapshot = build(&mutator, 1, quarantine);
        assert_int_equal(fx_snapshot_is_disabled(snapshot, 0), cases[i].disabled);
        fx_snapshot_unref(snapshot);
        fx_mutator_unref(mutator);
    }
    fx_mutator_unref(old);
    fx_quarantine_unref(quarantine);
    fx_quarantine_unref(NULL);
    assert_null(fx_quarantine_ref(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disabled),
        cmocka_unit_test(test_until_the_policy_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
