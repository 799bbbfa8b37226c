/* SPDX-License-Identifier: Apache-2.0
 *
 * server/answer.h - what the routes of the webhook's port have in common.
 */
#ifndef FX_SERVER_ANSWER_H
#define FX_SERVER_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "admission/review.h"

struct fx_http_exchange;
struct fx_server;
struct fx_thread;

/* When the request must be answered: its arrival and what its `timeout` allows
 * (server/timeout.h), or the limit where it names none. */
uint64_t fx_answer_deadline_ns(const struct fx_server *server,
                               const struct fx_http_exchange *exchange);

/* Turns a request away that has waited too long for its turn (server/shed.h), before its
 * body is read: true where it is answered. */
bool fx_answer_if_late(struct fx_thread *thread, struct fx_http_exchange *exchange);

/* How long ago its first byte arrived. */
double fx_answer_seconds(const struct fx_http_exchange *exchange);

/* Answers with the result of a review, whose body it empties. */
void fx_answer_review(struct fx_http_exchange *exchange,
                      const struct fx_review_result *result);

/* 503: try again. */
void fx_answer_no_memory(struct fx_http_exchange *exchange);
void fx_answer_overloaded(struct fx_http_exchange *exchange);

#endif
