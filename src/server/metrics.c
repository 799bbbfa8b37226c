/* SPDX-License-Identifier: Apache-2.0
 *
 * server/metrics.c - the list, made into families.
 */
#include "server/metrics.h"

#include <stddef.h>

#include "admission/review.h"
#include "base/jobs.h"
#include "net/tls_clients.h"
#include "policy/findings.h"
#include "server/dryruns.h"
#include "server/external_calls.h"
#include "server/reload.h"
#include "server/shed.h"

#define WORD(name, text) text,

static const char *const mutation_statuses[] = {"success", "skip", "error", "unknown",
                                                NULL};
static const char *const successes[] = {"true", "false", NULL};
static const char *const mutator_statuses[] = {"active", "error", NULL};
static const char *const handshake_results[] = {"ok", "failed", NULL};
static const char *const certificate_kinds[] = {"leaf", "ca", NULL};
static const char *const client_refusals[] = {FX_TLS_REFUSALS(WORD) NULL};
#define NUMBER(number) #number,
static const char *const dryrun_statuses[] = {FX_DRYRUN_STATUSES(NUMBER) NULL};
static const char *const versions[] = {FX_VERSION, NULL};
static const char *const decisions[] = {FX_DECISIONS(WORD) NULL};
static const char *const binding_results[] = {"annotated", "not_requested", "failed",
                                              NULL};
static const char *const severities[] = {FX_SEVERITIES(WORD) NULL};
static const char *const external_results[] = {FX_EXTERNAL_RESULTS(WORD) NULL};
static const char *const reload_results[] = {FX_RELOAD_RESULTS(WORD) NULL};
static const char *const job_types[] = {FX_JOB_TYPES(WORD) NULL};
static const char *const shed_reasons[] = {FX_SHED_REASONS(WORD) NULL};

/* The buckets of spec section 9: to 10 ms by one, to 100 ms by ten, to a
 * second by a hundred, to 10 s by half a second; and those of its ingestion. */
static const double seconds[] = {
    .001, .002, .003, .004, .005, .006, .007, .008, .009, .01, .02, .03,
    .04,  .05,  .06,  .07,  .08,  .09,  .1,   .2,   .3,   .4,  .5,  .6,
    .7,   .8,   .9,   1,    1.5,  2,    2.5,  3,    3.5,  4,   4.5, 5,
    5.5,  6,    6.5,  7,    7.5,  8,    8.5,  9,    9.5,  10};
static const double short_seconds[] = {.001, .002, .003, .004, .005, .006, .007,
                                       .008, .009, .01,  .02,  .03,  .04,  .05};
static const double passes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100, 200, 500};

/* A review takes a tenth of a millisecond: the first of those buckets has them all. */
static const double fine_seconds[] = {.0001, .0002, .0005, .001, .002, .005, .01, .02,
                                      .05,   .1,    .2,    .5,   1,    2,    5,   10};

#define BUCKETS(bounds)   \
    {                     \
        bounds,           \
        FX_COUNT(bounds), \
    }
static const struct fx_buckets bucket_lists[] = {
    BUCKETS(seconds),
    BUCKETS(short_seconds),
    BUCKETS(passes),
    BUCKETS(fine_seconds),
};

#define NONE              NULL
#define MUTATION_STATUSES mutation_statuses
#define SUCCESSES         successes
#define MUTATOR_STATUSES  mutator_statuses
#define HANDSHAKE_RESULTS handshake_results
#define CERTIFICATE_KINDS certificate_kinds
#define CLIENT_REFUSALS   client_refusals
#define DRYRUN_STATUSES   dryrun_statuses
#define VERSIONS          versions
#define DECISIONS         decisions
#define BINDING_RESULTS   binding_results
#define SEVERITIES        severities
#define EXTERNAL_RESULTS  external_results
#define RELOAD_RESULTS    reload_results
#define SHED_REASONS      shed_reasons
#define JOB_TYPES         job_types
#define NO_BUCKETS        NULL
#define SECONDS           &bucket_lists[0]
#define SHORT_SECONDS     &bucket_lists[1]
#define PASSES            &bucket_lists[2]
#define FINE_SECONDS      &bucket_lists[3]

static const struct fx_family_options families[] = {
#define X(type, id, name, key, values, buckets, help) \
    {FX_FAMILY_##type, name, help, key, values, NULL, buckets},
    FX_METRICS(X)
#undef X
};

bool fx_metrics_init(struct fx_metrics *metrics, size_t n_threads) {
    *metrics = (struct fx_metrics){.registry = fx_registry_create(n_threads)};
    if (metrics->registry == NULL) {
        return false;
    }
    for (size_t i = 0; i < FX_METRIC_COUNT; i++) {
        metrics->families[i] = fx_registry_add(metrics->registry, &families[i]);
        if (metrics->families[i] == NULL) {
            return false;
        }
    }
    fx_metrics_set(metrics, FX_METRIC_BUILD, 0, 1);
    return fx_process_metrics_add(&metrics->process, metrics->registry);
}

void fx_metrics_finish(struct fx_metrics *metrics) {
    fx_registry_destroy(metrics->registry);
    *metrics = (struct fx_metrics){0};
}

void fx_metrics_count(struct fx_metrics *metrics, enum fx_metric metric, unsigned label) {
    fx_family_count(metrics->families[metric], label);
}

void fx_metrics_set(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                    double value) {
    fx_family_set(metrics->families[metric], label, value);
}

void fx_metrics_observe(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                        double value) {
    fx_family_observe(metrics->families[metric], label, value);
}
