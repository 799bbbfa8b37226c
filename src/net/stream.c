/* SPDX-License-Identifier: Apache-2.0
 *
 * net/stream.c - one interface for TCP and TLS.
 *
 * Output is appended, as ciphertext with TLS, to the stream's pending write, and is sent
 * by one write(): at the end of the iteration with a write batch (write_batch.h),
 * otherwise at once. All output takes this path, so it is sent in the order of the calls.
 * Usually the socket takes all of it; only the rest is queued.
 *
 * The buffer of a pending write is shared by the streams of a loop; while several streams
 * have output, each further one has its own, which is freed afterwards. So a stream
 * without output has no buffer.
 */
#include "net/stream.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/stream_internal.h"
#include "net/tls.h"

#define KEEPALIVE_S  30         /* interval of TCP keep-alive of a waiting client */
#define IGNORE_BYTES (2u << 20) /* input that is ignored during a shutdown */
#define EARLY_BYTES  4096       /* bytes of one read during a handshake */

/* How long to wait for the peer's end after everything is sent. */
#define LINGER_MS 2000

#define SCRATCH_BYTES (256u << 10) /* a larger buffer is freed after its use */

#define WRITE_MAGIC 0x66787772u /* "fxwr" */

struct queued_write {
    uint32_t magic;
    uv_write_t request;
    char *bytes;
};

static void send_output(struct fx_stream *stream);

/* Calls a callback that may be NULL. */
static void call_back(struct fx_stream *stream, void (*callback)(void *user)) {
    if (callback != NULL) {
        callback(stream->user);
    }
}

/* ---- closing ---- */

void fx_stream_release(struct fx_stream *stream) {
    stream->handles--;
    if (stream->handles > 0) {
        return;
    }
    fx_tls_destroy(stream->tls);
    stream->tls = NULL;
    fx_tls_config_unref(stream->tls_wanted);
    stream->tls_wanted = NULL;
    stream->magic = 0;
    stream->events->on_closed(stream->user);
}

static void on_handle_closed(uv_handle_t *handle) {
    fx_stream_release(fx_checked(handle->data, FX_STREAM_MAGIC));
}

void fx_stream_close(struct fx_stream *stream) {
    if (stream->closing) {
        return;
    }
    stream->closing = true;
    send_output(stream); /* output that was written before the close is still sent */
    fx_handshakes_cancel(stream);
    uv_close((uv_handle_t *)&stream->tcp, on_handle_closed);
    uv_close((uv_handle_t *)&stream->timer, on_handle_closed);
}

static void fail_with(struct fx_stream *stream, const struct fx_err *failure) {
    if (stream->closing) {
        return;
    }
    const bool is_reported = stream->finishing;
    fx_stream_close(stream);
    if (!is_reported) {
        stream->events->on_error(stream->user, failure);
    }
}

void fx_stream_fail(struct fx_stream *stream, const char *what, int rc) {
    struct fx_err failure = FX_ERR_INIT;
    (void)fx_fail(&failure, FX_EIO, "%s: %s", what, uv_strerror(rc));
    fail_with(stream, &failure);
}

static void fail_saying(struct fx_stream *stream, const char *message) {
    struct fx_err failure = FX_ERR_INIT;
    (void)fx_fail(&failure, FX_EIO, "%s", message);
    fail_with(stream, &failure);
}

/* ---- deadlines ---- */

static void on_timer(uv_timer_t *timer);

