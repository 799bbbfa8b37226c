/* SPDX-License-Identifier: Apache-2.0
 *
 * server/active_policies_test.c - what mutators did, in metrics; who is taken out for it,
 * and who comes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "policy/policies_testing.h"
#include "server/active_policies.h"

#define A(value) ASSIGN("a", "spec.a", value)
#define B        ASSIGN("b", "spec.b", "x")
#define C        ASSIGN("c", "spec.c", "x")

struct fixture {
    struct fx_metrics metrics;
    struct fx_active_policies *active;
    struct fx_policies *source; /* the version given last */
    size_t n_told, n_offered, n_struck;
};

static void on_quarantine(struct fx_policies *policies, void *user) {
    struct fixture *fixture = user;
    struct fx_policies *now = fx_active_policies_get(fixture->active);
    assert_ptr_equal(policies, now);
    fx_policies_unref(now);
    fixture->n_told++;
}

static void give(struct fixture *fixture, const char *text) {
    struct fx_policies *made = build_one(text, fixture->source);
    fx_active_policies_set(fixture->active, made, .002);
    fx_policies_unref(fixture->source);
    fixture->source = made;
}

static void begin(struct fixture *fixture, size_t after, uint64_t budget_ms,
                  size_t max_mutators, const char *text) {
    *fixture = (struct fixture){.n_told = 0};
    assert_true(fx_metrics_init(&fixture->metrics, 2));
    const struct fx_active_policies_options options = {
        .quarantine_after = after,
        .quarantine_budget_ms = budget_ms,
        .max_mutators = max_mutators,
        .on_quarantine = on_quarantine,
        .user = fixture,
    };
    fixture->active = fx_active_policies_create(&options, &fixture->metrics);
    assert_non_null(fixture->active);
    assert_null(fx_active_policies_get(fixture->active));
    give(fixture, text);
}

static void end(struct fixture *fixture) {
    fx_active_policies_destroy(fixture->active);
    fx_policies_unref(fixture->source);
    fx_metrics_finish(&fixture->metrics);
}

/* A review with the active policies that ended with this code. */
static void review(struct fixture *fixture, struct fx_mutator_stats *stats,
                   size_t n_stats, enum fx_code code) {
    struct fx_policies *now = fx_active_policies_get(fixture->active);
    struct fx_cycle_mutator cycle[4];
    const struct fx_err failure = {.code = code};
    struct fx_outcome outcome = {.stats = stats, .n_stats = n_stats, .cycle = cycle};
    for (size_t i = 0; i < n_stats && stats[i].changed; i++) {
        cycle[outcome.n_cycle++] = (struct fx_cycle_mutator){.mutator = stats[i].mutator};
    }
    const struct fx_review_result result = {
        .outcome = &outcome,
        .snapshot = now->snapshot,
        .failure = code == FX_OK ? NULL : &failure,
    };
    fx_active_policies_record(fixture->active, 0, &result);
    fx_policies_unref(now);
}

static void fail_one(struct fixture *fixture, uint32_t mutator) {
    struct fx_mutator_stats entry = {.mutator = mutator, .matched = true, .failed = true};
    review(fixture, &entry, 1, FX_EMUTATE);
}

static void match_one(struct fixture *fixture, uint32_t mutator, uint64_t ns) {
    struct fx_mutator_stats entry = {.mutator = mutator, .matched = true, .ns = ns};
    review(fixture, &entry, 1, FX_OK);
}

/* "a" or "ab": the names of those disabled. */
static void expect_out(const struct fixture *fixture, const char *names) {
    struct fx_policies *now = fx_active_policies_get(fixture->active);
    char got[8] = "";
    size_t n = 0;
    for (size_t i = 0; i < now->snapshot->n_mutators; i++) {
        if (fx_snapshot_is_disabled(now->snapshot, i)) {
            got[n++] = now->snapshot->mutators[i]->name[0];
        }
    }
    assert_string_equal(got, names);
    fx_policies_unref(now);
}

static void expect_line(const struct fixture *fixture, const char *line, bool there) {
    struct fx_buf buf = {0};
    fx_registry_print(fixture->metrics.registry, &buf);
    assert_false(buf.failed);
    if (fx_text_contains(fx_buf_view(&buf), fx_text_of(line)) != there) {
        fail_msg("%s `%s` in:\n%s", there ? "no" : "there is", line, buf.data);
    }
    fx_buf_finish(&buf);
}

