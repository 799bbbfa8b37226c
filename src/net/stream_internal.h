/* SPDX-License-Identifier: Apache-2.0
 *
 * net/stream_internal.h - private to stream.c, stream_write.c and handshakes.c.
 */
#ifndef FX_NET_STREAM_INTERNAL_H
#define FX_NET_STREAM_INTERNAL_H

#include <assert.h>

#include "net/stream.h"
#include "net/tls.h"

#define FX_STREAM_MAGIC 0x66787374u /* "fxst" */

#define FX_STREAM_LINGER_MS 2000 /* for the peer's goodbye, when all is said */

static inline struct fx_stream *fx_stream_checked(void *data) {
    struct fx_stream *stream = data;
    assert(stream != NULL && stream->magic == FX_STREAM_MAGIC);
    return stream;
}

/* ---- stream.c ---- */

/* Sends and tells what TLS made of what came; `failure` is of FX_TLS_FAILED. */
void fx_stream_deliver(struct fx_stream *stream, enum fx_tls_state state,
                       struct fx_buf *plain, struct fx_buf *cipher,
                       const struct fx_err *failure);

/* Breaks the stream, with the words of libuv's code. */
void fx_stream_fail_with(struct fx_stream *stream, const struct fx_err *failure);
void fx_stream_fail(struct fx_stream *stream, const char *what, int rc);

/* From now on what is queued has `write_ms` to become less. */
void fx_stream_watch_progress(struct fx_stream *stream);

/* One of the things that hold the stream's memory is gone; the last one ends it. */
void fx_stream_release(struct fx_stream *stream);

/* ---- stream_write.c ---- */

/* Where bytes to be sent go, behind those that wait. fx_stream_schedule_send() follows.
 */
struct fx_buf *fx_stream_output(struct fx_stream *stream);

/* What was gathered waits for the end of the task, or is sent where nothing waits. */
void fx_stream_schedule_send(struct fx_stream *stream);

/* Sends what waits now. May break the stream. */
void fx_stream_send(struct fx_stream *stream);

/* ---- handshakes.c ---- */

/* Is it in a handshake that is made by turns? */
bool fx_handshakes_is_pending(const struct fx_stream *stream);

/* Keeps what came for the handshake until its task, and reads no more before that. */
void fx_handshakes_enqueue(struct fx_stream *stream, struct fx_text received);

/* Its turn does not come any more. A step under way is not waited for. */
void fx_handshakes_cancel(struct fx_stream *stream);

#endif
