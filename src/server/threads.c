/* SPDX-License-Identifier: Apache-2.0
 *
 * server/threads.c - functions for all serving threads.
 */
#include "server/threads.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "server/cores.h"
#include "server/state.h"
#include "server/thread.h"

size_t fx_threads_wanted(const struct fx_server_options *options) {
    size_t wanted = options->threads == 0 ? fx_cores_usable() : options->threads;
    if (options->max_connections > 0 && wanted > options->max_connections) {
        wanted = options->max_connections;
    }
    return wanted > FX_LIMIT_THREADS ? FX_LIMIT_THREADS : wanted;
}

/* Other threads read the activities, even those of threads that have ended. */
static bool make_items(struct fx_threads *threads) {
    struct fx_thread *items = calloc(threads->n_items, sizeof items[0]);
    for (size_t i = 0; items != NULL && i < threads->n_items; i++) {
        if (!fx_activity_init(&items[i].activity)) {
            while (i > 0) {
                fx_activity_finish(&items[--i].activity);
            }
            free(items);
            return false;
        }
    }
    threads->items = items;
    return items != NULL;
}

bool fx_threads_start(struct fx_server *server, struct fx_err *err) {
    struct fx_threads *threads = &server->threads;
    assert(threads->n_items > 0 && threads->n_items <= FX_LIMIT_THREADS);
    if (!make_items(threads)) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < threads->n_items; i++) {
        struct fx_tls_config *tls = fx_certificates_current(server->certificates, i);
        if (!fx_thread_start(&threads->items[i], server, (unsigned)i, tls, err)) {
            return false;
        }
        threads->n_running++;
    }
    return true;
}

/* ---- connections ---- */

static bool is_better(const struct fx_thread_load *load,
                      const struct fx_thread_load *than) {
    if (load->is_overloaded != than->is_overloaded) {
        return than->is_overloaded;
    }
    if (load->n_connections != than->n_connections) {
        return load->n_connections < than->n_connections;
    }
    return load->assigned_at < than->assigned_at;
}

size_t fx_threads_choose(const struct fx_thread_load *loads, size_t n) {
    assert(n > 0);
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        if (is_better(&loads[i], &loads[best])) {
            best = i;
        }
    }
    return best;
}

void fx_threads_add_connection(struct fx_threads *threads, int fd) {
    struct fx_thread_load loads[FX_LIMIT_THREADS];
    for (size_t i = 0; i < threads->n_running; i++) {
        const struct fx_thread *thread = &threads->items[i];
        loads[i] = (struct fx_thread_load){
            .n_connections = fx_thread_connections(thread),
            .assigned_at = thread->assigned_at,
            .is_overloaded = fx_thread_is_overloaded(thread),
        };
    }
    struct fx_thread *chosen =
        &threads->items[fx_threads_choose(loads, threads->n_running)];
    chosen->assigned_at = ++threads->n_assigned;
    fx_thread_add_connection(chosen, fd);
}

bool fx_threads_are_overloaded(const struct fx_threads *threads) {
    for (size_t i = 0; i < threads->n_running; i++) {
        if (!fx_thread_is_overloaded(&threads->items[i])) {
            return false;
        }
    }
    return true;
}

/* ---- calls to all threads ---- */

void fx_threads_refresh_policies(struct fx_threads *threads) {
    for (size_t i = 0; !threads->is_stopping && i < threads->n_running; i++) {
        fx_thread_refresh_policies(&threads->items[i]);
    }
}

void fx_threads_set_tls(struct fx_server *server) {
    const struct fx_threads *threads = &server->threads;
    for (size_t i = 0; !threads->is_stopping && i < threads->n_running; i++) {
        fx_thread_set_tls(&threads->items[i],
                          fx_certificates_current(server->certificates, i));
    }
}

void fx_threads_drain(struct fx_threads *threads) {
    for (size_t i = 0; !threads->is_stopping && i < threads->n_running; i++) {
        fx_thread_drain(&threads->items[i]);
    }
}

/* ---- the end ---- */

static void on_ended(struct fx_thread *thread) {
    struct fx_threads *threads = &thread->server->threads;
    assert(threads->n_running > 0);
    if (--threads->n_running == 0) {
        threads->on_stopped(threads->user);
    }
}

void fx_threads_stop(struct fx_threads *threads, void (*on_stopped)(void *user),
                     void *user) {
    assert(!threads->is_stopping);
    threads->is_stopping = true;
    threads->on_stopped = on_stopped;
    threads->user = user;
    if (threads->n_running == 0) {
        on_stopped(user);
        return;
    }
    for (size_t i = 0; i < threads->n_running; i++) {
        fx_thread_stop(&threads->items[i], on_ended);
    }
}

void fx_threads_finish(struct fx_threads *threads) {
    for (size_t i = 0; threads->items != NULL && i < threads->n_items; i++) {
        fx_activity_finish(&threads->items[i].activity);
    }
    free(threads->items);
    *threads = (struct fx_threads){0};
}

/* ---- counts ---- */

struct fx_http_server_counts fx_threads_counts(const struct fx_threads *threads) {
    struct fx_http_server_counts sum;
    uint64_t words[FX_THREAD_COUNTS] = {0};
    for (size_t i = 0; threads->items != NULL && i < threads->n_items; i++) {
        for (size_t j = 0; j < FX_THREAD_COUNTS; j++) {
            words[j] +=
                atomic_load_explicit(&threads->items[i].counts[j], memory_order_relaxed);
        }
    }
    memcpy(&sum, words, sizeof sum);
    return sum;
}

size_t fx_threads_requests(const struct fx_threads *threads) {
    size_t n = 0;
    for (size_t i = 0; threads->items != NULL && i < threads->n_items; i++) {
        n += fx_thread_requests(&threads->items[i]);
    }
    return n;
}

/* ---- metrics ---- */

static void read_connections(void *user) {
    const struct fx_threads *threads = user;
    for (size_t i = 0; threads->items != NULL && i < threads->n_items; i++) {
        char number[24];
        (void)snprintf(number, sizeof number, "%zu", i);
        const struct fx_text value = fx_text_of(number);
        fx_family_set(threads->connections, fx_labels_get(threads->labels, &value),
                      (double)fx_thread_counts(&threads->items[i]).connections);
    }
}

bool fx_threads_add_metrics(struct fx_threads *threads, struct fx_registry *registry) {
    static const char *const keys[] = {"thread"};
    threads->labels = fx_registry_add_labels(registry, keys, 1, FX_LIMIT_THREADS);
    const struct fx_family_options family = {
        .type = FX_FAMILY_GAUGE,
        .name = "fixpoint_thread_connections",
        .help = "Open connections of the webhook, by the thread that serves them.",
        .labels = threads->labels,
    };
    threads->connections =
        threads->labels == NULL ? NULL : fx_registry_add(registry, &family);
    return threads->connections != NULL &&
           fx_registry_add_reader(registry, read_connections, threads);
}