static uint64_t sooner(uint64_t a, uint64_t b) {
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Starts the timer only for an earlier deadline. If it fires too early, it is started for
 * the rest. So moving a deadline, as every request does, costs nothing. */
static void arm_timer(struct fx_stream *stream) {
    const uint64_t next = sooner(stream->late_at, stream->stalled_at);
    if (stream->closing || next == 0 ||
        (stream->armed_at != 0 && stream->armed_at <= next)) {
        return;
    }
    const uint64_t now = uv_now(stream->timer.loop);
    stream->armed_at = next;
    (void)uv_timer_start(&stream->timer, on_timer, next > now ? next - now : 0, 0);
}

void fx_stream_set_deadline(struct fx_stream *stream, uint64_t ms) {
    stream->late_at = ms == 0 ? 0 : uv_now(stream->timer.loop) + ms;
    arm_timer(stream);
}

/* Requires from now on that queued bytes make progress within `write_ms`. */
static void watch_progress(struct fx_stream *stream) {
    stream->stalled_at = uv_now(stream->timer.loop) + stream->write_ms;
    arm_timer(stream);
}

/* Have queued bytes been sent since the last check? */
static bool has_progress(struct fx_stream *stream) {
    const size_t queued = uv_stream_get_write_queue_size((uv_stream_t *)&stream->tcp);
    const bool progress = queued < stream->queued;
    stream->queued = queued;
    return progress;
}

static void on_stalled(struct fx_stream *stream) {
    if (has_progress(stream)) {
        stream->stalled_at = uv_now(stream->timer.loop) + stream->write_ms;
        return;
    }
    fx_stream_fail(stream, "the peer does not read", UV_ETIMEDOUT);
}

static void on_timer(uv_timer_t *timer) {
    struct fx_stream *stream = fx_checked(timer->data, FX_STREAM_MAGIC);
    const uint64_t now = uv_now(timer->loop);
    stream->armed_at = 0;
    if (stream->stalled_at != 0 && now >= stream->stalled_at) {
        on_stalled(stream);
    }
    if (!stream->closing && stream->late_at != 0 && now >= stream->late_at) {
        stream->late_at = 0;
        if (stream->finishing) {
            fx_stream_close(stream);
        } else {
            call_back(stream, stream->events->on_deadline);
        }
    }
    arm_timer(stream);
}

/* ---- writing: queued output ---- */

static void on_written(uv_write_t *request, int status) {
    struct queued_write *write = fx_checked(request->data, WRITE_MAGIC);
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
        fx_stream_set_deadline(stream, LINGER_MS);
    } else {
        call_back(stream, stream->events->on_drained);
    }
}

bool fx_stream_has_queued_output(const struct fx_stream *stream) {
    return stream->tcp.write_queue_size > 0;
}

/* Queues the bytes from offset `sent` on. Consumes `bytes`. */
static void queue_rest(struct fx_stream *stream, struct fx_buf *bytes, size_t sent) {
    struct queued_write *write = calloc(1, sizeof *write);
    const size_t len = bytes->len - sent;
    char *data = write == NULL ? NULL : fx_buf_steal(bytes);
    if (data == NULL) {
        free(write);
        fx_stream_fail(stream, "write", UV_ENOMEM);
        return;
    }
    *write = (struct queued_write){.magic = WRITE_MAGIC, .bytes = data};
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
        watch_progress(stream);
    }
}

/* ---- writing: pending output ---- */

static void report_blocked(struct fx_stream *stream) {
    if (stream->scratch->batch != NULL && !stream->closing && !stream->finishing &&
        fx_stream_has_queued_output(stream)) {
        call_back(stream, stream->events->on_write_blocked);
    }
}

/* Has the server at the other end closed the connection? Bytes that it sent before, such
 * as TLS 1.3's alert about the client certificate, must still be read, and then its
 * end. */
static bool is_ended_by_peer(const struct fx_stream *stream, int rc) {
    return (rc == UV_EPIPE || rc == UV_ECONNRESET) && stream->secure && stream->reading &&
           stream->scratch->batch == NULL;
}

/* Sends the bytes with one write(). If the stream is being closed, nothing is queued, and
 * errors are ignored. */
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

/* Sends the output now. May make the stream fail. */
static void send_output(struct fx_stream *stream) {
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
    send_output(fx_checked(stream, FX_STREAM_MAGIC));
}

/* Returns the buffer to which output is appended. The caller then calls
 * schedule_send(). */
static struct fx_buf *output_of(struct fx_stream *stream) {
    struct fx_buf *bytes = &stream->pending.bytes;
    if (bytes->data == NULL) {
        *bytes = stream->scratch->cipher;
        stream->scratch->cipher = (struct fx_buf){0};
        fx_buf_reset(bytes);
    }
    return bytes;
}

/* Adds the output to the write batch, or sends it now if there is none. */
static void schedule_send(struct fx_stream *stream) {
    if (stream->scratch->batch != NULL) {
        fx_write_batch_add(stream->scratch->batch, &stream->pending);
    } else {
        send_output(stream);
    }
}

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
    struct fx_buf *to = output_of(stream);
    const size_t before = to->len;
    if (!append_output(stream, bytes, to, &failure)) {
        to->len = before; /* append all of it or nothing */
        fail_with(stream, &failure);
        return;
    }
    schedule_send(stream);
}

/* ---- reading ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf) {
    (void)suggested;
    const struct fx_stream *stream = fx_checked(handle->data, FX_STREAM_MAGIC);
    *ret_buf = uv_buf_init(stream->scratch->read, fx_handshakes_is_pending(stream)
                                                      ? EARLY_BYTES
                                                      : FX_STREAM_READ_BYTES);
}

static void report_end(struct fx_stream *stream) {
    if (stream->closing || stream->ended) {
        return;
    }
    stream->ended = true;
    fx_stream_read(stream, false);
    stream->events->on_end(stream->user);
}

static void report_open(struct fx_stream *stream) {
    stream->open = true;
    call_back(stream, stream->events->on_open);
}

/* Sends bytes that TLS itself wrote. `cipher` is usually the shared buffer; then the
 * pending write takes it over. */
