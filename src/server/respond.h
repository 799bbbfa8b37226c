/* SPDX-License-Identifier: Apache-2.0
 *
 * server/respond.h - what the routes of the webhook's port have in common.
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

#define FX_BAD_TIMEOUT \
    "`timeout` in the query must be a duration such as 10s, and not below zero"

/* When the request must be answered: its arrival and what its `timeout` allows
 * (server/timeout.h), or the limit where it names none. False where that is no time. */
bool fx_request_find_deadline(const struct fx_server *server,
                              const struct fx_http_exchange *exchange,
                              uint64_t *ret_deadline_ns) FX_MUST_USE;

/* The same of a request whose `timeout` has been checked. */
uint64_t fx_request_deadline_ns(const struct fx_server *server,
                                const struct fx_http_exchange *exchange);

/* Turns a request away, before its body is read, whose `timeout` is no time (400), or
 * that has waited too long for its turn (server/shed.h): true where it is answered. */
bool fx_request_reject_early(struct fx_thread *thread, struct fx_http_exchange *exchange);

/* How long ago its first byte arrived. */
double fx_request_seconds(const struct fx_http_exchange *exchange);

/* Answers with the result of a review, whose body it empties. */
void fx_respond_review(struct fx_http_exchange *exchange,
                       const struct fx_review_result *result);

/* 503: try again. */
void fx_respond_no_memory(struct fx_http_exchange *exchange);
void fx_respond_overloaded(struct fx_http_exchange *exchange);

#endif
