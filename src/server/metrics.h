/* SPDX-License-Identifier: Apache-2.0
 *
 * server/metrics.h - what the server counts, as one list, in a registry that other rooms
 * count into as well (metrics/registry.h). docs/metrics.md tells each to its users.
 *
 * Gatekeeper's names and buckets are kept where they mean the same, so that existing
 * dashboards work (spec section 9); unlike there, a policy's failure counts as `error`,
 * and not as a success. Threads count and observe; the first one alone sets.
 */
#ifndef FX_SERVER_METRICS_H
#define FX_SERVER_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "metrics/process.h"
#include "metrics/registry.h"

/* type, id, name, label key, label values, buckets, help. One without labels has the key
 * NULL and the values NONE, one that is no histogram the buckets NO_BUCKETS. */
#define FX_METRICS(X)                                                                    \
    X(COUNTER, MUTATIONS, "gatekeeper_mutation_request_count", "mutation_status",        \
      MUTATION_STATUSES, NO_BUCKETS, "Reviews in which mutation was tried.")             \
    X(HISTOGRAM, MUTATION_SECONDS, "gatekeeper_mutation_request_duration_seconds",       \
      "mutation_status", MUTATION_STATUSES, SECONDS,                                     \
      "From the first byte of a review to its answer.")                                  \
    X(HISTOGRAM, ITERATIONS, "gatekeeper_mutation_system_iterations", "success",         \
      SUCCESSES, PASSES,                                                                 \
      "Passes until nothing changed; 0 where no mutator changed anything.")              \
    X(COUNTER, INGESTIONS, "gatekeeper_mutator_ingestion_count", "status",               \
      MUTATOR_STATUSES, NO_BUCKETS,                                                      \
      "Mutators taken into use or refused, each time the policies were built.")          \
    X(HISTOGRAM, INGESTION_SECONDS, "gatekeeper_mutator_ingestion_duration_seconds",     \
      "status", MUTATOR_STATUSES, SHORT_SECONDS,                                         \
      "How long the build took that a mutator was taken into use or refused by.")        \
    X(GAUGE, MUTATORS, "gatekeeper_mutators", "status", MUTATOR_STATUSES, NO_BUCKETS,    \
      "Mutators read, by whether they work.")                                            \
    X(GAUGE, CONFLICTING, "gatekeeper_mutator_conflicting_count", NULL, NONE,            \
      NO_BUCKETS, "Mutators that are disabled because others disagree with them.")       \
    X(GAUGE, BUILD, "fixpoint_build_info", "version", VERSIONS, NO_BUCKETS, "Always 1.") \
    X(COUNTER, REVIEWS, "fixpoint_reviews_total", "decision", DECISIONS, NO_BUCKETS,     \
      "Reviews answered, by how they ended.")                                            \
    X(HISTOGRAM, REVIEW_SECONDS, "fixpoint_review_duration_seconds", NULL, NONE,         \
      FINE_SECONDS, "From the first byte of a review to its answer.")                    \
    X(HISTOGRAM, PASSES, "fixpoint_review_passes", NULL, NONE, PASSES,                   \
      "Passes over the mutators, the last quiet one included.")                          \
    X(GAUGE, PASSTHROUGH, "fixpoint_passthrough", NULL, NONE, NO_BUCKETS,                \
      "Is everything let pass unchanged, by a signal?")                                  \
    X(COUNTER, ADMISSIONS, "fixpoint_admissions_total", "decision", DECISIONS,           \
      NO_BUCKETS, "Policies and labels validated, by how that ended.")                   \
    X(COUNTER, DRYRUNS, "fixpoint_dryrun_requests_total", "code", DRYRUN_STATUSES,       \
      NO_BUCKETS, "Dry runs asked for, by the HTTP status of the answer.")               \
    X(COUNTER, BINDINGS, "fixpoint_pod_bindings_total", "result", BINDING_RESULTS,       \
      NO_BUCKETS, "Pods that were bound, by whether they were told their Node.")         \
    X(GAUGE, QUARANTINED, "fixpoint_mutators_quarantined", NULL, NONE, NO_BUCKETS,       \
      "Mutators taken out because they failed again and again.")                         \
    X(GAUGE, GENERATION, "fixpoint_policy_generation", NULL, NONE, NO_BUCKETS,           \
      "How many versions of the policies there have been.")                              \
    X(GAUGE, CHANGED, "fixpoint_policy_last_change_timestamp_seconds", NULL, NONE,       \
      NO_BUCKETS, "When the policies in force were taken, in seconds since 1970.")       \
    X(GAUGE, FINDINGS, "fixpoint_policy_findings", "severity", SEVERITIES, NO_BUCKETS,   \
      "What is wrong with the policies in force.")                                       \
    X(GAUGE, EMPTIED, "fixpoint_policies_emptied", NULL, NONE, NO_BUCKETS,               \
      "Do the files hold no mutators, where they held some before?")                     \
    X(COUNTER, RELOADS, "fixpoint_reloads_total", "result", RELOAD_RESULTS, NO_BUCKETS,  \
      "Times the policies were read again.")                                             \
    X(COUNTER, EXTERNAL_CALLS, "fixpoint_external_data_requests_total", "result",        \
      EXTERNAL_RESULTS, NO_BUCKETS,                                                      \
      "Requests to providers of external data, by how they ended.")                      \
    X(HISTOGRAM, EXTERNAL_SECONDS, "fixpoint_external_data_request_duration_seconds",    \
      "result", EXTERNAL_RESULTS, SECONDS, "From a request to a provider to its end.")   \
    X(GAUGE, CONNECTIONS, "fixpoint_connections", NULL, NONE, NO_BUCKETS,                \
      "Open connections of the webhook.")                                                \
    X(COUNTER, ACCEPTED, "fixpoint_connections_accepted_total", NULL, NONE, NO_BUCKETS,  \
      "Connections of the webhook since the start.")                                     \
    X(COUNTER, DROPPED, "fixpoint_connections_dropped_total", NULL, NONE, NO_BUCKETS,    \
      "Idle connections closed to make room for others.")                                \
    X(COUNTER, HANDSHAKES, "fixpoint_tls_handshakes_total", "result", HANDSHAKE_RESULTS, \
      NO_BUCKETS, "TLS handshakes of the webhook, by how they ended.")                   \
    X(COUNTER, CLIENTS_REFUSED, "fixpoint_client_certificates_refused_total", "reason",  \
      CLIENT_REFUSALS, NO_BUCKETS,                                                       \
      "TLS handshakes that failed since a client may not ask, by why.")                  \
    X(GAUGE, IN_FLIGHT, "fixpoint_requests_in_flight", NULL, NONE, NO_BUCKETS,           \
      "Requests that are not yet answered.")                                             \
    X(GAUGE, HELD, "fixpoint_http_held_bytes", NULL, NONE, NO_BUCKETS,                   \
      "Memory of messages that are not yet answered.")                                   \
    X(COUNTER, REFUSED, "fixpoint_http_refused_total", NULL, NONE, NO_BUCKETS,           \
      "Connections and messages for which there was no room.")                           \
    X(COUNTER, BAD_REQUESTS, "fixpoint_http_bad_requests_total", NULL, NONE, NO_BUCKETS, \
      "Messages that were no acceptable HTTP.")                                          \
    X(COUNTER, SHED, "fixpoint_requests_shed_total", "reason", SHED_REASONS, NO_BUCKETS, \
      "Requests turned away because there were too many, by why.")                       \
    X(COUNTER, STALLS, "fixpoint_stalls_total", "what", JOB_TYPES, NO_BUCKETS,           \
      "Times that work took longer than it may take, by what.")                          \
    X(GAUGE, STALLED, "fixpoint_stalled", "what", JOB_TYPES, NO_BUCKETS,                 \
      "Work under way that takes longer than it may take, by what.")                     \
    X(COUNTER, LINES_LOST, "fixpoint_log_lines_lost_total", NULL, NONE, NO_BUCKETS,      \
      "Lines of the log that could not be written.")                                     \
    X(COUNTER, CERTIFICATE_RELOADS, "fixpoint_certificate_reloads_total", "result",      \
      RELOAD_RESULTS, NO_BUCKETS, "Times the certificate's files were read again.")      \
    X(GAUGE, NOT_AFTER, "fixpoint_certificate_not_after_seconds", "kind",                \
      CERTIFICATE_KINDS, NO_BUCKETS,                                                     \
      "When a certificate in use ends, in seconds since 1970.")

