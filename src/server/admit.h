/* SPDX-License-Identifier: Apache-2.0
 *
 * server/admit.h - the routes of policies that are about to be stored: what is left out
 * is filled in, and they are validated; and the guards of dialects (engine/webhook.h).
 */
#ifndef FX_SERVER_ADMIT_H
#define FX_SERVER_ADMIT_H

struct fx_http_exchange;
struct fx_thread;

void fx_answer_admit(struct fx_thread *thread, struct fx_http_exchange *exchange);
void fx_answer_fill_in(struct fx_thread *thread, struct fx_http_exchange *exchange);
void fx_answer_guard(struct fx_thread *thread, struct fx_http_exchange *exchange);

#endif
