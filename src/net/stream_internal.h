/* SPDX-License-Identifier: Apache-2.0
 *
 * net/stream_internal.h - private to stream.c and handshakes.c.
 */
#ifndef FX_NET_STREAM_INTERNAL_H
#define FX_NET_STREAM_INTERNAL_H

#include "base/checked.h"
#include "net/stream.h"
#include "net/tls.h"

#define FX_STREAM_MAGIC 0x66787374u /* "fxst" */

/* ---- stream.c ---- */

/* Handles the result of TLS for received bytes: sends `cipher` and passes `plain` on.
 * `failure` is set for FX_TLS_FAILED. */
void fx_stream_deliver(struct fx_stream *stream, enum fx_tls_state state,
                       struct fx_buf *plain, struct fx_buf *cipher,
                       const struct fx_err *failure);

/* Makes the stream fail: `on_error` with the text of libuv's code, then close. */
void fx_stream_fail(struct fx_stream *stream, const char *what, int rc);

/* Drops one reference to the stream's memory. Dropping the last one calls `on_closed`. */
void fx_stream_release(struct fx_stream *stream);

/* ---- handshakes.c ---- */

/* Is the stream in a handshake that is computed by a worker? */
bool fx_handshakes_is_pending(const struct fx_stream *stream);

/* Keeps received bytes for the next handshake step, queues it, and pauses reading. */
void fx_handshakes_enqueue(struct fx_stream *stream, struct fx_text received);

/* Removes the step from the queue. Does not wait for a step that is being computed. */
void fx_handshakes_cancel(struct fx_stream *stream);

#endif