static void send_tls_output(struct fx_stream *stream, struct fx_buf *cipher) {
    struct fx_buf *waiting = &stream->pending.bytes;
    if (cipher->len == 0) {
        return;
    }
    if (waiting->data == NULL) {
        *waiting = *cipher;
        *cipher = (struct fx_buf){0};
    } else {
        fx_buf_text(waiting, fx_buf_view(cipher));
    }
    if (waiting->failed) {
        fx_stream_fail(stream, "write", UV_ENOMEM);
    } else {
        schedule_send(stream);
    }
}

void fx_stream_deliver(struct fx_stream *stream, enum fx_tls_state state,
                       struct fx_buf *plain, struct fx_buf *cipher,
                       const struct fx_err *failure) {
    send_tls_output(stream, cipher);
    if (state == FX_TLS_FAILED) {
        fail_with(stream, failure);
        return;
    }
    if (!stream->closing && !stream->open && state != FX_TLS_HANDSHAKE) {
        report_open(stream);
    }
    if (!stream->closing && !stream->finishing && plain->len > 0) {
        stream->events->on_bytes(stream->user, fx_buf_view(plain));
    }
    if (state == FX_TLS_CLOSED && !stream->finishing) {
        report_end(stream);
    }
}

/* Decrypts received bytes, and sends the bytes that TLS has written. */
static void receive_tls(struct fx_stream *stream, struct fx_text received) {
    struct fx_stream_scratch *scratch = stream->scratch;
    struct fx_err failure; /* set on failure */
    const enum fx_tls_state state = fx_tls_receive(stream->tls, received, &scratch->plain,
                                                   &scratch->cipher, &failure);
    fx_stream_deliver(stream, state, &scratch->plain, &scratch->cipher, &failure);
    fx_buf_reset(&scratch->plain);
    fx_buf_reset(&scratch->cipher);
}

static void handle_read(struct fx_stream *stream, ssize_t n, const uv_buf_t *buf) {
    if (stream->finishing) { /* input is ignored */
        stream->ignored += n > 0 ? (size_t)n : 0;
        if (n < 0 || stream->ignored > IGNORE_BYTES) {
            fx_stream_close(stream);
        }
        return;
    }
    stream->filled = n == FX_STREAM_READ_BYTES;
    if (n == UV_EOF && stream->open) {
        stream->cut = stream->secure;
        report_end(stream);
    } else if (n == UV_EOF) {
        fail_saying(stream, "the connection ended during the TLS handshake");
    } else if (n < 0) {
        fx_stream_fail(stream, "read", (int)n);
    } else if (fx_handshakes_is_pending(stream)) {
        fx_handshakes_enqueue(stream, (struct fx_text){buf->base, (size_t)n});
    } else if (stream->secure) {
        receive_tls(stream, (struct fx_text){buf->base, (size_t)n});
    } else {
        stream->events->on_bytes(stream->user, (struct fx_text){buf->base, (size_t)n});
    }
}

/* Handles a read. The batch is sent after it, because sending may make the owner stop
 * reading. */
static void on_read(uv_stream_t *tcp, ssize_t n, const uv_buf_t *buf) {
    struct fx_stream *stream = fx_checked(tcp->data, FX_STREAM_MAGIC);
    if (n == 0 || stream->closing) {
        return;
    }
    handle_read(stream, n, buf);
    if (stream->scratch->batch != NULL) {
        fx_write_batch_flush_if_due(stream->scratch->batch);
    }
}

void fx_stream_read(struct fx_stream *stream, bool on) {
    if (stream->closing || on == stream->reading || (on && stream->ended)) {
        return;
    }
    stream->reading = on;
    if (!on) {
        (void)uv_read_stop((uv_stream_t *)&stream->tcp);
        return;
    }
    const int rc = uv_read_start((uv_stream_t *)&stream->tcp, on_alloc, on_read);
    if (rc != 0) {
        fx_stream_fail(stream, "read", rc);
    }
}

/* ---- open ---- */

