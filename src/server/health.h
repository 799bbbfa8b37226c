/* SPDX-License-Identifier: Apache-2.0
 *
 * server/health.h - the plain port: alive, ready, metrics.
 */
#ifndef FX_SERVER_HEALTH_H
#define FX_SERVER_HEALTH_H

struct fx_http_exchange;
struct fx_server;

/* 200, or 503 where a thread or libuv's worker threads have stalled (server/stalls.h).
 * Each stall has its line: what, for how long, in which policy, on which kind. */
void fx_handle_healthz(struct fx_server *server, struct fx_http_exchange *exchange);

/* 200 where policies were loaded, the certificate is valid now, the webhook's port
 * answers, no thread has stalled, and nobody asked us to end; else 503. The checks are
 * listed, as the API server lists its own, where one fails or the query says `verbose`.
 */
void fx_handle_readyz(struct fx_server *server, struct fx_http_exchange *exchange);

/* Prometheus' text format. */
void fx_handle_metrics(struct fx_server *server, struct fx_http_exchange *exchange);

#endif