#define OF(name) "{group=\"mutations.gatekeeper.sh\",kind=\"Assign\",name=\"" name "\"}"

static void test_what_mutators_did(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 0, 0, 0, A("x") NEXT B);
    struct fx_mutator_stats stats[] = {
        {0, .matched = true, .applied = true, .changed = true, .ns = 1500000},
        {1, .matched = true, .ns = 500000},
    };
    review(&fixture, stats, 2, FX_OK);
    review(&fixture, stats, 2, FX_OK);
    fail_one(&fixture, 1);
    expect_line(&fixture, "fixpoint_mutator_matched_total" OF("a") " 2\n", true);
    expect_line(&fixture, "fixpoint_mutator_applied_total" OF("a") " 2\n", true);
    expect_line(&fixture, "fixpoint_mutator_changed_total" OF("a") " 2\n", true);
    expect_line(&fixture, "fixpoint_mutator_errors_total" OF("a") " 0\n", true);
    expect_line(&fixture, "fixpoint_mutator_seconds_total" OF("a") " 0.003\n", true);
    expect_line(&fixture, "fixpoint_mutator_matched_total" OF("b") " 3\n", true);
    expect_line(&fixture, "fixpoint_mutator_errors_total" OF("b") " 1\n", true);
    expect_line(&fixture, "name=\"other\"", false);
    expect_out(&fixture, "");
    end(&fixture);
}

static void test_series_come_and_go(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 0, 0, 2, A("x") NEXT B);
    match_one(&fixture, 1, 0);
    give(&fixture, A("y") NEXT B NEXT C);
    match_one(&fixture, 2, 0); /* one too many */
    expect_line(&fixture, "fixpoint_mutator_matched_total" OF("b") " 1\n", true);
    expect_line(&fixture,
                "matched_total{group=\"other\",kind=\"other\",name=\"other\"} 1\n", true);
    struct fx_policies *before = fx_active_policies_get(fixture.active);
    give(&fixture, B NEXT C);
    expect_line(&fixture, OF("a"), false);
    expect_line(&fixture, "fixpoint_mutator_matched_total" OF("b") " 1\n", true);
    expect_line(&fixture, "fixpoint_mutator_matched_total" OF("c") " 0\n", true);
    /* a review that began before is counted by names */
    struct fx_mutator_stats stats[] = {{.mutator = 0, .matched = true},
                                       {.mutator = 1, .matched = true}};
    const struct fx_outcome outcome = {.stats = stats, .n_stats = 2};
    fx_active_policies_record(
        fixture.active, 0,
        &(struct fx_review_result){.outcome = &outcome, .snapshot = before->snapshot});
    fx_policies_unref(before);
    expect_line(&fixture, "fixpoint_mutator_matched_total" OF("b") " 2\n", true);
    expect_line(&fixture,
                "matched_total{group=\"other\",kind=\"other\",name=\"other\"} 2\n", true);
    end(&fixture);
}

static void test_gauges(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 1, 0, 0,
          A("x") NEXT B NEXT ASSIGN("c", "spec.l.image", "x")
              NEXT ASSIGN("d", "'spec.l[name: *].image'", "x")
                  NEXT ASSIGN("e", "'['", "x"));
    fail_one(&fixture, 0);
    expect_line(&fixture, "gatekeeper_mutators{status=\"active\"} 1\n", true);
    expect_line(&fixture, "gatekeeper_mutators{status=\"error\"} 4\n", true);
    expect_line(&fixture, "gatekeeper_mutator_conflicting_count 2\n", true);
    expect_line(&fixture, "fixpoint_mutators_quarantined 1\n", true);
    expect_line(&fixture, "fixpoint_policy_generation 7\n", true);
    expect_line(&fixture, "fixpoint_policy_findings{severity=\"error\"} 1\n", true);
    expect_line(&fixture, "fixpoint_policy_findings{severity=\"conflict\"} 2\n", true);
    expect_line(&fixture, "gatekeeper_mutator_ingestion_count{status=\"active\"} 4\n",
                true);
    expect_line(&fixture, "gatekeeper_mutator_ingestion_count{status=\"error\"} 1\n",
                true);
    expect_line(&fixture, "ingestion_duration_seconds_sum{status=\"active\"} 0.008\n",
                true);
    end(&fixture);
}