bool fx_stream_init(struct fx_stream *stream, uv_loop_t *loop, struct fx_tls_config *tls,
                    struct fx_stream_scratch *scratch, uint64_t write_ms,
                    struct fx_err *err) {
    *stream = (struct fx_stream){
        .magic = FX_STREAM_MAGIC, .scratch = scratch, .write_ms = write_ms, .handles = 2};
    stream->secure = tls != NULL;
    if (tls != NULL && scratch->handshakes != NULL) {
        stream->tls_wanted = fx_tls_config_ref(tls);
    } else if (tls != NULL) {
        stream->tls = fx_tls_create(tls);
        if (stream->tls == NULL) {
            return fx_fail_nomem(err);
        }
    }
    (void)uv_tcp_init(loop, &stream->tcp);
    (void)uv_timer_init(loop, &stream->timer); /* these two cannot fail */
    stream->tcp.data = stream;
    stream->timer.data = stream;
    stream->connecting.data = stream;
    stream->shutting.data = stream;
    return true;
}

void fx_stream_set_events(struct fx_stream *stream, const struct fx_stream_events *events,
                          void *user) {
    stream->events = events;
    stream->user = user;
}

bool fx_stream_adopt(struct fx_stream *stream, int fd) {
    if (uv_tcp_open(&stream->tcp, fd) != 0) {
        (void)close(fd);
        return false;
    }
    (void)uv_tcp_nodelay(&stream->tcp, 1); /* only an optimization */
    stream->connected = true;
    stream->open = !stream->secure;
    fx_stream_read(stream, true);
    return !stream->closing;
}

static void on_connected(uv_connect_t *request, int status) {
    struct fx_stream *stream = fx_checked(request->data, FX_STREAM_MAGIC);
    if (stream->closing) {
        return;
    }
    if (status != 0) {
        fail_saying(stream, uv_strerror(status));
        return;
    }
    stream->connected = true;
    (void)uv_tcp_nodelay(&stream->tcp, 1);
    (void)uv_tcp_keepalive(&stream->tcp, 1, KEEPALIVE_S);
    fx_stream_read(stream, true);
    if (stream->closing) {
        return;
    }
    if (!stream->secure) {
        report_open(stream);
    } else {
        receive_tls(stream, (struct fx_text){0}); /* the client begins the handshake */
    }
}

bool fx_stream_connect(struct fx_stream *stream, const struct sockaddr *to,
                       struct fx_err *err) {
    const int rc = uv_tcp_connect(&stream->connecting, &stream->tcp, to, on_connected);
    return rc == 0 || fx_fail(err, FX_EIO, "%s", uv_strerror(rc));
}

/* ---- shutdown ---- */

static void on_shut(uv_shutdown_t *request, int status) {
    struct fx_stream *stream = fx_checked(request->data, FX_STREAM_MAGIC);
    if (status != 0) {
        fx_stream_close(stream);
    }
}

void fx_stream_shutdown(struct fx_stream *stream) {
    if (stream->closing || stream->finishing) {
        return;
    }
    if (stream->tls != NULL && stream->open) {
        fx_tls_close_notify(stream->tls, output_of(stream));
    }
    send_output(stream);
    if (stream->closing) {
        return;
    }
    stream->finishing = true;
    fx_handshakes_cancel(stream);
    fx_stream_set_deadline(stream, fx_stream_has_queued_output(stream) ? 0 : LINGER_MS);
    const int rc = uv_shutdown(&stream->shutting, (uv_stream_t *)&stream->tcp, on_shut);
    if (rc != 0 || (stream->ended && !fx_stream_has_queued_output(stream))) {
        fx_stream_close(stream);
        return;
    }
    if (!stream->ended) {
        fx_stream_read(stream, true);
    }
}

void fx_stream_scratch_finish(struct fx_stream_scratch *scratch) {
    scratch->plain.secret = true; /* it may have had any plaintext */
    fx_buf_finish(&scratch->plain);
    fx_buf_finish(&scratch->cipher);
}

/* ---- state ---- */

bool fx_stream_has_no_input(const struct fx_stream *stream) {
    uv_os_fd_t fd = -1;
    char byte = 0;
    return !stream->ended && !stream->closing &&
           uv_fileno((const uv_handle_t *)&stream->tcp, &fd) == 0 &&
           recv(fd, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
}

bool fx_stream_expects_input(const struct fx_stream *stream) {
    return stream->task.is_queued || (stream->tls != NULL && !stream->open) ||
           (stream->tls != NULL && fx_tls_is_within_record(stream->tls)) ||
           !fx_stream_has_no_input(stream);
}

void fx_stream_quick_ack(struct fx_stream *stream) {
#if defined(TCP_QUICKACK)
    uv_os_fd_t fd = -1;
    const int on = 1;
    if (!stream->closing && uv_fileno((uv_handle_t *)&stream->tcp, &fd) == 0) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    }
#else
    (void)stream;
#endif
}
