/* SPDX-License-Identifier: Apache-2.0
 *
 * base/jobs_test.c - jobs begin and end in any order, and the end of a stall is reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/jobs.h"

static void add_name(struct fx_job *job, void *user) {
    fx_buf_printf(user, "%s ", job->name);
}

static void expect_jobs(const char *names) {
    struct fx_buf names_seen;
    fx_buf_init(&names_seen, 0);
    fx_jobs_visit(add_name, &names_seen);
    assert_string_equal(names_seen.len == 0 ? "" : names_seen.data, names);
    fx_buf_finish(&names_seen);
}

static void test_jobs_come_and_go_in_any_order(void **state) {
    (void)state;
    struct fx_job a = {.type = FX_JOB_LOOP, .name = "a"};
    struct fx_job b = {.type = FX_JOB_POOL, .name = "b"};
    struct fx_job c = {.type = FX_JOB_BUILD, .name = "c"};
    expect_jobs("");
    fx_job_begin(&a);
    fx_job_begin(&b);
    fx_job_begin(&c);
    expect_jobs("c b a ");
    fx_job_end(&b); /* from the middle, */
    expect_jobs("c a ");
    fx_job_end(&c); /* the front, */
    expect_jobs("a ");
    fx_job_begin(&b);
    fx_job_end(&a); /* and the end */
    expect_jobs("b ");
    fx_job_end(&b);
    expect_jobs("");
}

static void test_a_job_begins_and_ends_once(void **state) {
    (void)state;
    struct fx_job job = {.type = FX_JOB_LOOP, .name = "job"};
    fx_job_end(&job);
    fx_job_begin(&job);
    const uint64_t since = job.since_ns;
    assert_true(since != 0 && since <= fx_clock_ns());
    fx_job_begin(&job);
    assert_int_equal(job.since_ns, since);
    expect_jobs("job ");
    fx_job_end(&job);
    fx_job_end(&job);
    expect_jobs("");
}

static unsigned n_resumed;

static void count_resumed(const struct fx_job *job) {
    assert_string_equal(job->name, "slow");
    n_resumed++;
}

static void mark(struct fx_job *job, void *user) {
    job->is_stalled = strcmp(job->name, user) == 0;
}

static void test_the_end_of_a_stall_is_told_once(void **state) {
    (void)state;
    struct fx_job slow = {.type = FX_JOB_LOOP, .name = "slow"};
    struct fx_job quick = {.type = FX_JOB_LOOP, .name = "quick"};
    fx_jobs_watch(count_resumed);
    fx_job_begin(&slow);
    fx_job_begin(&quick);
    char stalled[] = "slow";
    fx_jobs_visit(mark, stalled);
    assert_true(fx_job_is_stalled(&slow));
    assert_false(fx_job_is_stalled(&quick));
    fx_job_end(&quick);
    assert_int_equal(n_resumed, 0);
    fx_job_end(&slow);
    assert_false(fx_job_is_stalled(&slow));
    assert_int_equal(n_resumed, 1);
    fx_job_begin(&slow); /* begins without the mark */
    fx_job_end(&slow);
    assert_int_equal(n_resumed, 1);
    fx_jobs_watch(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs_come_and_go_in_any_order),
        cmocka_unit_test(test_a_job_begins_and_ends_once),
        cmocka_unit_test(test_the_end_of_a_stall_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
