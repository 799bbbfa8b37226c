/* SPDX-License-Identifier: Apache-2.0
 *
 * server/respond.h - shared by the handlers: the deadline of a request, and responses.
 */
#ifndef FX_SERVER_RESPOND_H
#define FX_SERVER_RESPOND_H

#include <stdbool.h>
#include <stdint.h>

#include "admission/review.h"
#include "base/macros.h"

struct fx_http_exchange;
struct fx_server;
struct fx_thread;

#define FX_RETRY_AFTER "Retry-After: 1\r\n"
#define FX_BAD_TIMEOUT \
    "`timeout` in the query must be a duration such as 10s, and not below zero"

/* ---- the request ---- */

/* The time that a request with this query may take. The API server sends its timeout in
 * the query (`?timeout=5s`). The result is 0.8 × `timeout`, as a fifth is left for the
 * response; more than a minute counts as a minute (an API server waits 30 s at most).
 * Without a `timeout`, or if it is "0", the result is `default_ms`. False if `timeout` is
 * negative or not a duration of Go (time.ParseDuration). */
bool fx_timeout_budget_ns(struct fx_text query, uint64_t default_ms,
                          uint64_t *ret_ns) FX_MUST_USE;

/* The time by which the request must be answered: its arrival plus the time that its
 * `timeout` allows, or the default limit. False if `timeout` is invalid. */
bool fx_request_find_deadline(const struct fx_server *server,
                              const struct fx_http_exchange *exchange,
                              uint64_t *ret_deadline_ns) FX_MUST_USE;

/* The same for a request whose `timeout` is known to be valid. */
uint64_t fx_request_deadline_ns(const struct fx_server *server,
                                const struct fx_http_exchange *exchange);

/* Rejects a request with an invalid `timeout` (400), or one that has waited too long
 * (503, server/shed.h). True if it was answered. Call it before the body is read. */
bool fx_request_reject_early(struct fx_thread *thread, struct fx_http_exchange *exchange);

/* Seconds since the first byte of the request arrived. */
double fx_request_seconds(const struct fx_http_exchange *exchange);

/* ---- the response ---- */

/* Responds with one line of plain text. `extra_headers`: whole lines, or NULL. */
void fx_respond_text(struct fx_http_exchange *exchange, unsigned status,
                     const char *extra_headers, const char *text);

/* Responds with the result of a review. The body of `result` is consumed. */
void fx_respond_review(struct fx_http_exchange *exchange,
                       const struct fx_review_result *result);

/* Responds with 503 and Retry-After. */
void fx_respond_no_memory(struct fx_http_exchange *exchange);

#endif
