/* SPDX-License-Identifier: Apache-2.0
 *
 * net/stream_write.c - from bytes to be written to bytes that have left.
 *
 * What is written gathers, as ciphertext where there is TLS, in the stream's pending, and
 * leaves by one write(): at the end of the loop's turn where there is an batch, else at
 * once. Everything goes this way, so the order is that of the calls. In the usual case
 * the socket takes all of it; only what it refuses is queued.
 *
 * Memory for a pending is the buffer that the streams of a loop hand round, or, while
 * others wait too, its own; what is not handed on is freed. So a stream that has nothing
 * to send has no memory for it.
 */
#include <assert.h>
#include <stdlib.h>

#include "net/stream_internal.h"
#include "net/tls.h"

#define SCRATCH_BYTES (256u << 10) /* a larger scratch is given back after its use */

#define WRITE_MAGIC 0x66787772u /* "fxwr" */

struct write {
    uint32_t magic;
    uv_write_t request;
    char *bytes;
};

static struct write *write_of(uv_write_t *request) {
    struct write *write = request->data;
    assert(write != NULL && write->magic == WRITE_MAGIC);
    return write;
}

/* ---- what the socket refuses ---- */

static void on_written(uv_write_t *request, int status) {
    struct write *write = write_of(request);
    struct fx_stream *stream = fx_stream_checked(request->handle->data);
    write->magic = 0;
    free(write->bytes);
    free(write);
    if (stream->closing) {
        return;
    }
    if (status != 0) {
        fx_stream_fail(stream, "write", status);
        return;
    }
    if (fx_stream_has_queued_output(stream)) {
        return;
    }
    stream->stalled_at = 0;
    if (stream->finishing && stream->ended) {
        fx_stream_close(stream);
    } else if (stream->finishing) {
        fx_stream_set_deadline(stream, FX_STREAM_LINGER_MS);
    } else {
        stream->events->on_drained(stream->user);
    }
}

bool fx_stream_has_queued_output(const struct fx_stream *stream) {
    return stream->tcp.write_queue_size > 0;
}

/* Queues bytes[sent …], which are taken. */
static void queue(struct fx_stream *stream, struct fx_buf *bytes, size_t sent) {
    struct write *write = calloc(1, sizeof *write);
    const size_t len = bytes->len - sent;
    char *data = write == NULL ? NULL : fx_buf_steal(bytes);
    if (data == NULL) {
        free(write);
        fx_stream_fail(stream, "write", UV_ENOMEM);
        return;
    }
    *write = (struct write){.magic = WRITE_MAGIC, .bytes = data};
    write->request.data = write;
    const uv_buf_t rest = {data + sent, len};
    const int rc =
        uv_write(&write->request, (uv_stream_t *)&stream->tcp, &rest, 1, on_written);
    if (rc != 0) {
        free(data);
        free(write);
        fx_stream_fail(stream, "write", rc);
        return;
    }
    stream->queued = uv_stream_get_write_queue_size((uv_stream_t *)&stream->tcp);
    if (stream->queued > 0 && stream->stalled_at == 0) {
        fx_stream_watch_progress(stream);
    }
}

/* ---- the pending ---- */

static void tell_stuck(struct fx_stream *stream) {
    if (stream->scratch->batch != NULL && !stream->closing && !stream->finishing &&
        fx_stream_has_queued_output(stream)) {
        stream->events->on_write_blocked(stream->user);
    }
}

/* Has the peer of a client ended the connection? What it said before, such as the alert
 * of TLS 1.3 that it does not let us in, is still to be read, and its end behind that. */
static bool is_ended_by_peer(const struct fx_stream *stream, int rc) {
    return (rc == UV_EPIPE || rc == UV_ECONNRESET) && stream->secure && stream->reading &&
           stream->scratch->batch == NULL;
}

/* One write(). Of a stream that is closed meanwhile nothing is queued, and it does not
 * matter any more what the socket says. */
static void send_all(struct fx_stream *stream, struct fx_buf *bytes) {
    const uv_buf_t all = {bytes->data, bytes->len};
    int rc = uv_try_write((uv_stream_t *)&stream->tcp, &all, 1);
    rc = rc == UV_EAGAIN ? 0 : rc;
    if (stream->closing || (rc >= 0 && (size_t)rc == bytes->len)) {
        return;
    }
    if (rc < 0) {
        if (!is_ended_by_peer(stream, rc)) {
            fx_stream_fail(stream, "write", rc);
        }
        return;
    }
    queue(stream, bytes, (size_t)rc);
    tell_stuck(stream);
}

/* For the next one who writes, but that a large one is not kept. */
static void hand_on(struct fx_stream_scratch *scratch, struct fx_buf *bytes) {
    if (scratch->cipher.data != NULL || bytes->cap > SCRATCH_BYTES) {
        fx_buf_finish(bytes);
        return;
    }
    fx_buf_reset(bytes);
    scratch->cipher = *bytes;
}

void fx_stream_send(struct fx_stream *stream) {
    struct fx_buf bytes = stream->pending.bytes;
    if (stream->scratch->batch != NULL) {
        fx_write_batch_remove(stream->scratch->batch, &stream->pending);
    }
    stream->pending.bytes = (struct fx_buf){0};
    if (bytes.len > 0) {
        send_all(stream, &bytes);
    }
    hand_on(stream->scratch, &bytes);
}

void fx_stream_send_pending(struct fx_pending_write *pending) {
    struct fx_stream *stream =
        (void *)((char *)pending - offsetof(struct fx_stream, pending));
    fx_stream_send(fx_stream_checked(stream));
}

struct fx_buf *fx_stream_output(struct fx_stream *stream) {
    struct fx_buf *bytes = &stream->pending.bytes;
    if (bytes->data == NULL) {
        *bytes = stream->scratch->cipher;
        stream->scratch->cipher = (struct fx_buf){0};
        fx_buf_reset(bytes);
    }
    return bytes;
}

void fx_stream_schedule_send(struct fx_stream *stream) {
    if (stream->scratch->batch != NULL) {
        fx_write_batch_add(stream->scratch->batch, &stream->pending);
    } else {
        fx_stream_send(stream);
    }
}

/* ---- writing ---- */

static bool add(struct fx_stream *stream, struct fx_text bytes, struct fx_buf *to,
                struct fx_err *err) {
    if (stream->secure) {
        return fx_tls_send(stream->tls, bytes, to, err);
    }
    fx_buf_text(to, bytes);
    return !to->failed || fx_fail_nomem(err);
}

void fx_stream_write(struct fx_stream *stream, struct fx_text bytes) {
    if (stream->closing || stream->finishing) {
        return;
    }
    struct fx_err failure; /* filled where something fails */
    struct fx_buf *to = fx_stream_output(stream);
    const size_t before = to->len;
    if (!add(stream, bytes, to, &failure)) {
        to->len = before; /* all or nothing of it */
        fx_stream_fail_with(stream, &failure);
        return;
    }
    fx_stream_schedule_send(stream);
}
