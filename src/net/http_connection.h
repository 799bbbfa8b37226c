/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_connection.h - private to the HTTP server: a connection and the request it is
 * at, and what the files of the server share.
 */
#ifndef FX_NET_HTTP_CONNECTION_H
#define FX_NET_HTTP_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"
#include "base/text.h"
#include "net/address.h"
#include "net/http_parse.h"
#include "net/http_server.h"
#include "net/stream.h"

/* The life of a connection:
 *
 *   SHAKING → READING → ANSWERING → READING …   the usual round
 *                       ANSWERING → WRITING → READING   the client reads slowly
 *             READING | ANSWERING → ENDING              the last answer is given
 */
enum fx_http_phase {
    FX_HTTP_SHAKING,   /* the TLS handshake */
    FX_HTTP_READING,   /* between requests, or in the middle of one */
    FX_HTTP_ANSWERING, /* a request is whole and not yet answered */
    FX_HTTP_WRITING,   /* the answer has not wholly left */
    FX_HTTP_ENDING,    /* nothing is read or answered any more */
};

/* One connection; its exchanges come one after the other, so it is each of them. */
struct fx_http_exchange {
    uint32_t magic;
    enum fx_http_phase phase;
    struct fx_http_server *server;
    struct fx_http_exchange *previous, *next; /* all connections of the server */
    struct fx_stream stream;
    struct fx_http_parse *parse;    /* NULL once ENDING */
    struct fx_http_request request; /* while ANSWERING */
    struct fx_text input;           /* not yet parsed; between calls within `rest` */
    struct fx_buf rest;             /* what came behind the current request */
    size_t held;                    /* its part of the server's `held` */
    uint64_t read_ns, arrival_ns;   /* of the last bytes; of the request's first, or 0 */
    bool running;                   /* within run() */
    bool gone;                      /* the stream is closed, the answer still to come */
};

struct fx_http_server {
    uint32_t magic;
    uv_loop_t *loop;
    struct fx_http_server_options options;
    struct fx_tls_config *tls;
    struct fx_address address;
    uv_tcp_t *listener; /* on the heap, freed when closed */
    uv_timer_t timer;   /* ends a pause in accepting; the last handle to be closed */
    unsigned listeners; /* not yet closed */
    bool timer_ready, timer_closing, draining, stopping, orphaned;
    struct fx_http_exchange *connections;
    struct fx_http_server_counts counts;
    struct fx_stream_scratch scratch;
    struct fx_buf out; /* the answer being made */
    time_t date_at;
    char date[80]; /* of `date_at`, as the field wants it */
    void (*on_stopped)(void *user);
    void *stopped_user;
};

/* Takes the connection that waits at the listener; false without memory. */
bool fx_http_connection_accept(struct fx_http_server *server,
                               uv_stream_t *listener) FX_MUST_USE;

/* The answer of this connection was written; `keep`: it may go on. */
void fx_http_connection_answered(struct fx_http_exchange *exchange, bool keep);

/* Closes it when it is not being answered. */
void fx_http_connection_stop(struct fx_http_exchange *exchange);

/* Unlinks and frees a connection whose stream is closed. */
void fx_http_connection_free(struct fx_http_exchange *exchange);

/* Writes a whole answer. */
struct fx_http_answer {
    unsigned status;
    const char *content_type, *extra_headers;
    struct fx_text body;
    bool keep;   /* else `Connection: close` */
    bool is_1_0; /* say that it is kept */
    bool is_head;
};

void fx_http_answer_write(struct fx_http_exchange *exchange,
                          const struct fx_http_answer *answer);

/* Starts the last step of stopping when nothing is left. */
void fx_http_server_settle(struct fx_http_server *server);

#endif
