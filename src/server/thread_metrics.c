/* SPDX-License-Identifier: Apache-2.0
 *
 * server/thread_metrics.c - a series for each thread.
 */
#include "server/thread_metrics.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "server/threads.h"

struct fx_thread_metrics {
    const struct fx_threads *threads;
    struct fx_labels *labels;
    struct fx_family *connections;
};

static void read_all(void *user) {
    const struct fx_thread_metrics *metrics = user;
    const struct fx_threads *threads = metrics->threads;
    for (size_t i = 0; threads->items != NULL && i < threads->n_items; i++) {
        char number[24];
        (void)snprintf(number, sizeof number, "%zu", i);
        const struct fx_text value = fx_text_of(number);
        fx_family_set(metrics->connections, fx_labels_get(metrics->labels, &value),
                      (double)fx_threads_connections(threads, i));
    }
}

struct fx_thread_metrics *fx_thread_metrics_create(struct fx_registry *registry,
                                                   const struct fx_threads *threads) {
    static const char *const keys[] = {"thread"};
    struct fx_thread_metrics *metrics = calloc(1, sizeof *metrics);
    if (metrics == NULL) {
        return NULL;
    }
    metrics->threads = threads;
    metrics->labels = fx_registry_add_labels(registry, keys, 1, FX_LIMIT_THREADS);
    const struct fx_family_options plan = {
        .type = FX_FAMILY_GAUGE,
        .name = "fixpoint_thread_connections",
        .help = "Open connections of the webhook, by the thread that serves them.",
        .labels = metrics->labels,
    };
    metrics->connections =
        metrics->labels == NULL ? NULL : fx_registry_add(registry, &plan);
    if (metrics->connections == NULL ||
        !fx_registry_add_reader(registry, read_all, metrics)) {
        free(metrics);
        return NULL;
    }
    return metrics;
}

void fx_thread_metrics_destroy(struct fx_thread_metrics *metrics) {
    free(metrics);
}
