/* SPDX-License-Identifier: Apache-2.0
 *
 * server/cluster_metrics.c - the metrics of the cluster. Some are counted; most are read
 * at each scrape.
 */
#include "server/cluster_metrics.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/limits.h"
#include "server/state.h"

/* Some dozens of combinations of verb, resource and reason occur. */
#define MAX_REQUESTS 256u
#define MAX_STATES   512u

#define NS_IN_S 1e9

/* id, type, name, which labels, help */
#define FAMILIES(X)                                                                  \
    X(REQUESTS, COUNTER, "fixpoint_kube_requests_total", requests,                   \
      "Requests to the API server, by outcome.")                                     \
    X(REQUEST_SECONDS, HISTOGRAM, "fixpoint_kube_request_duration_seconds", verbs,   \
      "Time from a request to the API server to the head of its response, also of "  \
      "watches.")                                                                    \
    X(STATES, GAUGE, "fixpoint_kube_resources", states,                              \
      "State of each watched resource: 1 for its state, 0 for the others.")          \
    X(OBJECTS, GAUGE, "fixpoint_kube_objects", resources,                            \
      "Objects of a watched resource.")                                              \
    X(SYNCED, GAUGE, "fixpoint_kube_last_sync_timestamp_seconds", resources,         \
      "Time of the last response about a resource, in seconds since 1970.")          \
    X(STATUS_WRITES, COUNTER, "fixpoint_status_writes_total", none,                  \
      "Writes of status.byPod, of conditions, and of status.typeChecking.")          \
    X(STATUS_QUEUE, GAUGE, "fixpoint_status_queue_depth", none,                      \
      "Mutators whose status is not written yet.")                                   \
    X(EVENTS, COUNTER, "fixpoint_events_total", none, "Events about mutators.")      \
    X(EXISTING_JOBS, COUNTER, "fixpoint_existing_jobs_total", none,                  \
      "Jobs of rules that mutate existing objects, by result.")                      \
    X(EXISTING_TARGETS, COUNTER, "fixpoint_existing_targets_total", none,            \
      "Existing objects that rules were applied to, by result.")                     \
    X(EXISTING_QUEUE, GAUGE, "fixpoint_existing_queue_depth", none,                  \
      "Jobs of rules that mutate existing objects, not finished yet.")               \
    X(NATIVE, GAUGE, "fixpoint_native_policies", none,                               \
      "Who runs the policies of the API server's own group: 1 for the state, 0 for " \
      "the others.")                                                                 \
    X(LEASE, GAUGE, "fixpoint_lease_held", none, "1 if this replica is the leader.") \
    X(PUBLISHED, GAUGE, "fixpoint_ca_bundle_published", none,                        \
      "1 if every webhook configuration has Fixpoint's caBundle.")                   \
    X(CONFIGURED, GAUGE, "fixpoint_webhook_configured", none,                        \
      "1 if the mutating webhook configuration exists.")                             \
    X(DISABLED, GAUGE, "fixpoint_disabled", none,                                    \
      "1 if mutation is disabled by `fixpoint disable`.")

enum family {
#define X(id, type, name, labels, help) FAMILY_##id,
    FAMILIES(X)
#undef X
        FAMILY_COUNT
};

struct label_sets {
    struct fx_labels *requests, *verbs, *states, *resources, *none;
};

struct fx_cluster_metrics {
    struct fx_server *server;
    struct fx_family *families[FAMILY_COUNT];
    struct label_sets tables;
    /* The resources of kinds that policies name, as of the last scrape. */
    char *named[FX_LIMIT_NAMED_KINDS];
    size_t n_named;
};

/* The result of a write. Events are dropped if there are too many. */
enum write_result { RESULT_OK, RESULT_FAILED, RESULT_DROPPED };
static const char *const status_results[] = {"ok", "failed", NULL};
static const char *const native_states[] = {FX_NATIVE_STATES(FX_WORD) NULL};
static const char *const job_results[] = {FX_EXISTING_JOBS(FX_WORD) NULL};
static const char *const target_results[] = {FX_EXISTING_TARGETS(FX_WORD) NULL};
static const char *const event_results[] = {"ok", "failed", "dropped", NULL};

static const double bounds[] = {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30};

static bool add_tables(struct fx_registry *registry, struct label_sets *tables) {
    static const char *const requests[] = {"verb", "resource", "reason"};
    static const char *const verbs[] = {"verb"};
    static const char *const states[] = {"resource", "state"};
    static const char *const resources[] = {"resource"};
    *tables = (struct label_sets){
        .requests = fx_registry_add_labels(registry, requests, 3, MAX_REQUESTS),
        .verbs = fx_registry_add_labels(registry, verbs, 1, MAX_STATES),
        .states = fx_registry_add_labels(registry, states, 2, MAX_STATES),
        .resources = fx_registry_add_labels(registry, resources, 1, MAX_STATES),
    };
    return tables->requests != NULL && tables->verbs != NULL && tables->states != NULL &&
           tables->resources != NULL;
}

