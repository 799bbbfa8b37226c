/* SPDX-License-Identifier: Apache-2.0
 *
 * server/admit.h - the routes of policies that are about to be stored: what is left out
 * is filled in, and they are validated; and POST /v1/admitlabel, the guard of the ignore
 * label.
 */
#ifndef FX_SERVER_ADMIT_H
#define FX_SERVER_ADMIT_H

struct fx_http_exchange;
struct fx_thread;

void fx_handle_admit(struct fx_thread *thread, struct fx_http_exchange *exchange);
void fx_handle_defaults(struct fx_thread *thread, struct fx_http_exchange *exchange);
void fx_handle_admit_label(struct fx_thread *thread, struct fx_http_exchange *exchange);

#endif
