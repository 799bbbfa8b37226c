/* SPDX-License-Identifier: Apache-2.0
 *
 * server/routes.h - the routes: a table for each port.
 */
#ifndef FX_SERVER_ROUTES_H
#define FX_SERVER_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/text.h"
#include "net/http_server.h"

struct fx_server;
struct fx_thread;

/* One of `on_thread` (serving threads) and `on_main` (main thread) is set. */
struct fx_route {
    const char *method;
    const char *path; /* NULL: only dialects define its paths */
    void (*on_thread)(struct fx_thread *thread, struct fx_http_exchange *exchange);
    void (*on_main)(struct fx_server *server, struct fx_http_exchange *exchange);
    bool (*is_enabled)(const struct fx_server *server); /* NULL: always */
};

struct fx_routes {
    const struct fx_route *items;
    size_t n_items;
    /* Finds a route whose path a dialect defines. False: none. May be NULL. */
    bool (*find_more)(struct fx_text path, struct fx_route *ret_route);
};

extern const struct fx_routes fx_routes_webhook, fx_routes_health, fx_routes_dryruns;

/* Finds the enabled route of this method and path. False if there is none: then the
 * methods of the path, as an Allow header line, are appended to `allow`, which must be
 * empty; nothing if there is no such path. */
bool fx_routes_find(const struct fx_routes *routes, const struct fx_server *server,
                    struct fx_text method, struct fx_text path,
                    struct fx_route *ret_route, struct fx_buf *allow);

/* Calls the handler of the request, or responds with 404 or 405. The first function is
 * for the webhook port, on a serving thread; the second is for the other ports, on the
 * main thread. */
void fx_routes_dispatch(struct fx_thread *thread, struct fx_http_exchange *exchange);
void fx_routes_dispatch_main(const struct fx_routes *routes, struct fx_server *server,
                             struct fx_http_exchange *exchange);

/* ---- the handlers (one function for each route) --------------------------------------
 *
 * Each gets a whole request and answers it exactly once, now or later, with
 * fx_http_respond(). */

/* ---- webhook port, on the serving thread that owns the connection ----------------- */

/* POST /v1/mutate: reviews the body under the active policies, within the timeout of the
 * query. The content type is ignored. */
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
