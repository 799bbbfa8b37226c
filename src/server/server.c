/* SPDX-License-Identifier: Apache-2.0
 *
 * server/server.c - the main thread of `fixpoint serve`: start, signals, drain, stop.
 *
 * Order of the shutdown: /readyz fails and each response has `Connection: close`, but
 * requests are still served (endpoints are removed asynchronously). Then the webhook port
 * is closed; the serving threads answer the requests that they have and end. The health
 * port is closed last.
 */
#include "server/server.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/heap.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/text.h"
#include "server/capacity.h"
#include "server/respond.h"
#include "server/routes.h"
#include "server/state.h"
#include "value/node_pool.h"

#define HEALTH_CONNECTIONS 256u
#define HEALTH_BODY        1024u
#define LOG_END_MS         1000u       /* to write the last lines */
#define SERVER_MAGIC       0x66787376u /* "fxsv" */

static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

/* A server, and the state that only this file needs. */
struct server_process {
    uint32_t magic;
    struct fx_server server;
    struct fx_server_options options; /* with connection limits that descriptors allow */
    size_t health_connections;
    uv_signal_t signals[FX_COUNT(signals)];
    uv_timer_t drain;
    bool stopping;
    unsigned n_stopping; /* ports that still answer requests */
};

static uint64_t or_default(uint64_t given, uint64_t otherwise) {
    return given == 0 ? otherwise : given;
}

/* ---- shutdown ---- */

/* Ignores signals from now on: they must not change the exit status of an orderly
 * shutdown. */
static void end_signals(struct server_process *process) {
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < FX_COUNT(signals); i++) {
        uv_close((uv_handle_t *)&process->signals[i], NULL);
        (void)sigaction(signals[i], &ignore, NULL);
    }
}

static void on_health_stopped(void *user) {
    struct server_process *process = fx_checked(user, SERVER_MAGIC);
    fx_watchdog_answered(process->server.watchdog);
    fx_watchdog_remove(process->server.watchdog, &process->server.watched);
    end_signals(process);
    fx_message_queue_close(&process->server.queue);
    fx_sources_close(&process->server);
    fx_certificates_close(process->server.certificates);
    process->server.certificates = NULL;
}

static bool listens(const struct fx_http_server *server) {
    return server != NULL && fx_http_server_port(server) != 0;
}

/* Called when all reviews are answered, and when all dry runs are answered. */
static void on_answered(void *user) {
    struct server_process *process = fx_checked(user, SERVER_MAGIC);
    if (--process->n_stopping > 0) {
        return;
    }
    if (listens(process->server.health)) {
        fx_http_server_stop(process->server.health, on_health_stopped, process);
    } else {
        on_health_stopped(process);
    }
}

/* Called when no connection is accepted any more. */
static void on_webhook_stopped(void *user) {
    struct server_process *process = fx_checked(user, SERVER_MAGIC);
    fx_threads_stop(&process->server.threads, on_answered, process);
}

/* Stops the server. Also called if the start failed: parts that were not started are
 * skipped. */
static void stop_server(struct server_process *process) {
    if (process->stopping) {
        return;
    }
    process->stopping = true;
    process->n_stopping = 2; /* webhook and dry runs */
    uv_close((uv_handle_t *)&process->drain, NULL);
    fx_watchdog_stop(process->server.watchdog);
    fx_self_check_close(process->server.self_check);
    fx_dryruns_stop(&process->server.dryruns, on_answered, process);
    if (listens(process->server.webhook)) {
        fx_http_server_stop(process->server.webhook, on_webhook_stopped, process);
    } else {
        on_webhook_stopped(process);
    }
}

static void on_drained(uv_timer_t *timer) {
    struct server_process *process = fx_checked(timer->data, SERVER_MAGIC);
    if (!process->stopping) {
        fx_log(INFO, "stopping", {0});
        stop_server(process);
    }
}

/* ---- signals ---- */

