/* SPDX-License-Identifier: Apache-2.0
 *
 * server/server.h - runs `fixpoint serve`: serves the webhook over HTTPS and health on a
 * plain port, watches and reloads policies, and shuts down gracefully.
 */
#ifndef FX_SERVER_SERVER_H
#define FX_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "cluster/cluster.h"
#include "engine/webhook.h"
#include "server/policies_watch.h"
#include "server/sandbox.h"

#define FX_NEVER_STALLS UINT64_MAX

/* Everything is borrowed for the call. A number of 0 means the default of base/limits.h.
 */
struct fx_server_options {
    const char *listen;        /* "HOST:PORT" of the webhook */
    const char *health_listen; /* "HOST:PORT" of health and metrics, plain HTTP */
    const char *web_listen; /* "HOST:PORT" of dry runs, plain HTTP; NULL: no such port */
    const char *const *policies; /* files and folders */
    size_t n_policies;
    struct fx_schema_catalog *schemas; /* of kinds, for policies in files; or NULL */
    /* Read policies from this cluster; NULL: from files. */
    const struct fx_cluster_options *cluster;
    /* Paths; both NULL: self-signed, or the cluster's Secret. */
    const char *tls_cert, *tls_key;
    const char *tls_ca;           /* the path of CA certificates for the caBundle */
    const char *const *tls_names; /* of the self-signed certificate; 0: localhost */
    size_t n_tls_names;
    const char *tls_cert_out; /* where to write the self-signed certificate, or NULL */
    /* The path of CA certificates of clients; NULL: no client certificate is required. */
    const char *client_ca;
    const char *const *client_names; /* allowed common names of clients; 0: any */
    size_t n_client_names;
    const char *own_namespace;
    struct fx_dialect_settings settings; /* for policies in files, and for validation */
    enum fx_on_empty on_empty;           /* for policies in files */
    enum fx_on_error on_error;
    bool mutation_annotations;     /* annotate changed objects with the mutators */
    bool log_mutations;            /* log each mutation, pass by pass */
    bool mutates, admits;          /* serve /v1/mutate; serve /v1/admit */
    struct fx_exemptions exempt;   /* namespaces that the guards of dialects skip */
    size_t quarantine_after;       /* failures in a row (server/active_policies.h); 0: no
                                      quarantine */
    uint64_t quarantine_budget_ms; /* of a mutator in one review; 0: no limit */
    unsigned namespace_share;      /* fx_request.share_percent */
    size_t metrics_max_mutators;   /* mutators with their own series */
    enum fx_sandbox_mode sandbox;  /* see server/sandbox.h */
    size_t threads;                /* serving threads; 0: the number of usable cores */
    size_t max_body, max_header, max_connections;
    uint64_t idle_ms, message_ms, drain_ms, review_ms;
    uint64_t grace_ms; /* the most time from the drain to the end of the process */
    /* A loop without an iteration for this time has stalled; FX_NEVER_STALLS: stalls
     * are not detected. */
    uint64_t stall_after_ms;
    int left_status;        /* exit status of a shutdown that abandoned work */
    uint64_t shed_after_ms; /* requests that waited longer are rejected */
};

/* Serves until SIGTERM or SIGINT, then drains (a second signal ends the drain) and
 * returns true. If the shutdown takes longer than drain and grace, it does not return:
 * the process exits with `left_status`, and the log says which work was abandoned. SIGHUP
 * reads policies and certificate again. SIGUSR1 turns passthrough on (objects pass
 * unchanged), SIGUSR2 turns it off. These signals, SIGPIPE and those of timers are
 * ignored afterwards. False if the server could not start: FX_EINVALID (addresses,
 * certificate), FX_EIO (port, files), FX_ENOMEM. */
bool fx_server_run(const struct fx_server_options *options,
                   struct fx_err *err) FX_MUST_USE;

#endif
