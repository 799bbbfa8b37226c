/* SPDX-License-Identifier: Apache-2.0
 *
 * server/thread.h - a serving thread: a loop with its connections, their reviews, and its
 * own connections to external data providers. What it shares with other threads is
 * immutable or reference-counted (policies, options), a copy (the certificate), or
 * requested from the main thread by message (server/message_queue.h). No review waits for
 * a lock.
 *
 * The main thread accepts connections, watches the sources and answers health and
 * metrics. It serves no review, so that it stays responsive under load.
 */
#ifndef FX_SERVER_THREAD_H
#define FX_SERVER_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/activity.h"
#include "net/http_server.h"
#include "server/external_calls.h"
#include "server/message_queue.h"
#include "server/review_log.h"
#include "server/shed.h"
#include "server/watchdog.h"

struct fx_server;
struct fx_tls_config;

#define FX_THREAD_NAME   sizeof "thread 4294967295"
#define FX_THREAD_COUNTS (sizeof(struct fx_http_server_counts) / sizeof(uint64_t))

struct fx_thread {
    struct fx_server *server;
    unsigned number; /* from 0 */

    /* Used by the thread only. */
    uv_loop_t loop;
    struct fx_http_server *webhook;
    struct fx_external_client *external;
    struct fx_shed shed;
    struct fx_skip_log skip_log;
    uv_prepare_t prepare; /* publishes `counts` before the loop sleeps */

    /* For the watchdog. */
    char name[FX_THREAD_NAME];
    struct fx_activity activity; /* what the thread does now */
    struct fx_watched_loop watched;

    /* From the main thread to this one. */
    struct fx_message_queue queue;
    struct fx_message refresh_policies, set_tls, stop;
    _Atomic(struct fx_tls_config *) next_tls; /* counted; NULL: taken */

    /* From this thread to the main thread. */
    atomic_uint_least64_t counts[FX_THREAD_COUNTS]; /* struct fx_http_server_counts */
    atomic_size_t n_taken; /* of the connections that were assigned to it */
    struct fx_message ended;

    /* Used by the main thread only. */
    uv_thread_t id;
    size_t n_assigned; /* connections */
    uint64_t assigned_at;
    void (*on_ended)(struct fx_thread *thread);
};

/* Starts the thread. `tls` is its configuration; no other thread may use it (a reference
 * is taken). `thread` is zeroed except its activity; what threads use of `server`, its
 * message queue above all, is initialized. On failure nothing is left to close. Errors:
 * FX_EIO (no descriptor, no thread), FX_ENOMEM. */
bool fx_thread_start(struct fx_thread *thread, struct fx_server *server, unsigned number,
                     struct fx_tls_config *tls, struct fx_err *err) FX_MUST_USE;

/* ---- for the main thread, while the thread runs ---- */

/* Gives it a connected socket to serve. The socket is closed if out of memory. */
void fx_thread_add_connection(struct fx_thread *thread, int fd);

/* New connections use this configuration, which no other thread may use. */
void fx_thread_set_tls(struct fx_thread *thread, struct fx_tls_config *config);

/* Makes an idle thread take the active policies, so that the previous ones can be freed.
 */
void fx_thread_refresh_policies(struct fx_thread *thread);

/* As fx_http_server_drain() and fx_http_server_stop(). After the stop, when all requests
 * are answered and the thread has ended, `on_ended` is called on the main loop. Call each
 * at most once. */
void fx_thread_drain(struct fx_thread *thread);
void fx_thread_stop(struct fx_thread *thread, void (*on_ended)(struct fx_thread *thread));

/* Its counts, as published before its loop slept last. */
struct fx_http_server_counts fx_thread_counts(const struct fx_thread *thread);

/* The number of requests without a response, the current one included. Any thread. */
size_t fx_thread_requests(struct fx_thread *thread);

/* The number of its connections, those included that it has not taken yet. */
size_t fx_thread_connections(const struct fx_thread *thread);

/* Should it get no further connection for the moment? */
bool fx_thread_is_overloaded(const struct fx_thread *thread);

#endif
