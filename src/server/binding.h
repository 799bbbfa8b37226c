/* SPDX-License-Identifier: Apache-2.0
 *
 * server/binding.h - `POST /podbinding-webhook`.
 */
#ifndef FX_SERVER_BINDING_H
#define FX_SERVER_BINDING_H

struct fx_http_exchange;
struct fx_thread;

/* Allows a Binding (admission/binding.h), once the Pod is told its Node where it asks for
 * it (cluster/bindings.h). Without a cluster, or without ModRules of it, it is allowed at
 * once, and nobody is told: an API server that is set up so is not to be kept from
 * binding Pods. */
void fx_handle_binding(struct fx_thread *thread, struct fx_http_exchange *exchange);

#endif
