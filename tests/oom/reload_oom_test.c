/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/reload_oom_test.c - policies in files, read and read again with every
 * allocation refused in turn: a start that fails says so, a reload that fails leaves the
 * previous version in force, and the next one finds what has changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "refuse.h"
#include "server/policies_watch.h"

#define RUNS_MAX    100000 /* no run needs that many allocations */
#define PATIENCE_NS UINT64_C(60000000000)

static char folder[] = "/tmp/fixpoint-oom-XXXXXX";
static char path[sizeof folder + 20];

/* The worker's part is done by the loop itself: allocations come in the same order.
 * NOLINTBEGIN(readability-identifier-naming): the linker's names. */
int __real_uv_queue_work(uv_loop_t *loop, uv_work_t *work, uv_work_cb on_work,
                         uv_after_work_cb on_worked);
int __wrap_uv_queue_work(uv_loop_t *loop, uv_work_t *work, uv_work_cb on_work,
                         uv_after_work_cb on_worked);

static void do_nothing(uv_work_t *work) {
    (void)work;
}

int __wrap_uv_queue_work(uv_loop_t *loop, uv_work_t *work, uv_work_cb on_work,
                         uv_after_work_cb on_worked) {
    on_work(work);
    return __real_uv_queue_work(loop, work, do_nothing, on_worked);
}
/* NOLINTEND(readability-identifier-naming) */

static int make_folder(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    (void)snprintf(path, sizeof path, "%s/policies.yaml", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    return unlink(path) != 0 || rmdir(folder) != 0;
}

/* So many mutators; this is not what is tried. */
static void put_policies(size_t n) {
    struct fx_buf text;
    struct fx_err err = FX_ERR_INIT;
    refuse_pause();
    fx_buf_init(&text, 0);
    for (size_t i = 0; i < n; i++) {
        fx_buf_printf(
            &text,
            "---\napiVersion: mutations.gatekeeper.sh/v1\nkind: AssignMetadata\n"
            "metadata: {name: a%zu}\nspec:\n  location: metadata.labels.a%zu\n"
            "  parameters: {assign: {value: x}}\n",
            i, i);
    }
    assert_true(fx_file_replace(path, (struct fx_text){text.data, text.len}, &err));
    fx_buf_finish(&text);
    refuse_resume();
}

struct stage {
    uv_loop_t loop;
    struct fx_metrics metrics;
    struct fx_policies_watch *watch;
    size_t n_mutators; /* in force */
};

static void on_policies(struct fx_policies *made, struct fx_policies *before,
                        double seconds, void *user) {
    (void)before;
    (void)seconds;
    ((struct stage *)user)->n_mutators = made->snapshot->n_mutators;
}

static void turn(struct stage *stage) {
    struct pollfd fd = {.fd = uv_backend_fd(&stage->loop), .events = POLLIN};
    (void)poll(&fd, 1, 1);
    (void)uv_run(&stage->loop, UV_RUN_NOWAIT);
}

/* What was asked for is done; nothing else is under way. */
static void await_rest(struct stage *stage) {
    const uint64_t end = fx_clock_ns() + PATIENCE_NS;
    do {
        assert_true(fx_clock_ns() < end);
        turn(stage);
    } while (stage->loop.active_reqs.count > 0);
}

static void change(struct stage *stage) {
    put_policies(3);
    fx_policies_watch_reload(stage->watch);
    await_rest(stage);
    assert_true(stage->n_mutators == 2 || stage->n_mutators == 3);
}

/* With memory again. */
static void expect_change(struct stage *stage) {
    const uint64_t end = fx_clock_ns() + PATIENCE_NS;
    fx_policies_watch_reload(stage->watch);
    while (stage->n_mutators != 3) {
        assert_true(fx_clock_ns() < end);
        turn(stage);
    }
}

/* True where an allocation was refused. */
static bool give(long nth, bool ever_after) {
    const char *const roots[] = {path}; /* a folder is listed by libc, uncounted */
    struct stage stage = {0};
    const struct fx_policies_watch_options options = {
        .roots = roots, .n_roots = 1, .metrics = &stage.metrics};
    const struct fx_policies_watch_events events = {.on_policies = on_policies,
                                                    .user = &stage};
    struct fx_err err = FX_ERR_INIT;
    put_policies(2);
    assert_true(fx_metrics_init(&stage.metrics, 1));
    assert_int_equal(uv_loop_init(&stage.loop), 0);
    refuse_from(nth, ever_after);
    stage.watch = fx_policies_watch_create(&stage.loop, &options, &events, &err);
    if (stage.watch == NULL) {
        assert_int_equal(err.code, FX_ENOMEM);
    } else {
        change(&stage);
    }
    const bool refused = refuse_stop();
    assert_true(stage.watch != NULL || refused);
    if (stage.watch != NULL) {
        expect_change(&stage);
    }
    fx_policies_watch_close(stage.watch);
    (void)uv_run(&stage.loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&stage.loop), 0);
    fx_metrics_finish(&stage.metrics);
    return refused;
}

static void refuse_all(bool ever_after) {
    assert_false(give(RUNS_MAX, false)); /* what is made once is made */
    const long live = refuse_live();
    long n = 0;
    for (; give(n, ever_after); n++) {
        assert_true(n < RUNS_MAX);
        if (refuse_live() != live) {
            fail_msg("%ld allocations are left behind, where number %ld was refused",
                     refuse_live() - live, n);
        }
    }
    print_message("%ld allocations\n", n);
    assert_true(n > 200); /* it was tried at all */
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
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
