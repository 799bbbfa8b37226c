/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/active_policies_oom_test.c - metrics and a quarantine with every allocation
 * refused in turn: nothing is left behind, and whatever could be made goes on counting.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "policy/policies_testing.h"
#include "refuse.h"
#include "server/active_policies.h"

#define RUNS_MAX 200000 /* no run needs that many allocations */
#define REVIEWS  3

static struct fx_policies *first, *second;

static int build_policies(void **state) {
    (void)state;
    first = build_one(ASSIGN("a", "spec.a", "x") NEXT ASSIGN("b", "spec.b", "x"), NULL);
    second = build_one(ASSIGN("a", "spec.a", "x") NEXT ASSIGN("c", "spec.c", "x"), first);
    return 0;
}

static int forget_policies(void **state) {
    (void)state;
    fx_policies_unref(first);
    fx_policies_unref(second);
    return 0;
}

static void note(struct fx_active_policies *active, bool fails) {
    struct fx_policies *now = fx_active_policies_get(active);
    struct fx_mutator_stats stats[] = {{.mutator = 0, .matched = true, .failed = fails},
                                       {.mutator = 1, .matched = true}};
    const struct fx_outcome outcome = {.stats = stats, .n_stats = 2};
    const struct fx_review_result result = {.outcome = &outcome,
                                            .snapshot = now->snapshot};
    fx_active_policies_record(active, 0, &result);
    fx_policies_unref(now);
}

/* All that `fixpoint_mutator_matched_total` counted; -1 where it cannot be printed. */
static double count_matched(const struct fx_metrics *metrics) {
    double sum = -1;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_registry_print(metrics->registry, &text);
    if (!text.failed) {
        sum = 0;
        for (const char *at = text.data;
             (at = strstr(at, "\nfixpoint_mutator_matched_total{")) != NULL; at++) {
            sum += strtod(strstr(at, "} ") + 2, NULL);
        }
    }
    fx_buf_finish(&text);
    return sum;
}

/* Two versions of the policies, and reviews under each. */
static void live(struct fx_active_policies *active, const struct fx_metrics *metrics) {
    fx_active_policies_set(active, first, .001);
    for (int i = 0; i < REVIEWS; i++) {
        note(active, true);
    }
    fx_active_policies_set(active, second, .001);
    const double matched = count_matched(metrics);
    /* what `b` did went with it, unless it was counted with the others */
    assert_true(matched < 0 || (matched >= REVIEWS && matched <= 2 * REVIEWS));
    fx_active_policies_release(active);
    note(active, false);
}

static void refuse_all(bool ever_after) {
    const struct fx_active_policies_options options = {.quarantine_after = 2,
                                                       .max_mutators = 1};
    const long alive = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        struct fx_metrics metrics;
        struct fx_active_policies *active = NULL;
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        if (fx_metrics_init(&metrics, 1)) {
            active = fx_active_policies_create(&options, &metrics);
        }
        if (active != NULL) {
            live(active, &metrics);
        }
        refused = refuse_stop();
        assert_true(refused || active != NULL);
        fx_active_policies_destroy(active);
        fx_metrics_finish(&metrics);
        assert_int_equal(refuse_live(), alive);
    }
    assert_true(n > 50);
}

static void test_once(void **state) {
    (void)state;
    refuse_all(false);
}

static void test_ever_after(void **state) {
    (void)state;
    refuse_all(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_ever_after),
    };
    refuse_install();
    fx_log_set_level(FX_LOG_ERROR);
    return cmocka_run_group_tests(tests, build_policies, forget_policies);
}
