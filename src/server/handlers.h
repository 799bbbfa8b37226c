/* SPDX-License-Identifier: Apache-2.0
 *
 * server/handlers.h - one function for each route (server/routes.c). Each gets a whole
 * request and answers it exactly once, now or later, with fx_http_respond().
 */
#ifndef FX_SERVER_HANDLERS_H
#define FX_SERVER_HANDLERS_H

struct fx_http_exchange;
struct fx_server;
struct fx_thread;

/* ---- webhook port, on the serving thread that owns the connection ----------------- */

/* POST /v1/mutate: reviews the body under the policies that are active now, within the
 * time that the query names. The content type is ignored. */
void fx_handle_mutate(struct fx_thread *thread, struct fx_http_exchange *exchange);

/* POST /v1/admit: validates a policy before the API server stores it. */
void fx_handle_admit(struct fx_thread *thread, struct fx_http_exchange *exchange);

/* Sets the defaults of a policy before the API server stores it. */
void fx_handle_defaults(struct fx_thread *thread, struct fx_http_exchange *exchange);

/* Guards of dialects (engine/webhook.h): may an object be changed in this way? */
void fx_handle_guard(struct fx_thread *thread, struct fx_http_exchange *exchange);

/* Reviews a Binding: always allowed. If the Pod asks for it, its Node is first written to
 * an annotation of the Pod (cluster/references/bindings.h). Without a cluster, and
 * without policies that may ask for it, the response comes at once. */
void fx_handle_binding(struct fx_thread *thread, struct fx_http_exchange *exchange);

/* ---- health port, on the main thread ----------------------------------------------- */

/* GET /healthz: 200, or 503 if a thread or libuv's worker threads have stalled
 * (server/watchdog.h). The body has one line for each stall. */
void fx_handle_healthz(struct fx_server *server, struct fx_http_exchange *exchange);

/* GET /readyz: 200 if policies are loaded, the certificate is valid, the webhook port
 * answers, no thread has stalled and the server does not drain; else 503. The checks are
 * listed, in the API server's format, if one fails or the query is `verbose`. */
void fx_handle_readyz(struct fx_server *server, struct fx_http_exchange *exchange);

/* GET /metrics, in Prometheus' text format. */
void fx_handle_metrics(struct fx_server *server, struct fx_http_exchange *exchange);

/* ---- dry run port, on the main thread ---------------------------------------------- */

/* The dry run APIs of dialects (server/dryruns.h): 415 if the body is not JSON, 400 if
 * `timeout` is invalid, 503 if too many dry runs wait; else the result of the dry run. */
void fx_handle_dryrun(struct fx_server *server, struct fx_http_exchange *exchange);

#endif
