/* SPDX-License-Identifier: Apache-2.0
 *
 * server/metrics.h - the metrics of the server, as one list, in a registry that other
 * rooms use as well (metrics/registry.h). docs/metrics.md describes them for users.
 *
 * The names `gatekeeper_*` and their buckets are kept if the meaning is the same, so that
 * existing dashboards work (spec section 9). One difference: a failure of a policy counts
 * as `error`, not as success. Any thread may count and observe; only the main thread
 * sets.
 */
#ifndef FX_SERVER_METRICS_H
#define FX_SERVER_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "metrics/process.h"
#include "metrics/registry.h"

/* type, id, name, label key, label values, buckets (of a histogram), help. The values and
 * buckets are arrays of metrics.c. */
#define FX_METRICS(X)                                                                    \
    X(COUNTER, MUTATIONS, "gatekeeper_mutation_request_count", "mutation_status",        \
      mutation_statuses, NULL, "Reviews in which mutation was attempted.")               \
    X(HISTOGRAM, MUTATION_SECONDS, "gatekeeper_mutation_request_duration_seconds",       \
      "mutation_status", mutation_statuses, &seconds,                                    \
      "Time from the first byte of a review to its answer.")                             \
    X(HISTOGRAM, ITERATIONS, "gatekeeper_mutation_system_iterations", "success",         \
      successes, &passes,                                                                \
      "Passes until nothing changed; 0 if no mutator changed anything.")                 \
    X(COUNTER, INGESTIONS, "gatekeeper_mutator_ingestion_count", "status",               \
      mutator_statuses, NULL,                                                            \
      "Mutators activated or rejected, each time the policies were built.")              \
    X(HISTOGRAM, INGESTION_SECONDS, "gatekeeper_mutator_ingestion_duration_seconds",     \
      "status", mutator_statuses, &short_seconds,                                        \
      "Duration of the build that activated or rejected a mutator.")                     \
    X(GAUGE, MUTATORS, "gatekeeper_mutators", "status", mutator_statuses, NULL,          \
      "Mutators, by whether they are active.")                                           \
    X(GAUGE, CONFLICTING, "gatekeeper_mutator_conflicting_count", NULL, NULL, NULL,      \
      "Mutators that are disabled because they conflict with others.")                   \
    X(GAUGE, BUILD, "fixpoint_build_info", "version", versions, NULL, "Always 1.")       \
    X(COUNTER, REVIEWS, "fixpoint_reviews_total", "decision", decisions, NULL,           \
      "Reviews answered, by outcome.")                                                   \
    X(HISTOGRAM, REVIEW_SECONDS, "fixpoint_review_duration_seconds", NULL, NULL,         \
      &fine_seconds, "Time from the first byte of a review to its answer.")              \
    X(HISTOGRAM, PASSES, "fixpoint_review_passes", NULL, NULL, &passes,                  \
      "Passes over the mutators, including the last one, which changes nothing.")        \
    X(GAUGE, PASSTHROUGH, "fixpoint_passthrough", NULL, NULL, NULL,                      \
      "1 while objects pass unchanged, after SIGUSR1.")                                  \
    X(COUNTER, ADMISSIONS, "fixpoint_admissions_total", "decision", decisions, NULL,     \
      "Policies and labels validated, by the decision.")                                 \
    X(COUNTER, DRYRUNS, "fixpoint_dryrun_requests_total", "code", dryrun_statuses, NULL, \
      "Dry runs, by the HTTP status of the response.")                                   \
    X(COUNTER, BINDINGS, "fixpoint_pod_bindings_total", "result", binding_results, NULL, \
      "Bindings of Pods, by whether the Pod was annotated with its Node.")               \
    X(GAUGE, QUARANTINED, "fixpoint_mutators_quarantined", NULL, NULL, NULL,             \
      "Mutators in quarantine because they failed repeatedly.")                          \
    X(GAUGE, GENERATION, "fixpoint_policy_generation", NULL, NULL, NULL,                 \
      "The number of versions of the policies so far.")                                  \
    X(GAUGE, CHANGED, "fixpoint_policy_last_change_timestamp_seconds", NULL, NULL, NULL, \
      "When the active policies became active, in seconds since 1970.")                  \
    X(GAUGE, FINDINGS, "fixpoint_policy_findings", "severity", severities, NULL,         \
      "Findings about the active policies, by severity.")                                \
    X(GAUGE, EMPTIED, "fixpoint_policies_emptied", NULL, NULL, NULL,                     \
      "1 while the policy files have no mutators, but had some before.")                 \
    X(COUNTER, RELOADS, "fixpoint_reloads_total", "result", reload_results, NULL,        \
      "Times the policies were read again.")                                             \
    X(COUNTER, EXTERNAL_CALLS, "fixpoint_external_data_requests_total", "result",        \
      external_results, NULL, "Requests to providers of external data, by outcome.")     \
    X(HISTOGRAM, EXTERNAL_SECONDS, "fixpoint_external_data_request_duration_seconds",    \
      "result", external_results, &seconds,                                              \
      "Time from a request to a provider to its response or failure.")                   \
    X(GAUGE, CONNECTIONS, "fixpoint_connections", NULL, NULL, NULL,                      \
      "Open connections of the webhook.")                                                \
    X(COUNTER, ACCEPTED, "fixpoint_connections_accepted_total", NULL, NULL, NULL,        \
      "Connections of the webhook since the start.")                                     \
    X(COUNTER, DROPPED, "fixpoint_connections_dropped_total", NULL, NULL, NULL,          \
      "Idle connections closed to make room for others.")                                \
    X(COUNTER, HANDSHAKES, "fixpoint_tls_handshakes_total", "result", handshake_results, \
      NULL, "TLS handshakes of the webhook, by how they ended.")                         \
    X(COUNTER, CLIENTS_REFUSED, "fixpoint_client_certificates_refused_total", "reason",  \
      client_refusals, NULL,                                                             \
      "TLS handshakes that failed because of the client certificate, by reason.")        \
    X(GAUGE, IN_FLIGHT, "fixpoint_requests_in_flight", NULL, NULL, NULL,                 \
      "Requests without a response yet.")                                                \
    X(GAUGE, HELD, "fixpoint_http_held_bytes", NULL, NULL, NULL,                         \
      "Memory of requests without a response yet.")                                      \
    X(COUNTER, REFUSED, "fixpoint_http_refused_total", NULL, NULL, NULL,                 \
      "Connections and requests refused for lack of room.")                              \
    X(COUNTER, BAD_REQUESTS, "fixpoint_http_bad_requests_total", NULL, NULL, NULL,       \
      "Requests that were not acceptable HTTP.")                                         \
    X(COUNTER, SHED, "fixpoint_requests_shed_total", "reason", shed_reasons, NULL,       \
      "Requests rejected under overload, by reason.")                                    \
    X(COUNTER, STALLS, "fixpoint_stalls_total", "what", job_types, NULL,                 \
      "Jobs that took longer than they may, by type.")                                   \
    X(GAUGE, STALLED, "fixpoint_stalled", "what", job_types, NULL,                       \
      "Running jobs that take longer than they may, by type.")                           \
    X(COUNTER, LINES_LOST, "fixpoint_log_lines_lost_total", NULL, NULL, NULL,            \
      "Log lines that could not be written.")                                            \
    X(COUNTER, CERTIFICATE_RELOADS, "fixpoint_certificate_reloads_total", "result",      \
      reload_results, NULL, "Times the certificate's files were read again.")            \
    X(GAUGE, NOT_AFTER, "fixpoint_certificate_not_after_seconds", "kind",                \
      certificate_kinds, NULL,                                                           \
      "When a current certificate expires, in seconds since 1970.")

