/* SPDX-License-Identifier: Apache-2.0
 *
 * server/thread.c - a serving thread: start, messages, end; and functions for all
 * threads.
 */
#include "server/thread.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "server/capacity.h"
#include "server/routes.h"
#include "server/state.h"

_Static_assert(sizeof(struct fx_http_server_counts) ==
                   FX_THREAD_COUNTS * sizeof(uint64_t),
               "the counts are published as words of 64 bits");

/* ---- counts ---- */

static void publish_counts(struct fx_thread *thread) {
    const struct fx_http_server_counts counts = fx_http_server_counts(thread->webhook);
    uint64_t words[FX_THREAD_COUNTS];
    memcpy(words, &counts, sizeof words);
    for (size_t i = 0; i < FX_THREAD_COUNTS; i++) {
        atomic_store_explicit(&thread->counts[i], words[i], memory_order_relaxed);
    }
}

/* The counts that the thread published before its loop slept last. */
static struct fx_http_server_counts counts_of(const struct fx_thread *thread) {
    struct fx_http_server_counts counts;
    uint64_t words[FX_THREAD_COUNTS];
    for (size_t i = 0; i < FX_THREAD_COUNTS; i++) {
        words[i] = atomic_load_explicit(&thread->counts[i], memory_order_relaxed);
    }
    memcpy(&counts, words, sizeof counts);
    return counts;
}

static void on_prepare(uv_prepare_t *prepare) {
    publish_counts(prepare->data);
}

/* The number of requests without a response. Requests since the last sleep are not
 * published yet, but a busy thread has at least one. */
static size_t requests_of(struct fx_thread *thread) {
    const size_t published = counts_of(thread).in_flight;
    return published == 0 && fx_activity_is_busy(&thread->activity) ? 1 : published;
}

/* The number of the thread's connections, including those that it has not taken yet. A
 * connection may be counted twice for a moment: as assigned and as open. */
static size_t connections_of(const struct fx_thread *thread) {
    const size_t n_taken = atomic_load_explicit(&thread->n_taken, memory_order_acquire);
    return thread->n_assigned - n_taken + counts_of(thread).connections;
}

/* Should the thread get no further connections for now? A stalled thread should not. */
static bool is_overloaded(const struct fx_thread *thread) {
    return fx_job_is_stalled(&thread->watched.job) ||
           (atomic_load_explicit(&thread->n_taken, memory_order_acquire) > 0 &&
            fx_http_server_is_overloaded(thread->webhook));
}

/* ---- connections ---- */

struct connection {
    struct fx_message message;
    struct fx_thread *thread;
    int fd;
};

static void on_connection(void *user) {
    struct connection *connection = user;
    struct fx_thread *thread = connection->thread;
    fx_http_server_adopt(thread->webhook, connection->fd);
    free(connection);
    publish_counts(thread);
    atomic_fetch_add_explicit(&thread->n_taken, 1, memory_order_release);
}

/* Gives the thread a connected socket to serve. The socket is closed if out of memory. */
static void add_connection(struct fx_thread *thread, int fd) {
    struct connection *connection = malloc(sizeof *connection);
    if (connection == NULL) {
        (void)close(fd);
        return;
    }
    *connection =
        (struct connection){{on_connection, connection, NULL, false}, thread, fd};
    thread->n_assigned++;
    fx_message_queue_post(&thread->queue, &connection->message);
}

static void on_request(struct fx_http_exchange *exchange, void *user) {
    fx_routes_dispatch(user, exchange);
}

/* ---- the certificate ---- */

/* Sets the webhook's certificate as the client certificate for providers that request one
 * (spec section 7). */
static bool offer_certificate(struct fx_thread *thread,
                              const struct fx_tls_config *config, struct fx_err *err) {
    struct fx_buf cert = {0};
    struct fx_buf key = {0};
    fx_tls_config_print(config, &cert);
    fx_tls_config_print_key(config, &key);
    const bool ok =
        cert.failed || key.failed
            ? fx_fail_nomem(err)
            : fx_external_client_set_certificate(thread->external, fx_buf_view(&cert),
                                                 fx_buf_view(&key), err);
    fx_tls_wipe(&key);
    fx_buf_finish(&cert);
    return ok;
}

static void on_set_tls(void *user) {
    struct fx_thread *thread = user;
    struct fx_tls_config *config = atomic_exchange(&thread->next_tls, NULL);
    struct fx_err err = FX_ERR_INIT;
    if (config == NULL) {
        return;
    }
    fx_http_server_set_tls(thread->webhook, config);
    if (thread->external != NULL && !offer_certificate(thread, config, &err)) {
        fx_log(ERROR, "providers still get the previous certificate",
               fx_log_str("error", err.msg));
    }
    fx_tls_config_unref(config);
}

