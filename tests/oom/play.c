/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/play.c - runs a play: two loops in turn, with a clock that skips.
 */
#include "play.h"

#include <poll.h>

#include "refuse.h"
#include "skip_time.h"

#define RUNS_MAX      200000            /* the most allocations of any play */
#define PATIENCE      UINT64_C(3600000) /* time of the skipping clock for each step */
#define TURNS_MAX     200000            /* the most turns of the loops for each step */
#define STARVED_TURNS 60                /* turns of each step while memory has run out */

/* NOLINTBEGIN(readability-identifier-naming): the linker's names. */
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

/* ---- turns ----------------------------------------------------------------------- */

static bool has_input(const uv_loop_t *loop, int ms) {
    struct pollfd fd = {.fd = uv_backend_fd(loop), .events = POLLIN};
    return poll(&fd, 1, ms) > 0;
}

/* Skips the time to the client's next timer, if neither loop has anything else to do. */
static void skip_to_next_timer(struct stage *stage) {
    const int ours = uv_backend_timeout(&stage->loop);
    if (ours == 0 || has_input(&stage->loop, 0) ||
        has_input(&stage->api.server.loop, 0)) {
        return;
    }
    if (stage->loop.active_reqs.count > 0) {
        (void)has_input(&stage->loop, 1); /* waits for a worker */
    } else {
        skip_ms(ours < 0 ? 1 : (uint64_t)ours);
    }
}

static void turn(struct stage *stage) {
    (void)uv_run(&stage->loop, UV_RUN_NOWAIT);
    refuse_pause();
    (void)uv_run(&stage->api.server.loop, UV_RUN_NOWAIT);
    skip_to_next_timer(stage);
    refuse_resume();
}

/* ---- one run ---------------------------------------------------------------------- */

static bool is_right(const struct play *play, struct stage *stage, unsigned step) {
    refuse_pause();
    const bool right = play->is_right(stage, step);
    refuse_resume();
    return right;
}

static void change(const struct play *play, struct stage *stage, unsigned step) {
    refuse_pause();
    play->change(stage, step);
    refuse_resume();
}

static void await_right(const struct play *play, struct stage *stage, unsigned step,
                        long nth) {
    const uint64_t end = skipped_ms() + PATIENCE;
    for (long turns = 0; !is_right(play, stage, step); turns++) {
        if (turns == TURNS_MAX || skipped_ms() > end) {
            fail_msg("%s: not right after step %u, where allocation %ld was refused",
                     play->name, step, nth);
        }
        turn(stage);
    }
}

static void perform(const struct play *play, struct stage *stage, long nth) {
    await_right(play, stage, 0, nth);
    for (unsigned step = 1; step <= play->n_steps; step++) {
        change(play, stage, step);
        await_right(play, stage, step, nth);
    }
}

/* Runs all steps without memory, and ignores their results. Then there is memory again,
 * and the client must reach the state after the last step. */
static void perform_starved(const struct play *play, struct stage *stage, long nth) {
    for (unsigned step = 0; step <= play->n_steps; step++) {
        if (step > 0) {
            change(play, stage, step);
        }
        for (unsigned i = 0; i < STARVED_TURNS; i++) {
            turn(stage);
        }
    }
    (void)refuse_stop();
    await_right(play, stage, play->n_steps, nth);
}

static void clear(const struct play *play, struct stage *stage) {
    play->end(stage);
    while (uv_loop_alive(&stage->loop)) {
        turn(stage);
    }
    assert_int_equal(uv_loop_close(&stage->loop), 0);
    fake_finish(&stage->api);
}

/* Runs the play once. True if an allocation was refused. */
static bool give(const struct play *play, long nth, bool starved) {
    struct stage stage = {0};
    struct fx_err err = FX_ERR_INIT;
    const long live = refuse_live();
    fake_start(&stage.api);
    play->prepare(&stage);
    assert_int_equal(uv_loop_init(&stage.loop), 0);
    refuse_from(nth, starved);
    bool refused = false;
    if (!play->begin(&stage, &err)) {
        assert_int_equal(err.code, FX_ENOMEM);
        refused = true;
    } else if (starved) {
        perform_starved(play, &stage, nth);
    } else {
        perform(play, &stage, nth);
    }
    refused = refuse_stop() || refused;
    clear(play, &stage);
    if (refuse_live() != live) {
        fail_msg("%s: %ld allocations are left behind, where number %ld was refused",
                 play->name, refuse_live() - live, nth);
    }
    return refused;
}

/* ---- all runs --------------------------------------------------------------------- */

static void give_all(const struct play *play, bool starved, long exactly, long stride) {
    long nth = 0;
    long n_given = 1;
    for (; give(play, nth, starved); n_given++) {
        nth += nth < exactly ? 1 : stride;
        assert_true(nth < RUNS_MAX);
    }
    assert_true(nth >= play->least);
    print_message("%s: %ld allocations, %ld runs\n", play->name, nth, n_given);
}

void play_refused(const struct play *play) {
    give_all(play, false, play->exactly, play->stride);
}

void play_starved(const struct play *play) {
    give_all(play, true, 0, play->starved_stride);
}

void play_once(const struct play *play) {
    assert_false(give(play, RUNS_MAX, false));
}

struct fx_kube_client *play_client(struct stage *stage, struct fx_err *err) {
    const struct fx_kube_config config = {.server = stage->api.url};
    return fx_kube_client_create(&stage->loop, &config, NULL, NULL, err);
}
