/* SPDX-License-Identifier: Apache-2.0
 *
 * server/dryruns.h - the dry run port: the APIs of dialects (engine/dialect.h) over
 * plain, unauthenticated HTTP. The port exists only if the options give it an address.
 *
 * The main thread reads requests and writes responses. Each dry run has a thread of its
 * own. Only a few run at a time, and the others wait in a queue. They do not use libuv's
 * worker threads, because a slow dry run must not delay the TLS handshakes that these
 * compute.
 */
#ifndef FX_SERVER_DRYRUNS_H
#define FX_SERVER_DRYRUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_dry_run;
struct fx_dryrun_job;
struct fx_http_server;
struct fx_server;

/* Owned by the main thread. Zeroed: there is no port. */
struct fx_dryruns {
    struct fx_server *server;
    struct fx_http_server *http;         /* NULL: no port */
    struct fx_dryrun_job *first, **last; /* the queue */
    size_t n_waiting, n_running;
};

/* Label values of the metric: HTTP statuses of the responses. */
#define FX_DRYRUN_STATUSES(X) X(200) X(400) X(415) X(500) X(503)

enum fx_dryrun_status {
#define X(status) FX_DRYRUN_##status,
    FX_DRYRUN_STATUSES(X)
#undef X
};

/* Listens on server->options->web_listen ("HOST:PORT") for `max_connections` at most.
 * Does nothing if that option is NULL. Errors: FX_EINVALID, FX_EIO, FX_ENOMEM. */
bool fx_dryruns_start(struct fx_server *server, size_t max_connections,
                      struct fx_err *err) FX_MUST_USE;

/* The API with that path, or NULL. */
const struct fx_dry_run *fx_dryruns_find(struct fx_text path);

/* Like fx_http_server_drain(). */
void fx_dryruns_drain(struct fx_dryruns *dryruns);

/* Stops accepting, answers the requests that have arrived, then calls `on_stopped`; calls
 * it at once if there is no port. Call it at most once. */
void fx_dryruns_stop(struct fx_dryruns *dryruns, void (*on_stopped)(void *user),
                     void *user);

/* Frees the port. Call it after the loop has ended. */
void fx_dryruns_finish(struct fx_dryruns *dryruns);

#endif
