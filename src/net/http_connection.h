/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_connection.h - private to the HTTP server: a connection with its current
 * request, and other parts that the files of the server share.
 */
#ifndef FX_NET_HTTP_CONNECTION_H
#define FX_NET_HTTP_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/text.h"
#include "net/handshakes.h"
#include "net/http_parse.h"
#include "net/http_server.h"
#include "net/listener.h"
#include "net/loop_tasks.h"
#include "net/stream.h"
#include "net/write_batch.h"

/* Phases of a connection:
 *
 *   HANDSHAKE → READING → ANSWERING → READING …                usually
 *               READING | ANSWERING → WRITING → READING        the client reads slowly
 *               READING | ANSWERING → ENDING                   after the last response
 */
enum fx_http_phase {
    FX_HTTP_HANDSHAKE, /* the TLS handshake */
    FX_HTTP_READING,   /* between requests, or within one */
    FX_HTTP_ANSWERING, /* a request is complete and has no response yet */
    FX_HTTP_WRITING,   /* the response is not completely sent */
    FX_HTTP_ENDING,    /* nothing is read or sent any more */
};

/* Connections, sorted by their last event, the oldest last. Events are: connected,
 * handshake done, response sent. */
struct fx_http_connection_list {
    struct fx_queue queue;
    size_t n;
};

/* One connection, and its current exchange: there is one at a time. */
struct fx_http_exchange {
    uint32_t magic;
    enum fx_http_phase phase;
    struct fx_http_server *server;
    struct fx_list_link link;             /* in its list */
    struct fx_http_connection_list *list; /* NULL if it is being closed */
    struct fx_stream stream;
    struct fx_http_parse *parse;    /* NULL in phase ENDING */
    struct fx_http_request request; /* in phase ANSWERING */
    struct fx_text input;           /* not parsed yet; between calls a part of `rest` */
    struct fx_buf rest;             /* received after the current request */
    size_t held;                    /* its part of the server's `held` */
    uint64_t read_ns,
        arrival_ns;           /* of the last bytes; of the request's first bytes, or 0 */
    struct fx_loop_task task; /* continues with the rest of the input */
    bool running;             /* read_requests() is running */
    bool answered;            /* a request was answered since read_requests() began */
    bool awaited;             /* while stopping: received bytes are still read */
    bool gone;                /* the stream was closed before the response came */
};

/* Returns the connection of a link; NULL for NULL. */
static inline struct fx_http_exchange *fx_http_exchange_of(struct fx_list_link *link) {
    return link == NULL
               ? NULL
               : (void *)((char *)link - offsetof(struct fx_http_exchange, link));
}

struct fx_http_server {
    uint32_t magic;
    uv_loop_t *loop;
    struct fx_http_server_options options;
    struct fx_tls_config *tls;
    struct fx_listener listener;
    struct fx_handshakes handshakes;
    struct fx_loop_tasks others; /* connections with more input */
    struct fx_write_batch batch;
    unsigned n_helpers; /* number of the three above that are not yet closed */
    bool listens, is_closing_helpers, stopping, orphaned;
    atomic_bool draining;
    struct fx_http_connection_list handshaking, open,
        leaving; /* by phase: HANDSHAKE, all others, ENDING */
    struct fx_http_server_counts counts;
    size_t most; /* the most connections since memory was last returned */
    struct fx_stream_scratch scratch;
    struct fx_http_spare spare;
    struct fx_buf out; /* the response that is being written */
    time_t date_at;
    char date[80]; /* the `Date` of `date_at` */
    void (*on_stopped)(void *user);
    void *stopped_user;
};

/* Continues with the input of a connection; a callback for fx_loop_tasks_init(). */
void fx_http_connection_on_task(struct fx_loop_task *task);

/* Takes ownership of a connected socket. False without memory: then the caller keeps
 * it. */
bool fx_http_connection_accept(struct fx_http_server *server, int fd) FX_MUST_USE;

/* Closes the least useful connection to make room. False if none may be closed. */
bool fx_http_connection_evict(struct fx_http_server *server) FX_MUST_USE;

/* Adds `change` (1 or -1) to the number of connections. Call it with -1 when the memory
 * of a connection was freed. */
void fx_http_connection_count(struct fx_http_server *server, int change);

/* Moves the connection to the front of that list. NULL removes it from its list. */
void fx_http_connection_move(struct fx_http_exchange *exchange,
                             struct fx_http_connection_list *list);

/* Closes the connection if it is idle. If a request has no response yet, or bytes were
 * received, it ends after the response. */
void fx_http_connection_stop(struct fx_http_exchange *exchange);

/* Shuts the connection down and closes it at once. It is in no list afterwards. */
void fx_http_connection_close(struct fx_http_exchange *exchange);

/* Ends the stop when no connection is left. */
void fx_http_server_finish_stop(struct fx_http_server *server);

#endif
