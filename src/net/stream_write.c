/* SPDX-License-Identifier: Apache-2.0
 *
 * net/stream_write.c - writing.
 *
 * Output is appended, as ciphertext with TLS, to the stream's pending write, and is sent
 * by one write(): at the end of the iteration with a write batch, else at once. All
 * output takes this path, so it is sent in the order of the calls. Usually the socket
 * takes all of it; only the rest is queued.
 *
 * The buffer of a pending write is shared by the streams of a loop; while several streams
 * have output, each further one has its own, which is freed afterwards. So a stream
 * without output has no buffer.
 */
#include <stdlib.h>

#include "base/checked.h"
#include "net/stream_internal.h"
#include "net/tls.h"

#define SCRATCH_BYTES (256u << 10) /* a larger buffer is freed after its use */

#define WRITE_MAGIC 0x66787772u /* "fxwr" */

struct write {
    uint32_t magic;
    uv_write_t request;
    char *bytes;
};

/* ---- queued output ---- */

static void on_written(uv_write_t *request, int status) {
    struct write *write = fx_checked(request->data, WRITE_MAGIC);
    struct fx_stream *stream = fx_checked(request->handle->data, FX_STREAM_MAGIC);
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
        fx_stream_report(stream, stream->events->on_drained);
    }
}

bool fx_stream_has_queued_output(const struct fx_stream *stream) {
    return stream->tcp.write_queue_size > 0;
}

/* Queues bytes[sent …]. Consumes `bytes`. */
static void queue_rest(struct fx_stream *stream, struct fx_buf *bytes, size_t sent) {
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

/* ---- pending output ---- */

static void report_blocked(struct fx_stream *stream) {
    if (stream->scratch->batch != NULL && !stream->closing && !stream->finishing &&
        fx_stream_has_queued_output(stream)) {
        fx_stream_report(stream, stream->events->on_write_blocked);
    }
}

/* Has the server at the other end closed the connection? What it sent before, such as TLS
 * 1.3's alert about the client certificate, must still be read, and then its end. */
static bool is_ended_by_peer(const struct fx_stream *stream, int rc) {
    return (rc == UV_EPIPE || rc == UV_ECONNRESET) && stream->secure && stream->reading &&
           stream->scratch->batch == NULL;
}

/* Sends with one write(). If the stream is being closed, nothing is queued, and errors
 * are ignored. */
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
    queue_rest(stream, bytes, (size_t)rc);
    report_blocked(stream);
}

/* Returns the buffer to the streams of the loop, unless it is large. */
static void return_buffer(struct fx_stream_scratch *scratch, struct fx_buf *bytes) {
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
    return_buffer(stream->scratch, &bytes);
}

void fx_stream_send_pending(struct fx_pending_write *pending) {
    struct fx_stream *stream =
        (void *)((char *)pending - offsetof(struct fx_stream, pending));
    fx_stream_send(fx_checked(stream, FX_STREAM_MAGIC));
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

static bool append_output(struct fx_stream *stream, struct fx_text bytes,
                          struct fx_buf *to, struct fx_err *err) {
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
    struct fx_err failure; /* set on failure */
    struct fx_buf *to = fx_stream_output(stream);
    const size_t before = to->len;
    if (!append_output(stream, bytes, to, &failure)) {
        to->len = before; /* all of it or nothing */
        fx_stream_fail_with(stream, &failure);
        return;
    }
    fx_stream_schedule_send(stream);
}
