/* SPDX-License-Identifier: Apache-2.0
 *
 * server/state.h - the state of a running server that its parts share. The state of each
 * serving thread is in server/thread.h.
 *
 * Owned by the main thread. Members that are marked "any thread" are set before the other
 * threads start and live until they have ended.
 */
#ifndef FX_SERVER_STATE_H
#define FX_SERVER_STATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <uv.h>

#include "net/http_server.h"
#include "server/active_policies.h"
#include "server/certificates.h"
#include "server/cluster_metrics.h"
#include "server/dryruns.h"
#include "server/message_queue.h"
#include "server/metrics.h"
#include "server/policies_watch.h"
#include "server/self_check.h"
#include "server/server.h"
#include "server/thread.h"
#include "server/watchdog.h"

struct fx_server {
    const struct fx_server_options *options; /* any thread */
    uv_loop_t loop;
    struct fx_metrics metrics;     /* any thread counts */
    struct fx_message_queue queue; /* any thread posts */
    struct fx_message quarantine;  /* any thread posts it: a mutator reached the limit */
    struct fx_certificates *certificates;
    struct fx_policies_watch *files; /* NULL: policies come from the cluster */
    struct fx_cluster *cluster; /* any thread, for namespaces; NULL: policies come from
                                 * files */
    struct fx_cluster_metrics *cluster_metrics; /* with `cluster` */
    struct fx_active_policies *active;          /* any thread */
    struct fx_policies *no_policies; /* any thread: used while passthrough is on */
    atomic_bool passthrough;         /* any thread: objects pass unchanged */
    struct fx_threads threads;
    struct fx_http_server *webhook, *health; /* the webhook only accepts connections */
    struct fx_dryruns dryruns;
    struct fx_self_check *self_check;
    struct fx_watchdog *watchdog;        /* any thread */
    struct fx_watched_loop watched;      /* the main loop */
    struct fx_worker_check worker_check; /* of libuv's worker threads */
    bool draining;                       /* SIGTERM or SIGINT came */
};

#endif
