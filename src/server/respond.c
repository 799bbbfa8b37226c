/* SPDX-License-Identifier: Apache-2.0
 *
 * server/respond.c - deadlines of requests, and responses.
 */
#include "server/respond.h"

#include <assert.h>

#include "base/clock.h"
#include "base/limits.h"
#include "location/go/time.h"
#include "server/state.h"
#include "server/thread.h"

/* ---- the request ---- */

/* The value of `timeout` in "a=b&timeout=5s"; empty if there is none. */
static struct fx_text timeout_of(struct fx_text query) {
    const struct fx_text name = FX_TEXT("timeout=");
    while (query.len > 0) {
        const struct fx_text pair = fx_text_cut(&query, '&');
        if (fx_text_starts(pair, name)) {
            return (struct fx_text){pair.data + name.len, pair.len - name.len};
        }
    }
    return (struct fx_text){0};
}

bool fx_timeout_budget_ns(struct fx_text query, uint64_t default_ms, uint64_t *ret_ns) {
    const struct fx_text given = timeout_of(query);
    struct fx_err ignored = FX_ERR_INIT; /* the response has a message of its own */
    int64_t ns = 0;
    if (given.len > 0 && (!fx_go_duration_parse(given, &ns, &ignored) || ns < 0)) {
        return false;
    }
    *ret_ns = ns == 0 ? default_ms * (uint64_t)FX_GO_MILLISECOND
                      : (uint64_t)(ns > FX_GO_MINUTE ? FX_GO_MINUTE : ns) / 5 * 4;
    return true;
}

/* The time that the request may take after its arrival. */
static bool find_budget(const struct fx_server *server,
                        const struct fx_http_exchange *exchange, uint64_t *ret_ns) {
    const uint64_t given = server->options->review_ms;
    return fx_timeout_budget_ns(fx_http_query(exchange),
                                given == 0 ? FX_LIMIT_REVIEW_MS : given, ret_ns);
}

bool fx_request_find_deadline(const struct fx_server *server,
                              const struct fx_http_exchange *exchange,
                              uint64_t *ret_deadline_ns) {
    uint64_t ns = 0;
    if (!find_budget(server, exchange, &ns)) {
        return false;
    }
    *ret_deadline_ns = fx_http_arrival_ns(exchange) + ns;
    return true;
}

uint64_t fx_request_deadline_ns(const struct fx_server *server,
                                const struct fx_http_exchange *exchange) {
    uint64_t deadline_ns = 0;
    const bool is_valid = fx_request_find_deadline(server, exchange, &deadline_ns);
    assert(is_valid);
    (void)is_valid;
    return deadline_ns;
}

bool fx_request_reject_early(struct fx_thread *thread,
                             struct fx_http_exchange *exchange) {
    struct fx_server *server = thread->server;
    uint64_t ns = 0;
    if (!find_budget(server, exchange, &ns)) {
        fx_respond_text(exchange, 400, NULL, FX_BAD_TIMEOUT);
        return true;
    }
    if (!fx_shed_is_late(&thread->shed, ns)) {
        return false;
    }
    fx_shed_reject(&thread->shed, &server->metrics, exchange, FX_SHED_LATE);
    return true;
}

double fx_request_seconds(const struct fx_http_exchange *exchange) {
    return (double)(fx_clock_ns() - fx_http_arrival_ns(exchange)) / 1e9;
}

/* ---- the response ---- */

void fx_respond_text(struct fx_http_exchange *exchange, unsigned status,
                     const char *extra_headers, const char *text) {
    struct fx_buf body = {0};
    fx_buf_printf(&body, "%s\n", text);
    if (body.failed) { /* out of memory: respond with the status and an empty body */
        fx_buf_reset(&body);
    }
    fx_http_respond(exchange, status, "text/plain; charset=utf-8", extra_headers, &body);
}

void fx_respond_review(struct fx_http_exchange *exchange,
                       const struct fx_review_result *result) {
    fx_http_respond(exchange, result->status,
                    result->status == 200 ? "application/json"
                                          : "text/plain; charset=utf-8",
                    result->retry_after ? FX_RETRY_AFTER : NULL, result->body);
}

void fx_respond_no_memory(struct fx_http_exchange *exchange) {
    fx_respond_text(exchange, 503, FX_RETRY_AFTER, "out of memory");
}
