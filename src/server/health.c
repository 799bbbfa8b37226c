/* SPDX-License-Identifier: Apache-2.0
 *
 * server/health.c - the checks of /healthz and /readyz, and /metrics.
 */
#include "base/log.h"
#include "server/respond.h"
#include "server/routes.h"
#include "server/state.h"

void fx_handle_healthz(struct fx_server *server, struct fx_http_exchange *exchange) {
    (void)server;
    struct fx_buf lines = {0};
    const bool failed = fx_stalls_print(&lines);
    fx_buf_str(&lines, failed ? "healthz check failed" : "ok");
    fx_respond_text(exchange, failed ? 503 : 200, NULL,
                    lines.failed ? "out of memory" : lines.data);
    fx_buf_finish(&lines);
}

static bool check_threads(const struct fx_server *server, const char **ret_reason) {
    (void)server;
    *ret_reason = "a thread has stalled";
    return fx_stalls_count(FX_JOB_LOOP) == 0;
}

static bool check_policies(const struct fx_server *server, const char **ret_reason) {
    return fx_sources_ready(server, ret_reason);
}

static bool check_certificate(const struct fx_server *server, const char **ret_reason) {
    return fx_certificates_valid_now(server->certificates, ret_reason);
}

static bool check_webhook(const struct fx_server *server, const char **ret_reason) {
    return fx_self_check_passed(server->self_check, ret_reason);
}

static bool check_shutdown(const struct fx_server *server, const char **ret_reason) {
    *ret_reason = "draining";
    return !server->draining;
}

static const struct check {
    const char *name;
    bool (*passes)(const struct fx_server *server, const char **ret_reason);
} checks[] = {
    {"policies", check_policies}, {"certificate", check_certificate},
    {"webhook", check_webhook},   {"threads", check_threads},
    {"shutdown", check_shutdown},
};

/* Appends one line for each check. True if all pass. */
static bool run_checks(const struct fx_server *server, struct fx_buf *lines) {
    bool ready = true;
    for (size_t i = 0; i < FX_COUNT(checks); i++) {
        const char *reason = "";
        if (checks[i].passes(server, &reason)) {
            fx_buf_printf(lines, "[+]%s ok\n", checks[i].name);
        } else {
            fx_buf_printf(lines, "[-]%s failed: %s\n", checks[i].name, reason);
            ready = false;
        }
    }
    fx_buf_printf(lines, "readyz check %s", ready ? "passed" : "failed");
    return ready;
}

void fx_handle_readyz(struct fx_server *server, struct fx_http_exchange *exchange) {
    struct fx_buf lines = {0};
    const bool ready = run_checks(server, &lines);
    const bool verbose = fx_text_starts(fx_http_query(exchange), FX_TEXT("verbose"));
    const char *text = ready ? "ok" : "not ready";
    if (!lines.failed && (verbose || !ready)) {
        text = lines.data;
    }
    fx_respond_text(exchange, ready ? 200 : 503, NULL, text);
    fx_buf_finish(&lines);
}

static void read_counts(struct fx_server *server) {
    const struct fx_http_server_counts counts = fx_threads_counts(&server->threads);
    struct fx_metrics *metrics = &server->metrics;
    fx_metrics_set(metrics, FX_METRIC_PASSTHROUGH, 0, atomic_load(&server->passthrough));
    fx_metrics_set(metrics, FX_METRIC_CONNECTIONS, 0, (double)counts.connections);
    fx_metrics_set(metrics, FX_METRIC_ACCEPTED, 0, (double)counts.accepted);
    fx_metrics_set(metrics, FX_METRIC_DROPPED, 0, (double)counts.dropped);
    fx_metrics_set(metrics, FX_METRIC_HANDSHAKES, FX_HANDSHAKE_OK,
                   (double)counts.handshakes);
    fx_metrics_set(metrics, FX_METRIC_HANDSHAKES, FX_HANDSHAKE_FAILED,
                   (double)counts.handshake_fails);
    fx_metrics_set(metrics, FX_METRIC_IN_FLIGHT, 0, (double)counts.in_flight);
    fx_metrics_set(metrics, FX_METRIC_HELD, 0, (double)counts.held);
    fx_metrics_set(metrics, FX_METRIC_REFUSED, 0, (double)counts.refused);
    fx_metrics_set(metrics, FX_METRIC_BAD_REQUESTS, 0, (double)counts.bad_requests);
    for (unsigned type = 0; type < FX_JOB_TYPE_COUNT; type++) {
        fx_metrics_set(metrics, FX_METRIC_STALLS, type,
                       (double)fx_watchdog_stalls(server->watchdog, type));
        fx_metrics_set(metrics, FX_METRIC_STALLED, type, (double)fx_stalls_count(type));
    }
    fx_metrics_set(metrics, FX_METRIC_LINES_LOST, 0, (double)fx_log_lost());
}

void fx_handle_metrics(struct fx_server *server, struct fx_http_exchange *exchange) {
    struct fx_buf body = {0};
    read_counts(server);
    fx_registry_print(server->metrics.registry, &body);
    if (body.failed) {
        fx_buf_finish(&body);
        fx_respond_text(exchange, 503, FX_RETRY_AFTER, "out of memory");
        return;
    }
    fx_http_respond(exchange, 200, FX_REGISTRY_TYPE, NULL, &body);
}
