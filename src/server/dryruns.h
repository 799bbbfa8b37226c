/* SPDX-License-Identifier: Apache-2.0
 *
 * server/dryruns.h - PUT /v1/dryrun: each dry run on a thread of its own, few at a time,
 * some waiting for their turn in the order they came. No worker of libuv's is taken for
 * them: those take steps of TLS handshakes, which nobody's rules may hold up.
 */
#ifndef FX_SERVER_DRYRUNS_H
#define FX_SERVER_DRYRUNS_H

#include <stddef.h>

struct fx_dryrun_job;
struct fx_http_exchange;
struct fx_server;

/* The main thread's. */
struct fx_dryruns {
    struct fx_server *server;
    struct fx_dryrun_job *first, **last; /* that wait */
    size_t n_waiting, n_running;
};

/* How the requests ended, by HTTP status. */
#define FX_DRYRUN_STATUSES(X) X(200) X(400) X(415) X(500) X(503)

enum fx_dryrun_status {
#define X(status) FX_DRYRUN_##status,
    FX_DRYRUN_STATUSES(X)
#undef X
};

void fx_dryruns_init(struct fx_dryruns *dryruns, struct fx_server *server);

/* The route: answered now where it is no JSON (415), its `timeout` is no time (400) or
 * there are too many (503), else
 * when the dry run is done, on the main thread. */
void fx_handle_dryrun(struct fx_server *server, struct fx_http_exchange *exchange);

#endif
