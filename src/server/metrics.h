/* SPDX-License-Identifier: Apache-2.0
 *
 * server/metrics.h - what the process counts, and its Prometheus text.
 *
 * All metrics stand in one list. Gatekeeper's names are kept where they mean the same, so
 * that existing dashboards work (spec section 9); unlike there, a policy's failure counts
 * as `error`, and not as a success. Loop thread only.
 */
#ifndef FX_SERVER_METRICS_H
#define FX_SERVER_METRICS_H

#include <stdint.h>

#include "base/buf.h"

/* type, id, name, label key, label values, help. A metric without labels has the label
 * values NONE. */
#define FX_METRICS(X)                                                                  \
    X(COUNTER, MUTATIONS, "gatekeeper_mutation_request_count", "mutation_status",      \
      MUTATION_STATUSES, "Reviews in which mutation was tried.")                       \
    X(HISTOGRAM, MUTATION_SECONDS, "gatekeeper_mutation_request_duration_seconds",     \
      "mutation_status", MUTATION_STATUSES,                                            \
      "From the first byte of a review to its answer.")                                \
    X(HISTOGRAM, ITERATIONS, "gatekeeper_mutation_system_iterations", "success",       \
      SUCCESSES, "Passes until nothing changed; 0 where no mutator changed anything.") \
    X(GAUGE, MUTATORS, "gatekeeper_mutators", "status", MUTATOR_STATUSES,              \
      "Mutators read, by whether they work.")                                          \
    X(GAUGE, CONFLICTING, "gatekeeper_mutator_conflicting_count", "", NONE,            \
      "Mutators that are disabled because others disagree with them.")                 \
    X(GAUGE, BUILD, "fixpoint_build_info", "version", VERSIONS, "Always 1.")           \
    X(GAUGE, CONNECTIONS, "fixpoint_connections", "", NONE,                            \
      "Open connections of the webhook.")                                              \
    X(GAUGE, IN_FLIGHT, "fixpoint_requests_in_flight", "", NONE,                       \
      "Requests that are not yet answered.")                                           \
    X(COUNTER, REVIEWS, "fixpoint_reviews_total", "decision", DECISIONS,               \
      "Reviews answered, by how they ended.")                                          \
    X(COUNTER, ADMISSIONS, "fixpoint_admissions_total", "decision", DECISIONS,         \
      "Policies and labels validated, by how that ended.")                             \
    X(COUNTER, EXTERNAL_CALLS, "fixpoint_external_data_requests_total", "result",      \
      EXTERNAL_RESULTS, "Requests to providers of external data, by how they ended.")  \
    X(HISTOGRAM, EXTERNAL_SECONDS, "fixpoint_external_data_request_duration_seconds",  \
      "result", EXTERNAL_RESULTS, "From a request to a provider to its end.")          \
    X(COUNTER, BAD_REQUESTS, "fixpoint_http_bad_requests_total", "", NONE,             \
      "Messages that were no acceptable HTTP.")                                        \
    X(COUNTER, RELOADS, "fixpoint_reloads_total", "result", RELOAD_RESULTS,            \
      "Times the policies were read again.")                                           \
    X(COUNTER, CERTIFICATE_RELOADS, "fixpoint_certificate_reloads_total", "result",    \
      RELOAD_RESULTS, "Times the certificate's files were read again.")                \
    X(GAUGE, NOT_AFTER, "fixpoint_certificate_not_after_seconds", "", NONE,            \
      "When the certificate in use ends, in seconds since 1970.")

enum fx_metric {
#define X(type, id, name, key, values, help) FX_METRIC_##id,
    FX_METRICS(X)
#undef X
        FX_METRIC_COUNT
};

/* The label values that are ours; `decision` has those of enum fx_decision, `result`
 * those of enum fx_reload_result or enum fx_external_result. */
enum fx_mutation_status {
    FX_MUTATION_SUCCESS,
    FX_MUTATION_SKIP,
    FX_MUTATION_ERROR,
    FX_MUTATION_UNKNOWN
};
enum fx_success { FX_SUCCESS_TRUE, FX_SUCCESS_FALSE };
enum fx_mutator_status { FX_MUTATOR_ACTIVE, FX_MUTATOR_ERROR };

#define FX_METRIC_LABELS     7 /* the most label values of one metric */
#define FX_METRIC_BUCKETS    32
#define FX_METRIC_HISTOGRAMS 3

struct fx_metrics {
    double values[FX_METRIC_COUNT][FX_METRIC_LABELS];
    struct fx_metric_histogram {
        uint64_t
            buckets[FX_METRIC_BUCKETS]; /* not cumulated; the last: over all bounds */
        uint64_t count;
        double sum;
    } histograms[FX_METRIC_HISTOGRAMS][FX_METRIC_LABELS];
};

/* All at zero, but for the build. */
void fx_metrics_init(struct fx_metrics *metrics);

/* One more, for counters; `label` is the index of the label's value, 0 without labels. */
void fx_metrics_count(struct fx_metrics *metrics, enum fx_metric metric, unsigned label);

/* Another value, for gauges, and for counters that are counted elsewhere. */
void fx_metrics_set(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                    double value);

/* One observation, for histograms. */
void fx_metrics_observe(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                        double value);

/* Appends everything in Prometheus' text format 0.0.4. Failure sticks in `buf`. */
void fx_metrics_print(const struct fx_metrics *metrics, struct fx_buf *buf);

#define FX_METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

#endif