static void drain_server(struct server_process *process) {
    struct fx_server *server = &process->server;
    const uint64_t ms = or_default(server->options->drain_ms, FX_LIMIT_DRAIN_MS);
    server->draining = true;
    fx_watchdog_drain(server->watchdog);
    if (server->cluster != NULL) {
        fx_cluster_release_lease(server->cluster);
    }
    fx_threads_drain(&server->threads);
    fx_dryruns_drain(&server->dryruns);
    (void)uv_timer_start(&process->drain, on_drained, ms, 0);
    fx_log(INFO, "draining", fx_log_int("ms", (int64_t)ms));
}

static void on_end_signal(uv_signal_t *signal, int number) {
    (void)number;
    struct server_process *process = fx_checked(signal->data, SERVER_MAGIC);
    if (process->stopping) {
        return;
    }
    if (!process->server.draining) {
        drain_server(process);
    } else {
        on_drained(&process->drain); /* a second signal ends the drain */
    }
}

static void on_reload_signal(uv_signal_t *signal, int number) {
    (void)number;
    struct server_process *process = fx_checked(signal->data, SERVER_MAGIC);
    if (!process->stopping) {
        fx_sources_reload(&process->server);
        fx_certificates_reload(process->server.certificates);
    }
}

static void on_pass_signal(uv_signal_t *signal, int number) {
    struct server_process *process = fx_checked(signal->data, SERVER_MAGIC);
    if (!process->stopping) {
        fx_sources_set_passthrough(&process->server, number == SIGUSR1);
    }
}

static uv_signal_cb handler_of(int number) {
    switch (number) {
    case SIGHUP: return on_reload_signal;
    case SIGUSR1:
    case SIGUSR2: return on_pass_signal;
    default: return on_end_signal;
    }
}

/* Writing to a closed socket returns an error instead of SIGPIPE. The signals of timers
 * are not used here, and would end the process. */
static void ignore_signals(void) {
    static const int ignored[] = {SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGIO};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < FX_COUNT(ignored); i++) {
        (void)sigaction(ignored[i], &ignore, NULL);
    }
}

/* Called first: without a handler a signal ends the process, and process 1 of a container
 * does not get it at all. Signals during the start are handled after the start. */
static bool start_signals(struct server_process *process, struct fx_err *err) {
    for (size_t i = 0; i < FX_COUNT(signals); i++) {
        const int status =
            uv_signal_start(&process->signals[i], handler_of(signals[i]), signals[i]);
        if (status != 0) {
            return fx_fail(err, FX_EIO, "signals: %s", uv_strerror(status));
        }
    }
    ignore_signals();
    return true;
}

/* ---- start ---- */

static void on_health_request(struct fx_http_exchange *exchange, void *user) {
    fx_routes_dispatch_main(&fx_routes_health, user, exchange);
}

static void on_certificate(void *user) {
    struct fx_server *server = user;
    const struct fx_text ca = fx_certificates_ca(server->certificates);
    fx_threads_set_tls(server);
    if (server->cluster != NULL && ca.len > 0) {
        fx_cluster_publish(server->cluster, ca);
    }
}

/* Never called: the webhook port passes its connections to the threads. */
static void reject(struct fx_http_exchange *exchange, void *user) {
    (void)user;
    fx_respond_text(exchange, 503, FX_RETRY_AFTER, "not served here");
}

static void on_socket(int fd, void *user) {
    struct fx_server *server = user;
    fx_threads_add_connection(&server->threads, fd);
}

static bool is_overloaded(void *user) {
    const struct fx_server *server = user;
    return fx_threads_are_overloaded(&server->threads);
}

/* Opens the webhook port, which only accepts connections. */
static bool start_webhook(struct fx_server *server, struct fx_err *err) {
    const struct fx_http_server_options http = {
        .on_request = reject,
        .on_socket = on_socket,
        .is_overloaded = is_overloaded,
        .user = server,
    };
    server->webhook =
        fx_http_server_open(&server->loop, &http, server->options->listen, err);
    return server->webhook != NULL;
}

static bool start_health(struct server_process *process, struct fx_err *err) {
    struct fx_server *server = &process->server;
    const struct fx_http_server_options http = {
        .max_connections = process->health_connections,
        .max_body = HEALTH_BODY,
        .idle_ms = server->options->idle_ms,
        .message_ms = server->options->message_ms,
        .on_request = on_health_request,
        .user = server,
    };
    server->health =
        fx_http_server_open(&server->loop, &http, server->options->health_listen, err);
    return server->health != NULL;
}

