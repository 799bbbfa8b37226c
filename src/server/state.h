/* SPDX-License-Identifier: Apache-2.0
 *
 * server/state.h - a running server, as its parts see it: what there is one of. What each
 * thread that serves has for itself stands in server/thread.h.
 *
 * The main thread's, but for what says otherwise: that is set before the other threads
 * begin, and ends after them.
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
#include "server/message_queue.h"
#include "server/metrics.h"
#include "server/policies_watch.h"
#include "server/self_check.h"
#include "server/server.h"
#include "server/thread.h"
#include "server/thread_metrics.h"
#include "server/threads.h"
#include "server/watchdog.h"
#include "server/web.h"
#include "server/worker_check.h"

struct fx_server {
    const struct fx_server_options *options; /* any thread */
    uv_loop_t loop;
    struct fx_metrics metrics;     /* any thread counts */
    struct fx_message_queue queue; /* any thread posts */
    struct fx_message
        quarantine; /* any thread posts it: somebody is to be in quarantine */
    struct fx_certificates *certificates;
    struct fx_policies_watch *policies;         /* NULL: of the cluster */
    struct fx_cluster *cluster;                 /* any thread, for its namespaces; NULL:
                                                 * policies are files */
    struct fx_cluster_metrics *cluster_metrics; /* with `cluster` */
    struct fx_active_policies
        *active;                 /* what either of them gave; any thread by its slot */
    struct fx_policies *nothing; /* any thread: in force while everything passes */
    struct fx_threads threads;   /* who serve */
    struct fx_thread_metrics *thread_metrics;
    struct fx_http_server *webhook, *health; /* the webhook's only accepts */
    struct fx_web web;
    struct fx_self_check *check;
    struct fx_watchdog *watchdog;        /* any thread */
    struct fx_watched_loop watched;      /* of the main loop, */
    struct fx_worker_check worker_check; /* which asks for libuv's worker threads */
    bool draining;                       /* asked to end */
    atomic_bool passes; /* any thread: everything is let pass unchanged */
};

#endif