static void set_tls(struct fx_thread *thread, struct fx_tls_config *config) {
    /* Drops the previous one if the thread has not taken it. */
    fx_tls_config_unref(atomic_exchange(&thread->next_tls, fx_tls_config_ref(config)));
    fx_message_queue_post(&thread->queue, &thread->set_tls);
}

/* ---- other messages ---- */

static void on_refresh_policies(void *user) {
    const struct fx_thread *thread = user;
    (void)fx_active_policies_refresh(thread->server->active, thread->number);
}

/* ---- the end ---- */

/* Closes the thread's handles. All reviews are answered, so no call to a provider is
 * running. */
static void close_all(void *user) {
    struct fx_thread *thread = user;
    fx_watchdog_remove(thread->server->watchdog, &thread->watched);
    fx_external_client_close(thread->external);
    thread->external = NULL;
    fx_shed_close(&thread->shed);
    fx_message_queue_close(&thread->queue);
    uv_close((uv_handle_t *)&thread->prepare, NULL);
}

static void on_stop(void *user) {
    struct fx_thread *thread = user;
    fx_http_server_stop(thread->webhook, close_all, thread);
}

/* The loop ends when the last handle is closed. */
static void run_loop(struct fx_thread *thread) {
    (void)uv_run(&thread->loop, UV_RUN_DEFAULT);
    if (thread->webhook != NULL) {
        publish_counts(thread);
    }
    fx_http_server_destroy(thread->webhook);
    thread->webhook = NULL;
    const int status = uv_loop_close(&thread->loop);
    assert(status == 0);
    (void)status;
    fx_message_queue_finish(&thread->queue);
    fx_tls_config_unref(atomic_exchange(&thread->next_tls, NULL));
}

static void on_ended(void *user) {
    struct fx_thread *thread = user;
    struct fx_threads *threads = &thread->server->threads;
    (void)uv_thread_join(&thread->id);
    assert(threads->n_running > 0);
    if (--threads->n_running == 0) {
        threads->on_stopped(threads->user);
    }
}

static void serve(void *user) {
    struct fx_thread *thread = user;
    fx_registry_set_thread(1 + thread->number);
    run_loop(thread);
    fx_message_queue_post(&thread->server->queue, &thread->ended);
}

/* ---- start ---- */

static void on_external_result(enum fx_external_result result, double seconds,
                               void *user) {
    struct fx_metrics *metrics = user;
    fx_metrics_count(metrics, FX_METRIC_EXTERNAL_CALLS, (unsigned)result);
    fx_metrics_observe(metrics, FX_METRIC_EXTERNAL_SECONDS, (unsigned)result, seconds);
}

/* A thread's share of a limit of the process. 0: of the default. */
static size_t share_of(size_t given, size_t otherwise, size_t n_threads) {
    const size_t all = given == 0 ? otherwise : given;
    return (all + n_threads - 1) / n_threads;
}

/* A thread's share of the memory for messages, at least enough for one message of the
 * maximum length. */
static size_t held_share(const struct fx_server_options *options, size_t n_threads) {
    const size_t body = options->max_body == 0 ? FX_LIMIT_BODY_BYTES : options->max_body;
    const size_t share = share_of(0, FX_LIMIT_HELD_BYTES, n_threads);
    return share > 3 * body ? share : 3 * body;
}

static bool open_webhook(struct fx_thread *thread, struct fx_tls_config *tls,
                         struct fx_err *err) {
    const struct fx_server_options *options = thread->server->options;
    const size_t n_threads = thread->server->threads.n_items;
    const struct fx_http_server_options http = {
        .tls = tls,
        .max_connections =
            share_of(options->max_connections, FX_LIMIT_CONNECTIONS, n_threads),
        .max_header = options->max_header,
        .max_body = options->max_body,
        .max_held = held_share(options, n_threads),
        .idle_ms = options->idle_ms,
        .message_ms = options->message_ms,
        .on_request = on_request,
        .user = thread,
    };
    thread->webhook = fx_http_server_create(&thread->loop, &http, err);
    if (thread->webhook == NULL) {
        return false;
    }
    thread->external = fx_external_client_create(&thread->loop, on_external_result,
                                                 &thread->server->metrics, err);
    return thread->external != NULL && offer_certificate(thread, tls, err);
}

static void init_messages(struct fx_thread *thread) {
    thread->refresh_policies =
        (struct fx_message){.handle = on_refresh_policies, .user = thread};
    thread->set_tls = (struct fx_message){.handle = on_set_tls, .user = thread};
    thread->stop = (struct fx_message){.handle = on_stop, .user = thread};
    thread->ended = (struct fx_message){.handle = on_ended, .user = thread};
}

