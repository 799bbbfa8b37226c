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
    const char *path; /* NULL: it only has paths of dialects */
    void (*on_thread)(struct fx_thread *thread, struct fx_http_exchange *exchange);
    void (*on_main)(struct fx_server *server, struct fx_http_exchange *exchange);
    bool (*is_enabled)(const struct fx_server *server); /* NULL: always */
};

struct fx_routes {
    const struct fx_route *items;
    size_t n_items;
    /* Finds further routes, whose paths dialects define. False: none. May be NULL. */
    bool (*find_more)(struct fx_text path, struct fx_route *ret_route);
};

extern const struct fx_routes fx_routes_webhook, fx_routes_health, fx_routes_dryruns;

/* Finds the enabled route of this method and path. False if there is none: then the
 * methods of the path, as an Allow header line, are appended to `allow`, which must be
 * empty; nothing if there is no such path. */
bool fx_routes_find(const struct fx_routes *routes, const struct fx_server *server,
                    struct fx_text method, struct fx_text path,
                    struct fx_route *ret_route, struct fx_buf *allow);

/* Calls the handler of the request, or responds with 404 or 405. The first is for the
 * webhook port, on a serving thread; the second is for the other ports, on the main
 * thread. */
void fx_routes_dispatch(struct fx_thread *thread, struct fx_http_exchange *exchange);
void fx_routes_dispatch_main(const struct fx_routes *routes, struct fx_server *server,
                             struct fx_http_exchange *exchange);

#endif