static void log_start(const struct fx_server *server) {
    struct fx_buf listen = {0};
    struct fx_buf health = {0};
    fx_http_server_print_address(server->webhook, server->options->listen, &listen);
    fx_http_server_print_address(server->health, server->options->health_listen, &health);
    fx_log(INFO, "serving", fx_log_str("listen", listen.failed ? "" : listen.data),
           fx_log_str("health", health.failed ? "" : health.data),
           fx_log_int("threads", (int64_t)server->threads.n_items),
           fx_log_str("version", FX_VERSION), fx_log_str("tls", fx_tls_library()));
    fx_buf_finish(&listen);
    fx_buf_finish(&health);
}

static size_t dryrun_connections(const struct server_process *process) {
    return process->health_connections < FX_LIMIT_DRYRUN_CONNECTIONS
               ? process->health_connections
               : FX_LIMIT_DRYRUN_CONNECTIONS;
}

static size_t count_requests(void *user) {
    const struct fx_server *server = user;
    return fx_threads_requests(&server->threads);
}

static bool start_watchdog(struct fx_server *server, struct fx_err *err) {
    const struct fx_server_options *options = server->options;
    const uint64_t stall = or_default(options->stall_after_ms, FX_LIMIT_STALL_MS);
    const struct fx_watchdog_options watchdog = {
        .stall_ms = stall == FX_NEVER_STALLS ? 0 : stall,
        .drain_ms = or_default(options->drain_ms, FX_LIMIT_DRAIN_MS),
        .grace_ms = or_default(options->grace_ms, FX_LIMIT_GRACE_MS),
        .left_status = options->left_status,
        .count_requests = count_requests,
        .user = server,
    };
    server->watchdog = fx_watchdog_create(&watchdog, err);
    return server->watchdog != NULL;
}

/* Called for each message of the watchdog. */
static void on_watchdog(void *user) {
    struct fx_server *server = user;
    fx_worker_check_start(&server->worker_check, &server->loop);
}

/* Called at the end of the start, which blocks. */
static void watch_main_loop(struct fx_server *server) {
    server->watched.on_message = on_watchdog;
    server->watched.user = server;
    fx_watchdog_add(server->watchdog, &server->watched, &server->queue, "main thread");
}

static bool start_server(struct server_process *process, struct fx_err *err) {
    struct fx_server *server = &process->server;
    const struct fx_server_options *options = server->options;
    const struct fx_certificates_users users = {server->threads.n_items, on_certificate,
                                                server};
    if (!start_signals(process, err) || !start_watchdog(server, err)) {
        return false;
    }
    server->certificates =
        fx_certificates_create(&server->loop, options, &server->metrics, &users, err);
    if (server->certificates == NULL) {
        return false;
    }
    if (!fx_sources_start(server, err) || !fx_threads_start(server, err) ||
        !start_webhook(server, err) || !start_health(process, err) ||
        !fx_dryruns_start(server, dryrun_connections(process), err)) {
        return false;
    }
    server->self_check = fx_self_check_create(
        &server->loop, options->listen, fx_http_server_port(server->webhook),
        fx_certificates_own_pair(server->certificates), err);
    if (server->self_check == NULL || !fx_sandbox_enter(options->sandbox, err)) {
        return false;
    }
    watch_main_loop(server);
    log_start(server);
    return true;
}

/* ---- the active policies ---- */

static void on_quarantine(struct fx_policies *policies, void *user) {
    (void)policies;
    fx_sources_report(user);
}

static void on_change(void *user) {
    struct fx_server *server = user;
    fx_threads_refresh_policies(&server->threads);
}

/* Called on a serving thread. The next function is called on the main thread. */
static void on_limit(void *user) {
    struct fx_server *server = user;
    fx_message_queue_post(&server->queue, &server->quarantine);
}

static void on_quarantine_message(void *user) {
    const struct fx_server *server = user;
    fx_active_policies_quarantine(server->active);
}

