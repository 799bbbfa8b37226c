/* SPDX-License-Identifier: Apache-2.0
 *
 * server/thread.h - a serving thread: a loop with its connections, their reviews, and its
 * own connections to external data providers. Data from other threads is immutable or
 * reference-counted (policies, options), copied (the certificate), or requested from the
 * main thread by message (server/message_queue.h). No review waits for a lock.
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
#include "metrics/registry.h"
#include "net/http_server.h"
#include "server/external_calls.h"
#include "server/message_queue.h"
#include "server/review_log.h"
#include "server/shed.h"
#include "server/watchdog.h"

struct fx_server;
struct fx_server_options;
struct fx_tls_config;

#define FX_THREAD_NAME   sizeof "thread 4294967295"
#define FX_THREAD_COUNTS (sizeof(struct fx_http_server_counts) / sizeof(uint64_t))

struct fx_thread {
    struct fx_server *server;
    unsigned number; /* from 0 */

    /* Used only by the thread. */
    uv_loop_t loop;
    struct fx_http_server *webhook;
    struct fx_external_client *external;
    struct fx_shed shed;
    struct fx_skip_log skip_log;
    uv_prepare_t prepare; /* publishes `counts` before the loop sleeps */

    /* Used by the watchdog. */
    char name[FX_THREAD_NAME];
    struct fx_activity activity; /* the present activity of the thread */
    struct fx_watched_loop watched;

    /* Written by the main thread for this one. */
    struct fx_message_queue queue;
    struct fx_message refresh_policies, set_tls, stop;
    _Atomic(struct fx_tls_config *) next_tls; /* counted; NULL: taken */

    /* Written by this thread for the main thread. */
    atomic_uint_least64_t counts[FX_THREAD_COUNTS]; /* struct fx_http_server_counts */
    atomic_size_t n_taken; /* how many of the assigned connections it has taken */
    struct fx_message ended;

    /* Used only by the main thread. */
    uv_thread_t id;
    size_t n_assigned; /* connections */
    uint64_t assigned_at;
};

/* ---- all serving threads; main thread only, unless a comment differs ------------ */

struct fx_threads {
    struct fx_thread *items;
    size_t n_items; /* the threads to start */
    size_t n_running;
    uint64_t n_assigned; /* connections */
    bool is_stopping;
    void (*on_stopped)(void *user);
    void *user;
    /* The metric of connections by thread, which shows whether they are evenly
     * distributed. */
    struct fx_labels *labels;
    struct fx_family *connections;
};

/* The number of threads to start: from the options, or the number of usable cores; at
 * most the allowed number of connections. */
size_t fx_threads_wanted(const struct fx_server_options *options);

/* Adds fixpoint_thread_connections to the registry, which must outlive `threads`. False
 * if out of memory. */
bool fx_threads_add_metrics(struct fx_threads *threads,
                            struct fx_registry *registry) FX_MUST_USE;

/* Starts the `n_items` threads of server->threads. On failure, stop those that run.
 * Errors: FX_EIO, FX_ENOMEM. */
bool fx_threads_start(struct fx_server *server, struct fx_err *err) FX_MUST_USE;

/* Gives the connected socket to one of the threads. */
void fx_threads_add_connection(struct fx_threads *threads, int fd);

/* Are all threads overloaded, so that no connection should be accepted for now? */
bool fx_threads_are_overloaded(const struct fx_threads *threads);

/* Each applies to all threads, and does nothing once the threads stop. The first: idle
 * threads take the active policies, so that the previous ones can be freed. The second:
 * new connections use the current certificate. The third: like fx_http_server_drain(). */
void fx_threads_refresh_policies(struct fx_threads *threads);
void fx_threads_set_tls(struct fx_server *server);
void fx_threads_drain(struct fx_threads *threads);

/* Stops the threads. `on_stopped` is called when the last thread has ended; at once if
 * none runs. Call this function at most once. */
void fx_threads_stop(struct fx_threads *threads, void (*on_stopped)(void *user),
                     void *user);

/* Frees the threads. Zeroed memory is fine. */
void fx_threads_finish(struct fx_threads *threads);

/* The number of requests that all threads have not answered yet. Any thread may call it
 * while `threads` exists. */
size_t fx_threads_requests(const struct fx_threads *threads);

/* The sum of the counts of all threads. */
struct fx_http_server_counts fx_threads_counts(const struct fx_threads *threads);

/* ---- choosing a thread for a connection ------------------------------------------ */

struct fx_thread_load {
    size_t n_connections; /* open, or assigned to the thread */
    uint64_t assigned_at; /* sequence number of the last connection it got; 0: none */
    bool is_overloaded;   /* too many handshakes are queued */
};

/* The index of the thread with the fewest connections among those that are not overloaded
 * (among all, if all are); of several, the thread whose last new connection is the
 * longest ago. Pure. `n` is at least 1.
 *
 * The API server keeps a few connections and sends everything over them. A random choice
 * (SO_REUSEPORT) would put several on one thread and none on another. */
size_t fx_threads_choose(const struct fx_thread_load *loads, size_t n);

#endif
