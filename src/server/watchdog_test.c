/* SPDX-License-Identifier: Apache-2.0
 *
 * server/watchdog_test.c - running and stalled loops, jobs that take too long, and busy
 * worker threads. tests/e2e/test_stalls.py tests how the process ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "server/watchdog.h"

#define STALL_MS    200u
#define PATIENCE_MS 60000u
#define POOL        4u /* default number of worker threads of libuv */

static void wait_ms(long ms) {
    const struct timespec span = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&span, NULL);
}

/* Until so many of this type are stalled. */
static void wait_stalled(enum fx_job_type type, size_t n) {
    for (unsigned ms = 0; fx_stalls_count(type) != n; ms += 5) {
        assert_true(ms < PATIENCE_MS);
        wait_ms(5);
    }
}

static size_t count_requests(void *user) {
    (void)user;
    return 0;
}

static struct fx_watchdog *make_watchdog(uint64_t stall_ms) {
    const struct fx_watchdog_options options = {
        .stall_ms = stall_ms,
        .drain_ms = PATIENCE_MS,
        .grace_ms = PATIENCE_MS,
        .count_requests = count_requests,
    };
    struct fx_err err = FX_ERR_INIT;
    struct fx_watchdog *watchdog = fx_watchdog_create(&options, &err);
    assert_non_null(watchdog);
    return watchdog;
}

/* ---- a loop on a thread of its own ---- */

struct subject {
    uv_thread_t id;
    uv_loop_t loop;
    struct fx_message_queue queue;
    struct fx_message block, close;
    uv_sem_t go_on;
    struct fx_watchdog *watchdog;
    struct fx_watched_loop watched;
    unsigned n_turns;
};

static void on_block(void *user) {
    struct subject *subject = user;
    uv_sem_wait(&subject->go_on);
}

static void on_close(void *user) {
    struct subject *subject = user;
    fx_watchdog_remove(subject->watchdog, &subject->watched);
    fx_message_queue_close(&subject->queue);
}

static void on_task(void *user) {
    struct subject *subject = user;
    subject->n_turns++;
}

static void run(void *user) {
    struct subject *subject = user;
    (void)uv_run(&subject->loop, UV_RUN_DEFAULT);
}

static void describe(void *user, struct fx_buf *text) {
    (void)user;
    fx_buf_str(text, "some step");
}

static void start(struct subject *subject, struct fx_watchdog *watchdog,
                  const char *name) {
    struct fx_err err = FX_ERR_INIT;
    *subject = (struct subject){.watchdog = watchdog};
    subject->block = (struct fx_message){.handle = on_block, .user = subject};
    subject->close = (struct fx_message){.handle = on_close, .user = subject};
    subject->watched.job.describe = describe;
    subject->watched.on_message = on_task;
    subject->watched.user = subject;
    assert_int_equal(uv_sem_init(&subject->go_on, 0), 0);
    assert_int_equal(uv_loop_init(&subject->loop), 0);
    assert_true(fx_message_queue_init(&subject->queue, &subject->loop, &err));
    fx_watchdog_add(watchdog, &subject->watched, &subject->queue, name);
    assert_int_equal(uv_thread_create(&subject->id, run, subject), 0);
}

static void end(struct subject *subject) {
    fx_message_queue_post(&subject->queue, &subject->close);
    assert_int_equal(uv_thread_join(&subject->id), 0);
    assert_int_equal(uv_loop_close(&subject->loop), 0);
    fx_message_queue_finish(&subject->queue);
    uv_sem_destroy(&subject->go_on);
}

static bool print_stalls(struct fx_buf *lines) {
    fx_buf_init(lines, 0);
    return fx_stalls_print(lines);
}

static void test_a_loop_that_does_not_turn(void **state) {
    (void)state;
    struct fx_watchdog *watchdog = make_watchdog(STALL_MS);
    struct subject good;
    struct subject bad;
    struct fx_buf lines;
    start(&good, watchdog, "good");
    start(&bad, watchdog, "bad");
    fx_message_queue_post(&bad.queue, &bad.block);
    wait_stalled(FX_JOB_LOOP, 1);
    assert_int_equal(fx_watchdog_stalls(watchdog, FX_JOB_LOOP), 1);
    assert_true(print_stalls(&lines));
    assert_non_null(strstr(lines.data, "stalled: bad: "));
    assert_non_null(strstr(lines.data, " s in some step\n"));
    assert_null(strstr(lines.data, "good"));
    fx_buf_finish(&lines);
    wait_ms(2L * STALL_MS);
    assert_int_equal(fx_watchdog_stalls(watchdog, FX_JOB_LOOP), 1); /* the same one */
    uv_sem_post(&bad.go_on);
    wait_stalled(FX_JOB_LOOP, 0);
    assert_false(print_stalls(&lines));
    assert_int_equal(lines.len, 0);
    fx_buf_finish(&lines);
    end(&bad);
    end(&good);
    assert_true(good.n_turns > 0);
    fx_watchdog_destroy(watchdog);
}

