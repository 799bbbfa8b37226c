/* SPDX-License-Identifier: Apache-2.0
 *
 * server/admit.c - reviews that never pause.
 */
#include "server/admit.h"

#include <assert.h>

#include "admission/admit.h"
#include "admission/defaults.h"
#include "admission/guard.h"
#include "server/answer.h"
#include "server/review_log.h"
#include "server/routes.h"
#include "server/state.h"

/* Runs the review (NULL: there was no memory for it), answers, and drops it. */
static void answer(struct fx_server *server, struct fx_http_exchange *exchange,
                   struct fx_review *review) {
    if (review == NULL) {
        fx_metrics_count(&server->metrics, FX_METRIC_ADMISSIONS, FX_DECISION_BROKEN);
        fx_answer_no_memory(exchange);
        return;
    }
    const enum fx_review_state state = fx_review_run(review);
    assert(state == FX_REVIEW_DONE);
    (void)state;
    const struct fx_review_result *result = fx_review_result(review);
    fx_metrics_count(&server->metrics, FX_METRIC_ADMISSIONS, (unsigned)result->decision);
    fx_admit_log(result, fx_http_header(exchange, "traceparent"),
                 fx_answer_seconds(exchange) * 1e3);
    fx_answer_review(exchange, result);
    fx_review_destroy(review);
}

void fx_answer_admit(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_answer_early(thread, exchange)) {
        return;
    }
    struct fx_server *server = thread->server;
    const struct fx_admission admission = {
        .settings = &server->options->settings,
        .own_namespace = server->options->own_namespace,
    };
    answer(server, exchange,
           fx_admit_create(&admission, fx_http_body(exchange),
                           fx_answer_deadline_ns(server, exchange)));
}

void fx_answer_fill_in(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_answer_early(thread, exchange)) {
        return;
    }
    struct fx_server *server = thread->server;
    answer(server, exchange,
           fx_defaults_create(fx_http_body(exchange),
                              fx_answer_deadline_ns(server, exchange)));
}

void fx_answer_guard(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_answer_early(thread, exchange)) {
        return;
    }
    struct fx_server *server = thread->server;
    answer(server, exchange,
           fx_guard_create(fx_guard_find(fx_http_path(exchange)),
                           &server->options->exempt, fx_http_body(exchange),
                           fx_answer_deadline_ns(server, exchange)));
}
