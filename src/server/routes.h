/* SPDX-License-Identifier: Apache-2.0
 *
 * server/routes.h - who answers what: a table for each of our ports.
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

/* Answered by a thread that serves, or by the main thread: one of the two is there. */
struct fx_route {
    const char *method, *path;
    void (*serve)(struct fx_thread *thread, struct fx_http_exchange *exchange);
    void (*tell)(struct fx_server *server, struct fx_http_exchange *exchange);
    bool (*serves)(const struct fx_server *server); /* NULL: always */
};

struct fx_routes {
    const struct fx_route *items;
    size_t n_items;
};

extern const struct fx_routes fx_routes_webhook, fx_routes_health, fx_routes_web;

/* The route of this method and path, or NULL; a path that is not served is none. Then
 * `allow` (empty before) has the methods the path knows, as a header line, and stays
 * empty where there is no such path. */
const struct fx_route *fx_routes_find(const struct fx_routes *routes,
                                      const struct fx_server *server,
                                      struct fx_text method, struct fx_text path,
                                      struct fx_buf *allow);

/* Have the request answered by its route, or say 404, 405. */
void fx_routes_dispatch(struct fx_thread *thread, struct fx_http_exchange *exchange);
void fx_routes_dispatch_main(const struct fx_routes *routes, struct fx_server *server,
                             struct fx_http_exchange *exchange);

/* Answers with one line of plain text. */
void fx_respond_text(struct fx_http_exchange *exchange, unsigned status,
                     const char *extra_headers, const char *text);

#endif
