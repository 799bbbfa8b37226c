/* SPDX-License-Identifier: Apache-2.0
 *
 * net/stream.h - one TCP connection, plain or over TLS, with its deadlines.
 *
 * Lives inside the struct of its owner, who frees that in `on_closed` and no earlier.
 * After fx_stream_close(), fx_stream_shutdown() and `on_error` nothing is called any more
 * but `on_closed`. Not safe for threads: everything happens on the loop's thread.
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

/* What the streams of one loop share, since each needs it only during a call. */
struct fx_stream_scratch {
    struct fx_buf plain, cipher;      /* of TLS; empty between calls */
    struct fx_handshakes *handshakes; /* that are made by turns; NULL: at once */
    struct fx_write_batch *batch;     /* where writes wait; NULL: each leaves at once */
    char read[FX_STREAM_READ_BYTES];
};

/* What a stream tells its owner; `user` is the owner. */
struct fx_stream_events {
    /* Connected, and the TLS handshake done. */
    void (*on_open)(void *user);
    /* Bytes came. They are borrowed for the call. */
    void (*on_bytes)(void *user, struct fx_text bytes);
    /* The peer sends no more; it may still read. */
    void (*on_end)(void *user);
    /* The socket does not take all that was written, so that some of it is queued: the
     * peer reads more slowly than it gets. Only where writes wait in an batch, for then
     * fx_stream_has_queued_output() could not tell it after the write. */
    void (*on_write_blocked)(void *user);
    /* What was queued has left. */
    void (*on_drained)(void *user);
    /* The deadline of fx_stream_set_deadline() has passed. */
    void (*on_deadline)(void *user);
    /* The connection failed and closes itself: the last word but `on_closed`. Comes out
     * of any function below, too. */
    void (*on_error)(void *user, const struct fx_err *failure);
    /* All is closed: the owner's memory may go. Never comes out of a function below. */
    void (*on_closed)(void *user);
};

struct fx_stream {
    uint32_t magic;
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_connect_t connecting;
    uv_shutdown_t shutting;
    struct fx_tls *tls;               /* NULL: plain, or its first turn has not come */
    struct fx_tls_config *tls_wanted; /* counted; until the session is made of it */
    struct fx_loop_task task;         /* of its handshake */
    struct fx_buf early;              /* ciphertext that waits for it */
    struct fx_pending_write pending;  /* what is written and waits to be sent */
    struct fx_stream_scratch *scratch;
    const struct fx_stream_events *events;
    void *user;
    uint64_t write_ms;
    uint64_t late_at, stalled_at, armed_at; /* loop time; 0: not set */
    size_t queued;                          /* bytes of writes under way, last seen */
    size_t ignored;                         /* bytes that came while finishing */
    unsigned handles; /* not yet closed, and a step of the handshake under way */
    bool filled;      /* the last read took all it could: there is probably more */
    bool secure, connected, open, ended, cut, reading, finishing, closing;
};

/* An unconnected stream. `tls` is NULL for a plain one, else a session is made of it: at
 * once, or where handshakes take turns with the first bytes of the peer, so that one who
 * only connects takes little memory. A write that makes no progress for `write_ms` breaks
 * the stream. False without memory, and then nothing is left to close. */
bool fx_stream_init(struct fx_stream *stream, uv_loop_t *loop, struct fx_tls_config *tls,
                    struct fx_stream_scratch *scratch, uint64_t write_ms,
                    struct fx_err *err) FX_MUST_USE;

/* Who is told. Before anything below. */
void fx_stream_set_events(struct fx_stream *stream, const struct fx_stream_events *events,
                          void *user);

/* Takes the connection that waits at `listener` and starts reading. False: close it. */
bool fx_stream_accept(struct fx_stream *stream, uv_stream_t *listener) FX_MUST_USE;

/* Takes a connected socket, in any case, and starts reading. False: close the stream. */
bool fx_stream_adopt(struct fx_stream *stream, int fd) FX_MUST_USE;

/* Connects. False: close it. The words of its failure, here or in `on_error`, are the
 * bare reason: who knows the address says it (fx_stream_is_connected()). */
bool fx_stream_connect(struct fx_stream *stream, const struct sockaddr *to,
                       struct fx_err *err) FX_MUST_USE;

/* Goes on or pauses reading: a paused peer waits, as TCP makes it wait. */
void fx_stream_read(struct fx_stream *stream, bool on);

/* Sends all of it, in order: at once, or at the end of the loop's turn where there is an
 * batch, together with all that is written until then. What the socket does not take is
 * queued (`on_write_blocked`, `on_drained`). */
void fx_stream_write(struct fx_stream *stream, struct fx_text bytes);

/* For fx_write_batch_init(): the parcels of streams. */
void fx_stream_send_pending(struct fx_pending_write *pending);

/* Is something queued that the socket did not take? What waits for the end of the turn
 * does not count. */
bool fx_stream_has_queued_output(const struct fx_stream *stream);

/* Has there been a connection, whatever became of it? */
bool fx_stream_is_connected(const struct fx_stream *stream);

/* Has it ended without the goodbye that TLS wants, so that bytes may be missing (RFC 8446
 * section 6.1)? Plain TCP has none: never. */
bool fx_stream_is_truncated(const struct fx_stream *stream);

/* Is there nothing to be read, neither bytes nor an end? Asks the system, so it knows
 * what the loop has not told yet. */
bool fx_stream_has_no_input(const struct fx_stream *stream);

/* Is something of the peer's on its way to the owner: bytes not yet read, a part of a TLS
 * record, a handshake that has begun? */
bool fx_stream_expects_input(const struct fx_stream *stream);

/* Has the system acknowledge what comes next at once, where it can. A peer that sends an
 * answer in two pieces may wait for that before the second one (RFC 896), and once a
 * connection is no longer new, Linux takes 40 ms for it (RFC 1122 section 4.2.3.2). After
 * the write that is to be answered. */
void fx_stream_quick_ack(struct fx_stream *stream);

/* `on_deadline` in `ms` milliseconds; 0: never. Replaces the deadline before. */
void fx_stream_set_deadline(struct fx_stream *stream, uint64_t ms);

/* Sends what waits or is queued and a goodbye, ignores what comes, and closes when the
 * peer has, or after a moment, or some megabytes: closed at once, TCP would take back
 * what the peer has not read. */
void fx_stream_shutdown(struct fx_stream *stream);

/* Closes now. What waits for the end of the turn is sent before, as far as the socket
 * takes it; what is queued is lost. Twice is fine. */
void fx_stream_close(struct fx_stream *stream);

void fx_stream_scratch_finish(struct fx_stream_scratch *scratch);

#endif
