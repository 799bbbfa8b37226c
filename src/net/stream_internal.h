/* SPDX-License-Identifier: Apache-2.0
 *
 * net/stream_internal.h - private to stream.c and handshakes.c.
 */
#ifndef FX_NET_STREAM_INTERNAL_H
#define FX_NET_STREAM_INTERNAL_H

#include "net/stream.h"
#include "net/tls.h"

/* ---- stream.c ---- */

/* Sends and tells what TLS made of what came; `failure` is of FX_TLS_FAILED. */
void fx_stream_deliver(struct fx_stream *stream, enum fx_tls_state state,
                       struct fx_buf *plain, struct fx_buf *cipher,
                       const struct fx_err *failure);

/* Breaks the stream with the words of libuv's code. */
void fx_stream_break(struct fx_stream *stream, const char *what, int rc);

/* One of the things that hold the stream's memory is gone; the last one ends it. */
void fx_stream_let_go(struct fx_stream *stream);

/* ---- handshakes.c ---- */

/* Is it in a handshake that is made by turns? */
bool fx_handshakes_has(const struct fx_stream *stream);

/* Keeps what came for the handshake until its turn, and reads no more before that. */
void fx_handshakes_wait(struct fx_stream *stream, struct fx_text received);

/* Its turn does not come any more. A step under way is not waited for. */
void fx_handshakes_leave(struct fx_stream *stream);

#endif
