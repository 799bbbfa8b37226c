/* SPDX-License-Identifier: Apache-2.0
 *
 * server/admit.c - reviews of policies, and of guarded objects, which never wait for
 * external data.
 */
#include <assert.h>

#include "admission/admit.h"
#include "server/respond.h"
#include "server/review_log.h"
#include "server/routes.h"
#include "server/state.h"

/* Runs the review (NULL: out of memory), responds, and destroys it. */
static void run_and_respond(struct fx_server *server, struct fx_http_exchange *exchange,
                            struct fx_review *review) {
    if (review == NULL) {
        fx_metrics_count(&server->metrics, FX_METRIC_ADMISSIONS, FX_DECISION_BROKEN);
        fx_respond_no_memory(exchange);
        return;
    }
    const enum fx_review_state state = fx_review_run(review);
    assert(state == FX_REVIEW_DONE);
    (void)state;
    const struct fx_review_result *result = fx_review_result(review);
    fx_metrics_count(&server->metrics, FX_METRIC_ADMISSIONS, (unsigned)result->decision);
    fx_log_admission(result, fx_http_header(exchange, "traceparent"),
                     fx_request_seconds(exchange) * 1e3);
    fx_respond_review(exchange, result);
    fx_review_destroy(review);
}

void fx_handle_admit(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_request_reject_early(thread, exchange)) {
        return;
    }
    struct fx_server *server = thread->server;
    const struct fx_admission admission = {
        .settings = &server->options->settings,
        .own_namespace = server->options->own_namespace,
    };
    run_and_respond(server, exchange,
                    fx_admit_create(&admission, fx_http_body(exchange),
                                    fx_request_deadline_ns(server, exchange)));
}

void fx_handle_defaults(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_request_reject_early(thread, exchange)) {
        return;
    }
    struct fx_server *server = thread->server;
    run_and_respond(server, exchange,
                    fx_defaults_create(fx_http_body(exchange),
                                       fx_request_deadline_ns(server, exchange)));
}

void fx_handle_guard(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_request_reject_early(thread, exchange)) {
        return;
    }
    struct fx_server *server = thread->server;
    run_and_respond(server, exchange,
                    fx_guard_create(fx_guard_find(fx_http_path(exchange)),
                                    &server->options->exempt, fx_http_body(exchange),
                                    fx_request_deadline_ns(server, exchange)));
}
