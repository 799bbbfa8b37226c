/* SPDX-License-Identifier: Apache-2.0
 *
 * server/answer.c - reviews over HTTP.
 */
#include "server/answer.h"

#include "base/clock.h"
#include "base/limits.h"
#include "server/routes.h"
#include "server/state.h"
#include "server/thread.h"
#include "server/timeout.h"

#define RETRY_AFTER "Retry-After: 1\r\n"

/* How long after its arrival that is. */
static uint64_t budget_ns(const struct fx_server *server,
                          const struct fx_http_exchange *exchange) {
    const uint64_t given = server->options->review_ms;
    return fx_timeout_budget_ns(fx_http_query(exchange),
                                given == 0 ? FX_LIMIT_REVIEW_MS : given);
}

uint64_t fx_answer_deadline_ns(const struct fx_server *server,
                               const struct fx_http_exchange *exchange) {
    return fx_http_arrival_ns(exchange) + budget_ns(server, exchange);
}

bool fx_answer_if_late(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    struct fx_server *server = thread->server;
    if (!fx_shed_is_late(&thread->shed, budget_ns(server, exchange))) {
        return false;
    }
    fx_shed_refuse(&thread->shed, &server->metrics, exchange, FX_SHED_LATE);
    return true;
}

double fx_answer_seconds(const struct fx_http_exchange *exchange) {
    return (double)(fx_clock_ns() - fx_http_arrival_ns(exchange)) / 1e9;
}

void fx_answer_review(struct fx_http_exchange *exchange,
                      const struct fx_review_result *result) {
    fx_http_respond(exchange, result->status,
                    result->status == 200 ? "application/json"
                                          : "text/plain; charset=utf-8",
                    result->retry_after ? RETRY_AFTER : NULL, result->body);
}

void fx_answer_no_memory(struct fx_http_exchange *exchange) {
    fx_answer_text(exchange, 503, RETRY_AFTER, "out of memory");
}

void fx_answer_overloaded(struct fx_http_exchange *exchange) {
    fx_answer_text(exchange, 503, RETRY_AFTER, "too many requests at once");
}