/* Those that did not change are not taken in again. */
static void test_ingestion(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 0, 0, 0, A("x") NEXT B);
    give(&fixture, A("x") NEXT ASSIGN("b", "spec.b", "y") NEXT C);
    expect_line(&fixture, "gatekeeper_mutator_ingestion_count{status=\"active\"} 4\n",
                true);
    end(&fixture);
}

static void test_so_many_in_a_row(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 3, 0, 0, A("x") NEXT B);
    fail_one(&fixture, 0);
    fail_one(&fixture, 0);
    match_one(&fixture, 1, 0); /* another one's: nothing to do with it */
    match_one(&fixture, 0, 0); /* not in a row */
    fail_one(&fixture, 0);
    fail_one(&fixture, 0);
    expect_out(&fixture, "");
    assert_int_equal(fixture.n_told, 0);
    fail_one(&fixture, 0);
    expect_out(&fixture, "a");
    assert_int_equal(fixture.n_told, 1);
    struct fx_policies *now = fx_active_policies_get(fixture.active);
    assert_int_equal(fx_snapshot_quarantined(now->snapshot, 0)->times, 3);
    assert_int_equal(now->snapshot->generation, 7);
    assert_int_equal(now->n_files, 1);
    fx_policies_unref(now);
    end(&fixture);
}

static void test_never(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 0, 1, 0, A("x"));
    for (int i = 0; i < 100; i++) {
        fail_one(&fixture, 0);
    }
    expect_out(&fixture, "");
    end(&fixture);
}

static void test_until_its_policy_changes(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 1, 0, 0, A("x") NEXT B);
    fail_one(&fixture, 0);
    give(&fixture, A("x") NEXT B NEXT C);
    expect_out(&fixture, "a");
    give(&fixture, "\n" A("x") NEXT C); /* another line, the same policy */
    expect_out(&fixture, "a");
    expect_line(&fixture, "fixpoint_mutators_quarantined 1\n", true);
    give(&fixture, A("y") NEXT C);
    expect_out(&fixture, "");
    expect_line(&fixture, "fixpoint_mutators_quarantined 0\n", true);
    give(&fixture, A("x") NEXT C); /* forgotten is forgotten */
    expect_out(&fixture, "");
    fail_one(&fixture, 0);
    expect_out(&fixture, "a");
    give(&fixture, C);
    give(&fixture, A("x") NEXT C);
    expect_out(&fixture, "");
    end(&fixture);
}

static void test_release(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 2, 0, 0, A("x") NEXT B);
    fail_one(&fixture, 0);
    fail_one(&fixture, 0);
    fail_one(&fixture, 1);
    expect_out(&fixture, "a");
    fx_active_policies_release(fixture.active);
    expect_out(&fixture, "");
    assert_int_equal(fixture.n_told, 2);
    fail_one(&fixture, 0);
    fail_one(&fixture, 1);
    expect_out(&fixture, "");
    fx_active_policies_release(fixture.active);
    assert_int_equal(fixture.n_told, 2);
    end(&fixture);
}

static void test_budget(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 2, 5, 0, A("x") NEXT B);
    match_one(&fixture, 0, 5000001);
    match_one(&fixture, 0, 5000000);
    match_one(&fixture, 0, 5000001);
    expect_out(&fixture, "");
    match_one(&fixture, 0, 9000000);
    expect_out(&fixture, "a");
    end(&fixture);
}

/* The mutators that changed something in the last pass; the third one did not. */
static void test_no_fixed_point(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 2, 0, 0, A("x") NEXT B NEXT C);
    struct fx_mutator_stats stats[] = {
        {.mutator = 0, .matched = true, .changed = true},
        {.mutator = 1, .matched = true, .changed = true},
        {.mutator = 2, .matched = true},
    };
    review(&fixture, stats, 3, FX_ENOCONVERGE);
    review(&fixture, stats, 3,
           FX_EDEADLINE); /* no failure of a mutator: the counts restart */
    review(&fixture, stats, 3, FX_ENOCONVERGE);
    expect_out(&fixture, "");
    review(&fixture, stats, 3, FX_ENOCONVERGE);
    expect_out(&fixture, "ab");
    end(&fixture);
}

/* A review that began earlier may count a failure of a member, or of another version of a
 * policy. */