enum fx_metric {
#define X(type, id, name, key, values, buckets, help) FX_METRIC_##id,
    FX_METRICS(X)
#undef X
        FX_METRIC_COUNT
};

/* Label values that are defined here. The others are those of enum fx_decision
 * (`decision`), enum fx_severity (`severity`), enum fx_reload_result and enum
 * fx_external_result (`result`), enum fx_shed_reason and enum fx_tls_refusal (`reason`),
 * enum fx_dryrun_status (`code`), and enum fx_job_type (`what`). */
enum fx_mutation_status {
    FX_MUTATION_SUCCESS,
    FX_MUTATION_SKIP,
    FX_MUTATION_ERROR,
    FX_MUTATION_UNKNOWN
};
enum fx_binding_result {
    FX_BINDING_ANNOTATED,
    FX_BINDING_NOT_REQUESTED,
    FX_BINDING_FAILED
};
enum fx_success { FX_SUCCESS_TRUE, FX_SUCCESS_FALSE };
enum fx_mutator_status { FX_MUTATOR_ACTIVE, FX_MUTATOR_ERROR };
enum fx_handshake_result { FX_HANDSHAKE_OK, FX_HANDSHAKE_FAILED };
enum fx_certificate_kind { FX_CERTIFICATE_LEAF, FX_CERTIFICATE_CA };

struct fx_metrics {
    struct fx_registry *registry; /* other rooms add families to it */
    struct fx_family *families[FX_METRIC_COUNT];
    struct fx_process_metrics process;
};

/* Creates the registry with all families and those of the process, for `n_threads`
 * threads that count (fx_registry_set_thread()). False if out of memory. */
bool fx_metrics_init(struct fx_metrics *metrics, size_t n_threads) FX_MUST_USE;
void fx_metrics_finish(struct fx_metrics *metrics); /* zeroed is fine */

/* Adds one to a counter. `label`: index of the label value; 0 without labels. */
void fx_metrics_count(struct fx_metrics *metrics, enum fx_metric metric, unsigned label);

/* Sets a gauge, or a counter that is counted elsewhere. */
void fx_metrics_set(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                    double value);

/* Adds an observation to a histogram. */
void fx_metrics_observe(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                        double value);

#endif