static bool init_counting(struct fx_server *server,
                          const struct fx_server_options *options) {
    const struct fx_active_policies_options active = {
        .quarantine_after = options->quarantine_after,
        .quarantine_budget_ms = options->quarantine_budget_ms,
        .on_quarantine = on_quarantine,
        .user = server,
        .max_mutators = options->metrics_max_mutators,
        .n_threads = server->threads.n_items,
        .on_change = on_change,
        .on_limit = on_limit,
    };
    server->quarantine =
        (struct fx_message){.handle = on_quarantine_message, .user = server};
    if (!fx_metrics_init(&server->metrics, 1 + server->threads.n_items)) {
        return false;
    }
    server->active = fx_active_policies_create(&active, &server->metrics);
    return server->active != NULL &&
           fx_threads_add_metrics(&server->threads, server->metrics.registry);
}

/* ---- the process ---- */

static void destroy_process(struct server_process *process) {
    fx_triggers_finish(&process->server.triggers);
    fx_watchdog_destroy(process->server.watchdog);
    fx_active_policies_destroy(process->server.active);
    fx_threads_finish(&process->server.threads);
    fx_metrics_finish(&process->server.metrics);
    free(process);
    fx_log_stop(LOG_END_MS);
}

/* Takes the options, and lowers the connection limits if there are too few
 * descriptors. */
static void take_options(struct server_process *process,
                         const struct fx_server_options *options) {
    struct fx_descriptors connections = {
        .webhook = (size_t)or_default(options->max_connections, FX_LIMIT_CONNECTIONS),
        .health = HEALTH_CONNECTIONS,
    };
    fx_descriptors_plan(&connections);
    process->options = *options;
    process->options.max_connections = connections.webhook;
    process->health_connections = connections.health;
    process->server.options = &process->options;
}

static bool init_process(struct server_process *process,
                         const struct fx_server_options *options, struct fx_err *err) {
    process->magic = SERVER_MAGIC;
    take_options(process, options);
    options = &process->options;
    process->server.threads.n_items = fx_threads_wanted(options);
    /* One for the main thread, and one for each serving thread; worker threads share. */
    fx_heap_limit_arenas(1 + process->server.threads.n_items);
    if (!init_counting(&process->server, options)) {
        return fx_fail_nomem(err);
    }
    if (!fx_triggers_init(&process->server.triggers, &process->server, err)) {
        return false;
    }
    uv_loop_t *loop = &process->server.loop;
    const int status = uv_loop_init(loop);
    if (status != 0) {
        return fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
    }
    if (!fx_message_queue_init(&process->server.queue, loop, err)) {
        (void)uv_loop_close(loop);
        return false;
    }
    (void)uv_timer_init(loop, &process->drain); /* cannot fail */
    process->drain.data = process;
    for (size_t i = 0; i < FX_COUNT(signals); i++) {
        (void)uv_signal_init(loop, &process->signals[i]);
        process->signals[i].data = process;
    }
    return true;
}

/* The loop ends when the last handle is closed. */
static void run_loop(struct server_process *process) {
    (void)uv_run(&process->server.loop, UV_RUN_DEFAULT);
    fx_http_server_destroy(process->server.webhook);
    fx_http_server_destroy(process->server.health);
    fx_dryruns_finish(&process->server.dryruns);
    const int status = uv_loop_close(&process->server.loop);
    assert(status == 0);
    (void)status;
    fx_message_queue_finish(&process->server.queue);
}

bool fx_server_run(const struct fx_server_options *options, struct fx_err *err) {
    struct server_process *process = calloc(1, sizeof *process);
    if (process == NULL) {
        return fx_fail_nomem(err);
    }
    fx_node_pool_install();
    (void)!fx_log_start(); /* on failure, lines are written synchronously */
    if (!init_process(process, options, err)) {
        destroy_process(process);
        return false;
    }
    const bool started = start_server(process, err);
    if (!started) {
        stop_server(process);
    }
    run_loop(process);
    if (started) {
        fx_log(INFO, "stopped", {0});
    }
    destroy_process(process);
    return started;
}