static void test_late_strikes(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, 2, 0, 0, A("x") NEXT B);
    struct fx_policies *before = fx_active_policies_get(fixture.active);
    struct fx_mutator_stats entry = {.mutator = 0, .matched = true, .failed = true};
    const struct fx_outcome outcome = {.stats = &entry, .n_stats = 1};
    const struct fx_review_result late = {.outcome = &outcome,
                                          .snapshot = before->snapshot};
    for (int i = 0; i < 5; i++) {
        fx_active_policies_record(fixture.active, 0, &late);
    }
    expect_out(&fixture, "a");
    give(&fixture, A("y") NEXT B);
    expect_out(&fixture, "");
    for (int i = 0; i < 5; i++) {
        fx_active_policies_record(fixture.active, 0, &late);
    }
    expect_out(&fixture, "");
    fail_one(&fixture, 0);
    expect_out(&fixture, "");
    fail_one(&fixture, 0);
    expect_out(&fixture, "a");
    fx_policies_unref(before);
    end(&fixture);
}

static void on_limit(void *user) {
    struct fixture *fixture = user;
    fixture->n_struck++;
}

static void on_change(void *user) {
    struct fixture *fixture = user;
    fixture->n_offered++;
}

static void note_by(struct fixture *fixture, unsigned thread, bool fails) {
    struct fx_mutator_stats entry = {.mutator = 0, .matched = true, .failed = fails};
    const struct fx_outcome outcome = {.stats = &entry, .n_stats = 1};
    const struct fx_policies *seen = fx_active_policies_refresh(fixture->active, thread);
    fx_active_policies_record(
        fixture->active, thread,
        &(struct fx_review_result){.outcome = &outcome, .snapshot = seen->snapshot});
}

/* Each thread has its own counts, consecutive failures are summed over the threads, and
 * the main thread disables a mutator for all threads. */
static void test_threads(void **state) {
    (void)state;
    struct fixture fixture = {.n_told = 0};
    const struct fx_active_policies_options options = {
        .quarantine_after = 3,
        .n_threads = 2,
        .on_change = on_change,
        .on_limit = on_limit,
        .on_quarantine = on_quarantine,
        .user = &fixture,
    };
    assert_true(fx_metrics_init(&fixture.metrics, 3));
    fixture.active = fx_active_policies_create(&options, &fixture.metrics);
    assert_non_null(fixture.active);
    assert_null(fx_active_policies_refresh(fixture.active, 1));
    give(&fixture, A("x") NEXT B);
    assert_int_equal(fixture.n_offered, 1);
    const struct fx_policies *seen = fx_active_policies_refresh(fixture.active, 0);
    assert_ptr_equal(fx_active_policies_refresh(fixture.active, 1), seen);
    note_by(&fixture, 0, true);
    note_by(&fixture, 1, true);
    note_by(&fixture, 1, false);
    note_by(&fixture, 0, true);
    note_by(&fixture, 1, true);
    assert_int_equal(fixture.n_struck, 0);
    note_by(&fixture, 0, true);
    assert_int_equal(fixture.n_struck, 1);
    expect_out(&fixture, "");
    fx_active_policies_quarantine(fixture.active);
    expect_out(&fixture, "a");
    assert_int_equal(fixture.n_told, 1);
    assert_int_equal(fixture.n_offered, 2);
    assert_ptr_not_equal(fx_active_policies_refresh(fixture.active, 1), seen);
    expect_line(&fixture, "fixpoint_mutator_matched_total" OF("a") " 6\n", true);
    expect_line(&fixture, "fixpoint_mutator_errors_total" OF("a") " 5\n", true);
    /* a thread that saw two changes at once, and one that saw none */
    give(&fixture, A("y") NEXT B);
    give(&fixture, A("z") NEXT B);
    note_by(&fixture, 1, false);
    expect_line(&fixture, "fixpoint_mutator_matched_total" OF("a") " 7\n", true);
    end(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_mutators_did),
        cmocka_unit_test(test_series_come_and_go),
        cmocka_unit_test(test_gauges),
        cmocka_unit_test(test_ingestion),
        cmocka_unit_test(test_so_many_in_a_row),
        cmocka_unit_test(test_never),
        cmocka_unit_test(test_until_its_policy_changes),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_no_fixed_point),
        cmocka_unit_test(test_late_strikes),
        cmocka_unit_test(test_threads),
    };
    fx_log_set_level(FX_LOG_ERROR);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
