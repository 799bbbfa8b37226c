/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_connection.h - private to the HTTP server: a connection and the request it is
 * at, and what the files of the server share.
 */
#ifndef FX_NET_HTTP_CONNECTION_H
#define FX_NET_HTTP_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"
#include "base/text.h"
#include "net/handshakes.h"
#include "net/http_parse.h"
#include "net/http_server.h"
#include "net/listener.h"
#include "net/loop_tasks.h"
#include "net/stream.h"
#include "net/write_batch.h"

/* The life of a connection:
 *
 *   SHAKING → READING → ANSWERING → READING …   the usual round
 *             READING | ANSWERING → WRITING → READING   the client reads slowly
 *             READING | ANSWERING → ENDING              the last answer is given
 */
enum fx_http_phase {
    FX_HTTP_HANDSHAKE, /* the TLS handshake */
    FX_HTTP_READING,   /* between requests, or in the middle of one */
    FX_HTTP_ANSWERING, /* a request is whole and not yet answered */
    FX_HTTP_WRITING,   /* the answer has not wholly left */
    FX_HTTP_ENDING,    /* nothing is read or answered any more */
};

/* Connections, the one whose last event is the longest ago last. What counts as an event
 * is what a client must take pains for: that it came, was let in, or got an answer. */
struct fx_http_connection_list {
    struct fx_http_exchange *first, *last;
    size_t n;
};

/* One connection; its exchanges come one after the other, so it is each of them. */
struct fx_http_exchange {
    uint32_t magic;
    enum fx_http_phase phase;
    struct fx_http_server *server;
    struct fx_http_exchange *previous, *next; /* of its list */
    struct fx_http_connection_list *list;     /* NULL: in none, as it is being closed */
    struct fx_stream stream;
    struct fx_http_parse *parse;    /* NULL once ENDING */
    struct fx_http_request request; /* while ANSWERING */
    struct fx_text input;           /* not yet parsed; between calls within `rest` */
    struct fx_buf rest;             /* what came behind the current request */
    size_t held;                    /* its part of the server's `held` */
    uint64_t read_ns, arrival_ns;   /* of the last bytes; of the request's first, or 0 */
    struct fx_loop_task task;       /* of what is left when its turn is over */
    bool running;                   /* within run() */
    bool answered;                  /* a request, since run() began */
    bool awaited;                   /* stopping: what is on its way is still let in */
    bool gone;                      /* the stream is closed, the answer still to come */
};

struct fx_http_server {
    uint32_t magic;
    uv_loop_t *loop;
    struct fx_http_server_options options;
    struct fx_tls_config *tls;
    struct fx_listener listener;
    struct fx_handshakes handshakes;
    struct fx_loop_tasks others; /* of connections with more to do */
    struct fx_write_batch batch;
    unsigned n_helpers; /* of these three, not yet closed */
    bool listens, helpers_closing, stopping, orphaned;
    atomic_bool draining;
    struct fx_http_connection_list shaking, open,
        leaving; /* by phase: SHAKING, others, ENDING */
    struct fx_http_server_counts counts;
    size_t most; /* connections at a time since memory was given back */
    struct fx_stream_scratch scratch;
    struct fx_http_spare spare;
    struct fx_buf out; /* the answer being made */
    time_t date_at;
    char date[80]; /* of `date_at`, as the field wants it */
    void (*on_stopped)(void *user);
    void *stopped_user;
};

/* Goes on with a connection (fx_loop_tasks_init()). */
void fx_http_connection_on_task(struct fx_loop_task *task);

/* Takes a connected socket; false without memory, and then it is still the caller's. */
bool fx_http_connection_accept(struct fx_http_server *server, int fd) FX_MUST_USE;

/* Closes the connection that is missed least, if there is one that may go (http_room.c).
 */
bool fx_http_connection_evict(struct fx_http_server *server) FX_MUST_USE;

/* One connection more, or, its memory freed, one less. */
void fx_http_connection_count(struct fx_http_server *server, int change);

/* Puts the connection first in that list; NULL: in none. */
void fx_http_connection_move(struct fx_http_exchange *exchange,
                             struct fx_http_connection_list *list);

/* The answer of this connection was written; `keep`: it may go on. */
void fx_http_connection_answered(struct fx_http_exchange *exchange, bool keep);

/* Closes it when it is idle. One that is being answered, or on which something is on its
 * way, ends after the answer. */
void fx_http_connection_stop(struct fx_http_exchange *exchange);

/* Says goodbye and closes it at once; it is in no list any more. */
void fx_http_connection_close(struct fx_http_exchange *exchange);

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
void fx_http_server_finish_stop(struct fx_http_server *server);

#endif
