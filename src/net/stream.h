/* SPDX-License-Identifier: Apache-2.0
 *
 * net/stream.h - one TCP connection, plain or over TLS, with its deadlines.
 *
 * It is part of its owner's struct, which the owner frees in `on_closed` or later. After
 * fx_stream_close(), fx_stream_shutdown() and `on_error` only `on_closed` is called. Not
 * safe for threads: everything runs on the loop's thread.
 */
#ifndef FX_NET_STREAM_H
#define FX_NET_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "net/loop_tasks.h"
#include "net/write_batch.h"

#define FX_STREAM_READ_BYTES 65536

struct fx_handshakes;
struct fx_tls;
struct fx_tls_config;
struct fx_stream;

/* Memory that the streams of one loop share, because each needs it only during a call. */
struct fx_stream_scratch {
    struct fx_buf plain, cipher;      /* for TLS; empty between calls */
    struct fx_handshakes *handshakes; /* the queue of handshakes; NULL computes them at
                                       * once */
    struct fx_write_batch *batch;     /* delays writes; NULL sends each at once */
    char read[FX_STREAM_READ_BYTES];
};

/* Callbacks; `user` is the owner. These may be NULL: `on_open`, `on_write_blocked`,
 * `on_drained`, `on_deadline`. */
struct fx_stream_events {
    /* The connection is open and the TLS handshake done. */
    void (*on_open)(void *user);
    /* Bytes were received; borrowed for the call. */
    void (*on_bytes)(void *user, struct fx_text bytes);
    /* The peer sends no more. It may still read. */
    void (*on_end)(void *user);
    /* The socket did not take all bytes, so some are queued: the peer reads slowly. Only
     * called with a write batch; without one, call fx_stream_has_queued_output() after
     * the write. */
    void (*on_write_blocked)(void *user);
    /* All queued bytes were sent. */
    void (*on_drained)(void *user);
    /* The deadline of fx_stream_set_deadline() has passed. */
    void (*on_deadline)(void *user);
    /* The connection failed, and is being closed: only `on_closed` follows. Also called
     * from within the functions below. */
    void (*on_error)(void *user, const struct fx_err *failure);
    /* Everything is closed: the owner's memory may be freed. Never called from within the
     * functions below. */
    void (*on_closed)(void *user);
};

struct fx_stream {
    uint32_t magic;
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_connect_t connecting;
    uv_shutdown_t shutting;
    struct fx_tls *tls;               /* NULL if plain, or before its handshake */
    struct fx_tls_config *tls_wanted; /* counted; kept until the session is created */
    struct fx_loop_task task;         /* the next step of its handshake */
    struct fx_buf early;              /* received ciphertext for that step */
    struct fx_pending_write pending;  /* written, but not sent yet */
    struct fx_stream_scratch *scratch;
    const struct fx_stream_events *events;
    void *user;
    uint64_t write_ms;
    uint64_t late_at, stalled_at, armed_at; /* in loop time; 0 if not set */
    size_t queued;                          /* number of queued bytes at the last check */
    size_t ignored;                         /* bytes received during the shutdown */
    unsigned handles; /* not yet closed, plus one while a handshake step is computed */
    bool filled;      /* the last read filled the buffer, so there is probably more */
    bool connected;   /* it has been connected */
    bool cut; /* the peer ended a TLS connection without close_notify, so bytes may be
               * missing (RFC 8446 section 6.1) */
    bool secure, open, ended, reading, finishing, closing;
};

/* Initializes an unconnected stream. `tls` is NULL for a plain one. The TLS session is
 * created at once; or, if handshakes are queued, when the peer has sent its first bytes,
 * so that clients that only connect take little memory. If a write makes no progress for
 * `write_ms`, the stream fails. False without memory: then nothing is left to close. */
bool fx_stream_init(struct fx_stream *stream, uv_loop_t *loop, struct fx_tls_config *tls,
                    struct fx_stream_scratch *scratch, uint64_t write_ms,
                    struct fx_err *err) FX_MUST_USE;

/* Sets the callbacks. Call it before the functions below. */
void fx_stream_set_events(struct fx_stream *stream, const struct fx_stream_events *events,
                          void *user);

/* Takes ownership of a connected socket, also on failure, and starts reading. If it
 * returns false, close the stream. */
bool fx_stream_adopt(struct fx_stream *stream, int fd) FX_MUST_USE;

/* Connects. If it returns false, close the stream. The error message, here or in
 * `on_error`, is the reason without the address: the caller adds it unless
 * `stream->connected`. */
bool fx_stream_connect(struct fx_stream *stream, const struct sockaddr *to,
                       struct fx_err *err) FX_MUST_USE;

/* Resumes or pauses reading. TCP flow control makes the peer of a paused stream wait. */
void fx_stream_read(struct fx_stream *stream, bool on);

/* Sends the bytes, in order: at once, or with a write batch at the end of the iteration,
 * together with all bytes that are written until then. Bytes that the socket does not
 * take are queued (`on_write_blocked`, `on_drained`). */
void fx_stream_write(struct fx_stream *stream, struct fx_text bytes);

/* For fx_write_batch_init(): sends the pending write of a stream. */
void fx_stream_send_pending(struct fx_pending_write *pending);

/* Are bytes queued that the socket did not take? Pending writes do not count. */
bool fx_stream_has_queued_output(const struct fx_stream *stream);

/* Is there nothing to read, neither bytes nor an end? Asks the kernel, which may have
 * bytes that the loop has not read yet. */
bool fx_stream_has_no_input(const struct fx_stream *stream);

/* Will there be input for the owner: bytes that are not read yet, a part of a TLS record,
 * or a handshake that has begun? */
bool fx_stream_expects_input(const struct fx_stream *stream);

/* Makes the kernel acknowledge the next bytes at once, if it can. A peer that sends a
 * response in two parts may wait for the acknowledgement before the second part (RFC
 * 896), and on a connection that is not new Linux delays it by 40 ms (RFC 1122 section
 * 4.2.3.2). Call it after the write of the request. */
void fx_stream_quick_ack(struct fx_stream *stream);

/* Calls `on_deadline` in `ms` milliseconds; 0 for never. Replaces the previous
 * deadline. */
void fx_stream_set_deadline(struct fx_stream *stream, uint64_t ms);

/* Sends pending and queued bytes and close_notify, ignores further input, and closes when
 * the peer has closed, or after a short time, or after some megabytes of input. If it
 * closed at once, TCP would discard bytes that the peer has not read. */
void fx_stream_shutdown(struct fx_stream *stream);

/* Closes the stream now. Pending bytes are sent if the socket takes them; queued bytes
 * are lost. A second call does nothing. */
void fx_stream_close(struct fx_stream *stream);

/* Frees the memory. */
void fx_stream_scratch_finish(struct fx_stream_scratch *scratch);

#endif
