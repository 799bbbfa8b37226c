/* SPDX-License-Identifier: Apache-2.0
 *
 * server/metrics.c - makes families from the list of metrics.
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

static const char *const mutation_statuses[] = {"success", "skip", "error", "unknown",
                                                NULL};
static const char *const successes[] = {"true", "false", NULL};
static const char *const mutator_statuses[] = {"active", "error", NULL};
static const char *const handshake_results[] = {"ok", "failed", NULL};
static const char *const certificate_kinds[] = {"leaf", "ca", NULL};
static const char *const client_refusals[] = {FX_TLS_REFUSALS(FX_WORD) NULL};
#define NUMBER(number) #number,
static const char *const dryrun_statuses[] = {FX_DRYRUN_STATUSES(NUMBER) NULL};
static const char *const versions[] = {FX_VERSION, NULL};
static const char *const decisions[] = {FX_DECISIONS(FX_WORD) NULL};
static const char *const binding_results[] = {"annotated", "not_requested", "failed",
                                              NULL};
static const char *const severities[] = {FX_SEVERITIES(FX_WORD) NULL};
static const char *const external_results[] = {FX_EXTERNAL_RESULTS(FX_WORD) NULL};
static const char *const reload_results[] = {FX_RELOAD_RESULTS(FX_WORD) NULL};
static const char *const job_types[] = {FX_JOB_TYPES(FX_WORD) NULL};
static const char *const shed_reasons[] = {FX_SHED_REASONS(FX_WORD) NULL};

/* The buckets of spec section 9: up to 10 ms in steps of 1 ms, to 100 ms of 10 ms, to 1 s
 * of 100 ms, to 10 s of 500 ms; and the buckets of ingestion. */
static const double second_bounds[] = {
    .001, .002, .003, .004, .005, .006, .007, .008, .009, .01, .02, .03,
    .04,  .05,  .06,  .07,  .08,  .09,  .1,   .2,   .3,   .4,  .5,  .6,
    .7,   .8,   .9,   1,    1.5,  2,    2.5,  3,    3.5,  4,   4.5, 5,
    5.5,  6,    6.5,  7,    7.5,  8,    8.5,  9,    9.5,  10};
static const double short_second_bounds[] = {.001, .002, .003, .004, .005, .006, .007,
                                             .008, .009, .01,  .02,  .03,  .04,  .05};
static const double pass_bounds[] = {1, 2,  3,  4,  5,   6,   7,  8,
                                     9, 10, 20, 50, 100, 200, 500};

/* A review takes 0.1 ms, so the first bucket above would count all reviews. */
static const double fine_second_bounds[] = {
    .0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10};

#define BUCKETS(bounds)   \
    {                     \
        bounds,           \
        FX_COUNT(bounds), \
    }
static const struct fx_buckets seconds = BUCKETS(second_bounds);
static const struct fx_buckets short_seconds = BUCKETS(short_second_bounds);
static const struct fx_buckets passes = BUCKETS(pass_bounds);
static const struct fx_buckets fine_seconds = BUCKETS(fine_second_bounds);

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
