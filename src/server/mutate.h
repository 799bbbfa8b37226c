/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutate.h - POST /v1/mutate: an AdmissionReview in, an AdmissionReview out.
 */
#ifndef FX_SERVER_MUTATE_H
#define FX_SERVER_MUTATE_H

struct fx_http_exchange;
struct fx_thread;

/* Reviews the body under the policies in force at this moment, within the time its query
 * names. The content type is not looked at: a body is a review or it is not. */
void fx_handle_mutate(struct fx_thread *thread, struct fx_http_exchange *exchange);

#endif
