/* SPDX-License-Identifier: Apache-2.0
 *
 * net/handshakes.c - received bytes go to a worker thread and come back as bytes to send.
 */
#include "net/handshakes.h"

#include <assert.h>

#include "base/checked.h"
#include "base/priority.h"
#include "net/stream_internal.h"

#define HANDSHAKES_MAGIC 0x66786861u /* "fxha" */

/* ---- queue ---- */

bool fx_handshakes_is_pending(const struct fx_stream *stream) {
    return stream->secure && !stream->open && stream->scratch->handshakes != NULL;
}

void fx_handshakes_enqueue(struct fx_stream *stream, struct fx_text received) {
    fx_buf_text(&stream->early, received);
    if (stream->early.failed) {
        fx_stream_fail(stream, "read", UV_ENOMEM);
        return;
    }
    fx_stream_read(stream, false);
    fx_loop_tasks_add(&stream->scratch->handshakes->tasks, &stream->task,
                      stream->tls != NULL);
}

void fx_handshakes_cancel(struct fx_stream *stream) {
    if (stream->task.is_queued) {
        fx_loop_tasks_remove(&stream->scratch->handshakes->tasks, &stream->task);
    }
    fx_buf_finish(&stream->early);
}

size_t fx_handshakes_n_waiting(const struct fx_handshakes *handshakes) {
    return fx_loop_tasks_count(&handshakes->tasks);
}

/* ---- steps ---- */

/* Computes steps on a worker thread. A step takes as long as many reviews, and the kernel
 * may not preempt it within its time slice. So the thread has a lower priority than
 * serving threads, and yields after each step. */
static void compute(uv_work_t *work) {
    struct fx_handshakes *handshakes = fx_checked(work->data, HANDSHAKES_MAGIC);
    fx_priority_lower();
    for (size_t i = 0; i < handshakes->n_steps; i++) {
        struct fx_handshake_step *step = &handshakes->steps[i];
        const struct fx_text received = fx_buf_view(&step->received);
        step->state = fx_tls_receive(step->stream->tls, received, &step->plain,
                                     &step->cipher, &step->failure);
        fx_priority_yield();
    }
}

/* Ends a step. A stream that was closed meanwhile was kept only for the worker. */
static void end_step(struct fx_handshake_step *step) {
    struct fx_stream *stream = step->stream;
    if (!stream->closing) {
        fx_stream_read(stream, true); /* the owner may stop reading when it is open */
        fx_stream_deliver(stream, step->state, &step->plain, &step->cipher,
                          &step->failure);
    }
    fx_buf_finish(&step->received);
    fx_buf_finish(&step->plain);
    fx_buf_finish(&step->cipher);
    fx_stream_release(stream);
}

static void on_computed(uv_work_t *work, int status) {
    struct fx_handshakes *handshakes = fx_checked(work->data, HANDSHAKES_MAGIC);
    (void)status; /* the work is never cancelled */
    const size_t n_steps = handshakes->n_steps;
    handshakes->n_steps = 0;
    for (size_t i = 0; i < n_steps; i++) {
        end_step(&handshakes->steps[i]); /* the last one may free the server */
    }
    fx_loop_tasks_resume(&handshakes->tasks);
}

/* Creates the session, because the peer has sent its first bytes. */
static bool make_session(struct fx_stream *stream) {
    stream->tls = fx_tls_create(stream->tls_wanted);
    if (stream->tls == NULL) {
        fx_stream_fail(stream, "TLS", UV_ENOMEM);
        return false;
    }
    fx_tls_config_unref(stream->tls_wanted);
    stream->tls_wanted = NULL;
    return true;
}

static struct fx_stream *stream_of(struct fx_loop_task *task) {
    return (void *)((char *)task - offsetof(struct fx_stream, task));
}

static void add_step(struct fx_handshakes *handshakes, struct fx_stream *stream) {
    if (stream->tls == NULL && !make_session(stream)) {
        return;
    }
    handshakes->steps[handshakes->n_steps++] =
        (struct fx_handshake_step){.stream = stream, .received = stream->early};
    stream->early = (struct fx_buf){0};
    stream->handles++;
}

static void on_task(struct fx_loop_task *task) {
    struct fx_handshakes *handshakes = stream_of(task)->scratch->handshakes;
    assert(handshakes->n_steps == 0);
    while (task != NULL) {
        add_step(handshakes, stream_of(task));
        task = handshakes->n_steps < FX_HANDSHAKES_AT_ONCE
                   ? fx_loop_tasks_take(&handshakes->tasks)
                   : NULL;
    }
    if (handshakes->n_steps > 0) {
        fx_loop_tasks_pause(&handshakes->tasks);
        /* cannot fail with valid arguments */
        (void)uv_queue_work(handshakes->loop, &handshakes->work, compute, on_computed);
    }
}

/* ---- init and close ---- */

void fx_handshakes_init(struct fx_handshakes *handshakes, uv_loop_t *loop) {
    *handshakes = (struct fx_handshakes){.magic = HANDSHAKES_MAGIC, .loop = loop};
    handshakes->work.data = handshakes;
    fx_loop_tasks_init(&handshakes->tasks, loop, on_task);
}

void fx_handshakes_close(struct fx_handshakes *handshakes, void (*on_closed)(void *user),
                         void *user) {
    assert(handshakes->n_steps == 0);
    fx_loop_tasks_close(&handshakes->tasks, on_closed, user);
}