/* What stands still when it is taken away is forgotten with it. */
static void test_a_loop_that_is_removed(void **state) {
    (void)state;
    struct fx_watchdog *watchdog = make_watchdog(STALL_MS);
    struct subject subject;
    start(&subject, watchdog, "subject");
    fx_message_queue_post(&subject.queue, &subject.block);
    wait_stalled(FX_JOB_LOOP, 1);
    fx_watchdog_remove(watchdog, &subject.watched);
    assert_int_equal(fx_stalls_count(FX_JOB_LOOP), 0);
    uv_sem_post(&subject.go_on);
    end(&subject);
    fx_watchdog_destroy(watchdog);
}

/* ---- jobs ---- */

static uint64_t ns(unsigned ms) {
    return FX_JOB_NS(ms);
}

static void test_what_a_job_may_take(void **state) {
    (void)state;
    struct fx_stalls stalls = {.after_ns = ns(10000)};
    struct fx_job build = {
        .type = FX_JOB_BUILD, .name = "build", .allowed_ns = ns(60000)};
    struct fx_buf lines;
    fx_job_begin(&build);
    fx_stalls_update(&stalls, build.since_ns);
    fx_stalls_update(&stalls, build.since_ns + ns(69999));
    assert_int_equal(fx_stalls_count(FX_JOB_BUILD), 0);
    fx_stalls_update(&stalls, build.since_ns + ns(70000));
    assert_int_equal(fx_stalls_count(FX_JOB_BUILD), 1);
    assert_false(print_stalls(&lines)); /* reported, but no reason for a restart */
    assert_non_null(strstr(lines.data, "stalled: build: "));
    fx_buf_finish(&lines);
    fx_job_end(&build);
    assert_int_equal(atomic_load(&stalls.counts[FX_JOB_BUILD]), 1);
}

/* A machine that slept, or a process that was stopped, has no stalls. */
static void test_time_that_does_not_count(void **state) {
    (void)state;
    struct fx_stalls stalls = {.after_ns = ns(10000)};
    struct fx_job job = {.type = FX_JOB_LOOP, .name = "loop"};
    fx_job_begin(&job);
    const uint64_t woken = job.since_ns + ns(1000000);
    stalls.not_before_ns = woken;
    fx_stalls_update(&stalls, woken + ns(9999));
    assert_int_equal(fx_stalls_count(FX_JOB_LOOP), 0);
    fx_stalls_update(&stalls, woken + ns(10000));
    assert_int_equal(fx_stalls_count(FX_JOB_LOOP), 1);
    fx_job_end(&job);
}

/* ---- libuv's worker threads ---- */

static uv_sem_t held;

static void on_hold(uv_work_t *work) {
    (void)work;
    uv_sem_wait(&held);
}

static void on_held(uv_work_t *work, int status) {
    (void)work;
    (void)status;
}

static void test_worker_threads_that_are_all_taken(void **state) {
    (void)state;
    struct fx_watchdog *watchdog = make_watchdog(STALL_MS);
    struct fx_worker_check check = {.is_queued = false};
    uv_work_t works[POOL];
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_sem_init(&held, 0), 0);
    fx_worker_check_start(&check, &loop); /* all are free */
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_false(check.is_queued);
    for (size_t i = 0; i < POOL; i++) {
        assert_int_equal(uv_queue_work(&loop, &works[i], on_hold, on_held), 0);
    }
    fx_worker_check_start(&check, &loop);
    fx_worker_check_start(&check, &loop); /* one is enough */
    wait_stalled(FX_JOB_POOL, 1);
    for (size_t i = 0; i < POOL; i++) {
        uv_sem_post(&held);
    }
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(fx_stalls_count(FX_JOB_POOL), 0);
    assert_int_equal(fx_watchdog_stalls(watchdog, FX_JOB_POOL), 1);
    uv_sem_destroy(&held);
    assert_int_equal(uv_loop_close(&loop), 0);
    fx_watchdog_destroy(watchdog);
}

static void test_what_is_under_way(void **state) {
    (void)state;
    struct fx_job job = {.type = FX_JOB_DRY_RUN, .name = "dry run", .describe = describe};
    struct fx_buf text = {0};
    fx_stalls_print_all_jobs(&text);
    assert_int_equal(text.len, 0);
    fx_job_begin(&job);
    fx_stalls_print_all_jobs(&text);
    assert_non_null(strstr(text.data, "dry run: "));
    assert_non_null(strstr(text.data, " s in some step"));
    fx_job_end(&job);
    fx_buf_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_loop_that_does_not_turn),
        cmocka_unit_test(test_a_loop_that_is_removed),
        cmocka_unit_test(test_what_a_job_may_take),
        cmocka_unit_test(test_time_that_does_not_count),
        cmocka_unit_test(test_worker_threads_that_are_all_taken),
        cmocka_unit_test(test_what_is_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