static bool add_families(struct fx_registry *registry,
                         struct fx_cluster_metrics *metrics) {
    static const struct fx_buckets buckets = {bounds, FX_COUNT(bounds)};
    const struct label_sets *tables = &metrics->tables;
    struct fx_family_options options[FAMILY_COUNT] = {
#define X(id, type_, name_, labels_, help_)     \
    [FAMILY_##id] = {.type = FX_FAMILY_##type_, \
                     .name = (name_),           \
                     .help = (help_),           \
                     .labels = tables->labels_},
        FAMILIES(X)
#undef X
    };
    options[FAMILY_REQUEST_SECONDS].buckets = &buckets;
    options[FAMILY_STATUS_WRITES].key = options[FAMILY_EVENTS].key = "result";
    options[FAMILY_STATUS_WRITES].values = status_results;
    options[FAMILY_EVENTS].values = event_results;
    options[FAMILY_EXISTING_JOBS].key = options[FAMILY_EXISTING_TARGETS].key = "result";
    options[FAMILY_EXISTING_JOBS].values = job_results;
    options[FAMILY_EXISTING_TARGETS].values = target_results;
    options[FAMILY_NATIVE].key = "state";
    options[FAMILY_NATIVE].values = native_states;
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        metrics->families[i] = fx_registry_add(registry, &options[i]);
        if (metrics->families[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* ---- read at each scrape ----------------------------------------------------------- */

static uint32_t series_of(struct fx_labels *labels, const char *value) {
    const struct fx_text text = fx_text_of(value);
    return fx_labels_get(labels, &text);
}

static void set_value(struct fx_cluster_metrics *metrics, enum family family,
                      uint32_t series, double value) {
    fx_family_set(metrics->families[family], series, value);
}

static void read_state(struct fx_cluster_metrics *metrics, struct fx_text resource,
                       enum fx_kube_state now) {
#define X(name, text)                                                                    \
    {                                                                                    \
        const struct fx_text values[] = {resource, FX_TEXT(text)};                       \
        set_value(metrics, FAMILY_STATES, fx_labels_get(metrics->tables.states, values), \
                  now == FX_KUBE_STATE_##name ? 1 : 0);                                  \
    }
    FX_KUBE_STATES(X)
#undef X
}

/* Remembers a kind that policies name, as its series are removed at the first scrape
 * after no policy names it. False if there is no room. */
static bool note_named(struct fx_cluster_metrics *metrics, struct fx_text resource) {
    char *copy = metrics->n_named < FX_LIMIT_NAMED_KINDS ? fx_text_dup(resource) : NULL;
    if (copy != NULL) {
        metrics->named[metrics->n_named++] = copy;
    }
    return copy != NULL;
}

static void drop_named(struct fx_cluster_metrics *metrics) {
    const struct label_sets *tables = &metrics->tables;
    while (metrics->n_named > 0) {
        char *name = metrics->named[--metrics->n_named];
        uint32_t series = 0;
        struct fx_text values[] = {fx_text_of(name), FX_TEXT("")};
#define X(state, text)                                     \
    values[1] = FX_TEXT(text);                             \
    if (fx_labels_find(tables->states, values, &series)) { \
        fx_labels_drop(tables->states, series);            \
    }
        FX_KUBE_STATES(X)
#undef X
        if (fx_labels_find(tables->resources, values, &series)) {
            fx_labels_drop(tables->resources, series);
        }
        free(name);
    }
}

static void read_resource(struct fx_cluster_metrics *metrics, size_t index) {
    const struct fx_kube_resource *resource = NULL;
    struct fx_kube_reflector_status status;
    struct fx_buf name = {0};
    if (!fx_cluster_get_resource_status(metrics->server->cluster, index, &resource,
                                        &status)) {
        return;
    }
    fx_kube_write_resource(resource, &name);
    if (!name.failed &&
        (index < FX_CLUSTER_RESOURCES || note_named(metrics, fx_buf_view(&name)))) {
        const struct fx_text text = fx_buf_view(&name);
        const uint32_t series = fx_labels_get(metrics->tables.resources, &text);
        read_state(metrics, text, status.state);
        set_value(metrics, FAMILY_OBJECTS, series, (double)status.n_objects);
        if (status.synced_ns != 0) {
            const double ago = (double)(fx_clock_ns() - status.synced_ns) / NS_IN_S;
            set_value(metrics, FAMILY_SYNCED, series, (double)fx_date_now() - ago);
        }
    }
    fx_buf_finish(&name);
}

static void read_writes(struct fx_cluster_metrics *metrics,
                        const struct fx_cluster_stats *stats) {
    set_value(metrics, FAMILY_STATUS_WRITES, RESULT_OK, (double)stats->status.written);
    set_value(metrics, FAMILY_STATUS_WRITES, RESULT_FAILED, (double)stats->status.failed);
    set_value(metrics, FAMILY_STATUS_QUEUE, 0, (double)stats->status.queued);
    set_value(metrics, FAMILY_EVENTS, RESULT_OK, (double)stats->events.written);
    set_value(metrics, FAMILY_EVENTS, RESULT_FAILED, (double)stats->events.failed);
    set_value(metrics, FAMILY_EVENTS, RESULT_DROPPED, (double)stats->events.dropped);
}

static void read_existing(struct fx_cluster_metrics *metrics,
                          const struct fx_cluster_existing_counts *counts) {
    for (uint32_t i = 0; i < FX_EXISTING_JOB_RESULTS; i++) {
        set_value(metrics, FAMILY_EXISTING_JOBS, i, (double)counts->jobs[i]);
    }
    for (uint32_t i = 0; i < FX_EXISTING_TARGET_RESULTS; i++) {
        set_value(metrics, FAMILY_EXISTING_TARGETS, i, (double)counts->targets[i]);
    }
    set_value(metrics, FAMILY_EXISTING_QUEUE, 0,
              (double)(counts->n_waiting + counts->n_running));
}

static void read_all(void *user) {
    struct fx_cluster_metrics *metrics = user;
    struct fx_server *server = metrics->server;
    struct fx_cluster_stats stats;
    if (server->cluster == NULL) {
        return;
    }
    fx_cluster_get_stats(server->cluster, &stats);
    drop_named(metrics);
    for (size_t i = fx_cluster_resources_count(server->cluster); i > 0; i--) {
        /* A kind that a policy names may also be watched for itself. */
        read_resource(metrics, i - 1);
    }
    read_writes(metrics, &stats);
    read_existing(metrics, &stats.existing);
    set_value(metrics, FAMILY_LEASE, 0, stats.lease_held ? 1 : 0);
    for (uint32_t i = 0; stats.has_native && native_states[i] != NULL; i++) {
        set_value(metrics, FAMILY_NATIVE, i, i == (uint32_t)stats.native ? 1 : 0);
    }
    if (stats.publishes) {
        set_value(metrics, FAMILY_PUBLISHED, 0, stats.published ? 1 : 0);
    }
    if (stats.names_mutating) {
        set_value(metrics, FAMILY_CONFIGURED, 0, stats.configured ? 1 : 0);
        set_value(metrics, FAMILY_DISABLED, 0, stats.disabled ? 1 : 0);
    }
    if (stats.ca_not_after != 0) {
        fx_metrics_set(&server->metrics, FX_METRIC_NOT_AFTER, FX_CERTIFICATE_CA,
                       (double)stats.ca_not_after);
    }
}

/* ---- create and count ------------------------------------------------------------ */

struct fx_cluster_metrics *fx_cluster_metrics_create(struct fx_registry *registry,
                                                     struct fx_server *server) {
    struct fx_cluster_metrics *metrics = calloc(1, sizeof *metrics);
    if (metrics == NULL) {
        return NULL;
    }
    metrics->server = server;
    if (!add_tables(registry, &metrics->tables) || !add_families(registry, metrics) ||
        !fx_registry_add_reader(registry, read_all, metrics)) {
        free(metrics);
        return NULL;
    }
    return metrics;
}

void fx_cluster_metrics_destroy(struct fx_cluster_metrics *metrics) {
    for (size_t i = 0; metrics != NULL && i < metrics->n_named; i++) {
        free(metrics->named[i]);
    }
    free(metrics);
}

void fx_cluster_metrics_count(struct fx_cluster_metrics *metrics, enum fx_kube_verb verb,
                              const struct fx_kube_resource *resource,
                              enum fx_kube_reason reason, double seconds) {
    struct fx_buf name = {0};
    fx_kube_write_resource(resource, &name);
    if (!name.failed) {
        const struct fx_text values[] = {fx_text_of(fx_kube_verb_name(verb)),
                                         {name.data, name.len},
                                         fx_text_of(fx_kube_reason_name(reason))};
        fx_family_count(metrics->families[FAMILY_REQUESTS],
                        fx_labels_get(metrics->tables.requests, values));
    }
    fx_buf_finish(&name);
    fx_family_observe(metrics->families[FAMILY_REQUEST_SECONDS],
                      series_of(metrics->tables.verbs, fx_kube_verb_name(verb)), seconds);
}