/* Opens the loop and its message queue. */
static bool open_loop(struct fx_thread *thread, struct fx_err *err) {
    const int status = uv_loop_init(&thread->loop);
    if (status != 0) {
        return fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
    }
    if (!fx_message_queue_init(&thread->queue, &thread->loop, err)) {
        (void)uv_loop_close(&thread->loop);
        return false;
    }
    (void)uv_prepare_init(&thread->loop, &thread->prepare); /* cannot fail */
    thread->prepare.data = thread;
    return true;
}

static void describe_thread(void *user, struct fx_buf *text) {
    struct fx_thread *thread = user;
    fx_activity_print(&thread->activity, text);
}

static void add_to_watchdog(struct fx_thread *thread) {
    (void)snprintf(thread->name, sizeof thread->name, "thread %u", thread->number);
    thread->watched.job.describe = describe_thread;
    thread->watched.job.user = thread;
    fx_watchdog_add(thread->server->watchdog, &thread->watched, &thread->queue,
                    thread->name);
}

static bool open_all(struct fx_thread *thread, struct fx_tls_config *tls,
                     struct fx_err *err) {
    if (!fx_shed_init(&thread->shed, &thread->loop,
                      thread->server->options->shed_after_ms)) {
        return fx_fail(err, FX_EIO, "event loop: no handle for load shedding");
    }
    if (!open_webhook(thread, tls, err)) {
        return false;
    }
    (void)uv_prepare_start(&thread->prepare, on_prepare); /* cannot fail */
    add_to_watchdog(thread);
    const int status = uv_thread_create(&thread->id, serve, thread);
    return status == 0 || fx_fail(err, FX_EIO, "thread: %s", uv_strerror(status));
}

/* Starts the thread. `tls` is its own configuration, which no other thread may use.
 * `thread` is zeroed except for its activity. On failure everything is closed. */
static bool start_thread(struct fx_thread *thread, struct fx_server *server,
                         unsigned number, struct fx_tls_config *tls, struct fx_err *err) {
    thread->server = server;
    thread->number = number;
    init_messages(thread);
    if (!open_loop(thread, err)) {
        return false;
    }
    if (!open_all(thread, tls, err)) {
        close_all(thread);
        run_loop(thread);
        return false;
    }
    return true;
}

/* ---- all threads ------------------------------------------------------------------- */

size_t fx_threads_wanted(const struct fx_server_options *options) {
    size_t wanted = options->threads == 0 ? fx_cores_usable() : options->threads;
    if (options->max_connections > 0 && wanted > options->max_connections) {
        wanted = options->max_connections;
    }
    return wanted > FX_LIMIT_THREADS ? FX_LIMIT_THREADS : wanted;
}

/* Allocates the threads. Other threads read their activities, even after the thread has
 * ended. */
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
        if (!start_thread(&threads->items[i], server, (unsigned)i, tls, err)) {
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
            .n_connections = connections_of(thread),
            .assigned_at = thread->assigned_at,
            .is_overloaded = is_overloaded(thread),
        };
    }
    struct fx_thread *chosen =
        &threads->items[fx_threads_choose(loads, threads->n_running)];
    chosen->assigned_at = ++threads->n_assigned;
    add_connection(chosen, fd);
}

bool fx_threads_are_overloaded(const struct fx_threads *threads) {
    for (size_t i = 0; i < threads->n_running; i++) {
        if (!is_overloaded(&threads->items[i])) {
            return false;
        }
    }
    return true;
}

/* ---- calls to all threads ---- */

void fx_threads_refresh_policies(struct fx_threads *threads) {
    for (size_t i = 0; !threads->is_stopping && i < threads->n_running; i++) {
        fx_message_queue_post(&threads->items[i].queue,
                              &threads->items[i].refresh_policies);
    }
}

void fx_threads_set_tls(struct fx_server *server) {
    const struct fx_threads *threads = &server->threads;
    for (size_t i = 0; !threads->is_stopping && i < threads->n_running; i++) {
        set_tls(&threads->items[i], fx_certificates_current(server->certificates, i));
    }
}

void fx_threads_drain(struct fx_threads *threads) {
    for (size_t i = 0; !threads->is_stopping && i < threads->n_running; i++) {
        fx_http_server_drain(threads->items[i].webhook);
    }
}

/* ---- the end ---- */

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
        fx_message_queue_post(&threads->items[i].queue, &threads->items[i].stop);
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
        n += requests_of(&threads->items[i]);
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
                      (double)counts_of(&threads->items[i]).connections);
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
