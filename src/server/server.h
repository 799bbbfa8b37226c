/* SPDX-License-Identifier: Apache-2.0
 *
 * server/server.h - `fixpoint serve`: the webhook over HTTPS, health on a plain port, a
 * folder of policies watched and re-read, a graceful end.
 */
#ifndef FX_SERVER_SERVER_H
#define FX_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/admit_label.h"
#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "cluster/cluster.h"
#include "server/policies_watch.h"
#include "server/sandbox.h"

/* Everything is borrowed for the call. 0 where a number is not given: base/limits.h. */
#define FX_NEVER_STALLS UINT64_MAX

struct fx_server_options {
    const char *listen;          /* "HOST:PORT" of the webhook */
    const char *health_listen;   /* "HOST:PORT" of health and metrics, plain HTTP */
    const char *web_listen;      /* "HOST:PORT" for dry runs, plain HTTP; NULL: nowhere */
    const char *const *policies; /* files and folders */
    size_t n_policies;
    const struct fx_cluster_options *cluster; /* instead of those; NULL: files */
    const char *tls_cert, *tls_key; /* files; both NULL: self-signed, or of the cluster */
    const char *tls_ca;             /* a file: who vouches for them, for the cluster */
    const char *const *tls_names;   /* of the self-signed certificate; 0: localhost */
    size_t n_tls_names;
    const char *tls_cert_out; /* where to write the self-signed certificate, or NULL */
    const char *client_ca;    /* a file: whose clients may ask; NULL: anybody */
    const char *const *client_names; /* common names that they have; 0: any */
    size_t n_client_names;
    const char *own_namespace;
    struct fx_dialect_settings settings; /* of policies from files, and of those that are
                                          * admitted */
    enum fx_on_empty on_empty;           /* of policies that are files */
    enum fx_on_error on_error;
    bool mutation_annotations;   /* objects are to say who changed them */
    bool log_mutations;          /* each mutation is to be logged, pass by pass */
    bool mutates, admits;        /* which of the webhooks are answered */
    struct fx_exemptions exempt; /* from the guard of the ignore label */
    size_t quarantine_after; /* failures in a row (server/active_policies.h); 0: never */
    uint64_t quarantine_budget_ms; /* of a mutator in one review; 0: none */
    unsigned namespace_share;      /* fx_request.share_percent */
    size_t metrics_max_mutators;   /* that metrics tell apart */
    enum fx_sandbox_mode sandbox;  /* entered when all is open (server/sandbox.h) */
    size_t threads;                /* that serve; 0: as many as there are cores for us */
    size_t max_body, max_header, max_connections;
    uint64_t idle_ms, message_ms, drain_ms, review_ms;
    uint64_t grace_ms;       /* after the drain, until the process ends in any case */
    uint64_t stall_after_ms; /* a loop that has not turned for so long stalls; 0: the
                              * limit, FX_NEVER_STALLS: nobody looks */
    int left_status;        /* the exit status of an end that left something unanswered */
    uint64_t shed_after_ms; /* a request that waited longer is turned away */
};

/* Serves until SIGTERM or SIGINT, then drains (a second signal ends that) and returns
 * true. Where the end takes longer than drain and grace, it does not return: the process
 * exits with `left_status`, and a line of the log says what was left. SIGHUP reads
 * policies and certificate again at once, SIGUSR1 lets everything pass unchanged, SIGUSR2
 * ends that. These signals, SIGPIPE and
 * those of timers stay ignored afterwards. False where it could not
 * start: FX_EINVALID (addresses, certificate), FX_EIO (port, files), FX_ENOMEM. */
bool fx_server_run(const struct fx_server_options *options,
                   struct fx_err *err) FX_MUST_USE;

#endif