enum fx_metric {
#define X(type, id, name, key, values, buckets, help) FX_METRIC_##id,
    FX_METRICS(X)
#undef X
        FX_METRIC_COUNT
};

/* The label values that are ours; `decision` has those of enum fx_decision, `severity`
 * those of enum fx_severity, `result` those of enum fx_reload_result or enum
 * fx_external_result, `reason` those of enum fx_shed_reason or enum fx_tls_refusal,
 * `code` those of enum fx_dryrun_status, `what` those of enum fx_job_type. */
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
    struct fx_registry *registry; /* for all who count */
    struct fx_family *families[FX_METRIC_COUNT];
    struct fx_process_metrics process;
};

/* All at zero, or unknown, but for the build; and the process. For so many threads that
 * count (fx_registry_set_thread()). False without memory. */
bool fx_metrics_init(struct fx_metrics *metrics, size_t n_threads) FX_MUST_USE;
void fx_metrics_finish(struct fx_metrics *metrics); /* zeroed ones are fine */

/* One more, for counters; `label` is the index of the label's value, 0 without labels. */
void fx_metrics_count(struct fx_metrics *metrics, enum fx_metric metric, unsigned label);

/* Another value, for gauges, and for counters that are counted elsewhere. */
void fx_metrics_set(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                    double value);

/* One observation, for histograms. */
void fx_metrics_observe(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                        double value);

#endif
