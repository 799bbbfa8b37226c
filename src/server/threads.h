/* SPDX-License-Identifier: Apache-2.0
 *
 * server/threads.h - the threads that serve, together. Main thread only.
 */
#ifndef FX_SERVER_THREADS_H
#define FX_SERVER_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "net/http_server.h"

struct fx_server;
struct fx_thread;
struct fx_server_options;

struct fx_threads {
    struct fx_thread *items;
    size_t n_items; /* as many as there are to be */
    size_t n_running;
    uint64_t n_given; /* connections */
    bool stopping;
    void (*on_stopped)(void *user);
    void *user;
};

/* How many there are to be: as the options say, or as there are cores for; not more than
 * there may be connections. */
size_t fx_threads_wanted(const struct fx_server_options *options);

/* Starts `n_items`, of server->threads. On failure those that run are to be stopped.
 * Errors: FX_EIO, FX_ENOMEM. */
bool fx_threads_start(struct fx_server *server, struct fx_err *err) FX_MUST_USE;

/* Has one of them serve this socket. */
void fx_threads_add_connection(struct fx_threads *threads, int fd);

/* Is there none that should be given a further connection for the moment? */
bool fx_threads_are_overloaded(const struct fx_threads *threads);

/* Tells all of them. Once they stop, nothing is told any more. */
void fx_threads_refresh_policies(struct fx_threads *threads);
void fx_threads_set_tls(struct fx_server *server);
void fx_threads_drain(struct fx_threads *threads);

/* Stops them; `on_stopped` is called when the last one has ended, at once where there is
 * none. At most one call. */
void fx_threads_stop(struct fx_threads *threads, void (*on_stopped)(void *user),
                     void *user);
void fx_threads_finish(struct fx_threads *threads); /* zeroed is fine */

/* Requests that all of them have under way. Any thread, as long as they are there. */
size_t fx_threads_requests(const struct fx_threads *threads);

/* How they stand together, and the connections of one. */
struct fx_http_server_counts fx_threads_counts(const struct fx_threads *threads);
size_t fx_threads_connections(const struct fx_threads *threads, size_t number);

#endif
