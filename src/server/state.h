/* SPDX-License-Identifier: Apache-2.0
 *
 * server/state.h - the shared state of a running server. The state of each serving thread
 * is in server/thread.h.
 *
 * Owned by the main thread. Members that are marked "any thread" are set before the other
 * threads start and live until they have ended.
 */
#ifndef FX_SERVER_STATE_H
#define FX_SERVER_STATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <uv.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "net/http_server.h"
#include "policy/policies.h"
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
#include "server/triggers.h"
#include "server/watchdog.h"

struct fx_server {
    const struct fx_server_options *options; /* any thread */
    uv_loop_t loop;
    struct fx_metrics metrics;     /* any thread counts */
    struct fx_message_queue queue; /* any thread posts */
    struct fx_triggers triggers;   /* any thread posts */
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

/* ---- sources.c: the source of policies, namespaces and, optionally, the certificate:
 * files or a cluster. Main thread only, unless a function's comment differs. ---- */

/* Reads the first version of the files, blocking, or starts to watch the cluster. Errors:
 * FX_EIO, FX_EINVALID, FX_ELIMIT, FX_ENOMEM. */
bool fx_sources_start(struct fx_server *server, struct fx_err *err) FX_MUST_USE;

/* Reports the active policies to the cluster (statuses, Events). */
void fx_sources_report(struct fx_server *server);

/* The policies for a review that begins now, as a new reference: the active ones, or none
 * while passthrough is on. Called by the serving thread with that number. */
struct fx_policies *fx_sources_get_policies(const struct fx_server *server,
                                            unsigned thread);

/* May reviews under these policies fetch inputs from the API server? Not if policies are
 * files, or while passthrough is on. */
bool fx_sources_may_fetch(const struct fx_server *server,
                          const struct fx_policies *policies);

/* Looks up an input of a review under these policies, other than a call. FOUND:
 * *ret_value is a new reference. WAIT: it must be fetched from the API server. FAILED:
 * see `err`, which must be empty before. Any thread. */
enum fx_lookup fx_sources_find_input(const struct fx_server *server,
                                     const struct fx_policies *policies,
                                     const struct fx_input_key *key, json_t **ret_value,
                                     struct fx_err *err);

/* Are policies loaded? If not, *ret_reason says why; it is valid until the next
 * iteration. */
bool fx_sources_ready(const struct fx_server *server, const char **ret_reason);

/* Reads the sources again now, and ends every quarantine. */
void fx_sources_reload(struct fx_server *server);

/* Turns passthrough on (SIGUSR1: objects pass unchanged) or off (SIGUSR2). */
void fx_sources_set_passthrough(struct fx_server *server, bool on);

/* Closes the sources, when no review needs them any more. */
void fx_sources_close(struct fx_server *server);

#endif
