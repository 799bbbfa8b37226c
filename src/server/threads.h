/* SPDX-License-Identifier: Apache-2.0
 *
 * server/threads.h - all serving threads. Main thread only, unless a function says
 * otherwise.
 */
#ifndef FX_SERVER_THREADS_H
#define FX_SERVER_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "metrics/registry.h"
#include "net/http_server.h"

struct fx_server;
struct fx_thread;
struct fx_server_options;

struct fx_threads {
    struct fx_thread *items;
    size_t n_items; /* to be started */
    size_t n_running;
    uint64_t n_assigned; /* connections */
    bool is_stopping;
    void (*on_stopped)(void *user);
    void *user;
    /* Metrics: connections by thread, which show whether they are spread evenly. */
    struct fx_labels *labels;
    struct fx_family *connections;
};

/* The number of threads to start: from the options, or the number of usable cores; not
 * more than connections are allowed. */
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

/* Should no thread get a further connection for the moment? */
bool fx_threads_are_overloaded(const struct fx_threads *threads);

/* Each calls the function of server/thread.h for all threads. They do nothing once the
 * threads stop. */
void fx_threads_refresh_policies(struct fx_threads *threads);
void fx_threads_set_tls(struct fx_server *server);
void fx_threads_drain(struct fx_threads *threads);

/* Stops the threads. `on_stopped` is called when the last one has ended; at once if none
 * runs. Call it at most once. */
void fx_threads_stop(struct fx_threads *threads, void (*on_stopped)(void *user),
                     void *user);

/* Frees the threads. Zeroed memory is fine. */
void fx_threads_finish(struct fx_threads *threads);

/* The number of requests that all threads have not answered yet. Any thread may call it
 * while `threads` exists. */
size_t fx_threads_requests(const struct fx_threads *threads);

/* The sum of the counts of all threads. */
struct fx_http_server_counts fx_threads_counts(const struct fx_threads *threads);

/* ---- which thread gets a connection -------------------------------------------------
 */

struct fx_thread_load {
    size_t n_connections; /* open, or assigned to the thread */
    uint64_t assigned_at; /* sequence number of the last connection it got; 0: none */
    bool is_overloaded;   /* too many handshakes are queued */
};

/* The index of the thread with the fewest connections among those that are not overloaded
 * (among all, if all are); of several, the one that has not got a connection for the
 * longest time. Pure. `n` is at least 1.
 *
 * The API server keeps a few connections and sends everything over them: chance
 * (SO_REUSEPORT) would put several on one thread and none on another. */
size_t fx_threads_choose(const struct fx_thread_load *loads, size_t n);

#endif
