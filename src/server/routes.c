/* SPDX-License-Identifier: Apache-2.0
 *
 * server/routes.c - the tables, and the responses for requests without a route.
 */
#include "server/routes.h"

#include "admission/paths.h"
#include "server/dryruns.h"
#include "server/respond.h"
#include "server/state.h"

static bool mutates(const struct fx_server *server) {
    return server->options->mutates;
}

static bool admits(const struct fx_server *server) {
    return server->options->admits;
}

/* By endpoint. The paths are those of Fixpoint's own webhook configurations; NULL:
 * none. */
static const struct fx_route webhook[] = {
    [FX_ENDPOINT_MUTATE] = {"POST", "/v1/mutate", fx_handle_mutate, NULL, mutates},
    [FX_ENDPOINT_ADMIT] = {"POST", "/v1/admit", fx_handle_admit, NULL, admits},
    [FX_ENDPOINT_DEFAULTS] = {"POST", NULL, fx_handle_defaults, NULL, admits},
    [FX_ENDPOINT_BINDING] = {"POST", NULL, fx_handle_binding, NULL, mutates},
    [FX_ENDPOINT_GUARD] = {"POST", NULL, fx_handle_guard, NULL, admits},
};

/* Finds a path of a dialect. */
static bool find_webhook_path(struct fx_text path, struct fx_route *ret_route) {
    const struct fx_webhook *of = NULL;
    struct fx_text argument;
    const struct fx_webhook_path *at = fx_webhook_path_find(path, &of, &argument);
    if (at == NULL) {
        return false;
    }
    *ret_route = webhook[at->endpoint];
    ret_route->path = at->path;
    return true;
}

static const struct fx_route health[] = {
    {"GET", "/healthz", NULL, fx_handle_healthz, NULL},
    {"HEAD", "/healthz", NULL, fx_handle_healthz, NULL},
    {"GET", "/readyz", NULL, fx_handle_readyz, NULL},
    {"HEAD", "/readyz", NULL, fx_handle_readyz, NULL},
    {"GET", "/metrics", NULL, fx_handle_metrics, NULL},
    {"HEAD", "/metrics", NULL, fx_handle_metrics, NULL},
};

/* Finds a path of a dry run API. */
static bool find_dry_run_path(struct fx_text path, struct fx_route *ret_route) {
    const struct fx_dry_run *found = fx_dryruns_find(path);
    if (found == NULL) {
        return false;
    }
    *ret_route =
        (struct fx_route){found->method, found->path, NULL, fx_handle_dryrun, NULL};
    return true;
}

const struct fx_routes fx_routes_webhook = {webhook, FX_COUNT(webhook),
                                            find_webhook_path};
const struct fx_routes fx_routes_health = {health, FX_COUNT(health), NULL};
const struct fx_routes fx_routes_dryruns = {NULL, 0, find_dry_run_path};

/* Is the route, which has the path of the request, enabled, and does it have the method?
 * If only the method is wrong, appends the route's method to the Allow header. */
static bool matches_method(const struct fx_route *route, const struct fx_server *server,
                           struct fx_text method, struct fx_buf *allow) {
    if (route->is_enabled != NULL && !route->is_enabled(server)) {
        return false;
    }
    if (fx_text_is(method, route->method)) {
        fx_buf_reset(allow);
        return true;
    }
    fx_buf_str(allow, allow->len == 0 ? "Allow: " : ", ");
    fx_buf_str(allow, route->method);
    return false;
}

bool fx_routes_find(const struct fx_routes *routes, const struct fx_server *server,
                    struct fx_text method, struct fx_text path,
                    struct fx_route *ret_route, struct fx_buf *allow) {
    for (size_t i = 0; i < routes->n_items; i++) {
        if (routes->items[i].path != NULL && fx_text_is(path, routes->items[i].path) &&
            matches_method(&routes->items[i], server, method, allow)) {
            *ret_route = routes->items[i];
            return true;
        }
    }
    if (routes->find_more != NULL && routes->find_more(path, ret_route) &&
        matches_method(ret_route, server, method, allow)) {
        return true;
    }
    if (allow->len > 0) {
        fx_buf_str(allow, "\r\n");
    }
    return false;
}

/* Finds the route of the request. False: there is none, and the response is sent. */
static bool look_up(const struct fx_routes *routes, const struct fx_server *server,
                    struct fx_http_exchange *exchange, struct fx_route *ret_route) {
    struct fx_buf allow = {0};
    const bool ok = fx_routes_find(routes, server, fx_http_method(exchange),
                                   fx_http_path(exchange), ret_route, &allow);
    if (!ok && allow.failed) {
        fx_respond_text(exchange, 503, FX_RETRY_AFTER, "out of memory");
    } else if (!ok && allow.len > 0) {
        fx_respond_text(exchange, 405, allow.data, "method not allowed");
    } else if (!ok) {
        fx_respond_text(exchange, 404, NULL, "not found");
    }
    fx_buf_finish(&allow);
    return ok;
}

void fx_routes_dispatch(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    struct fx_route route;
    if (look_up(&fx_routes_webhook, thread->server, exchange, &route)) {
        fx_activity_set_task(&thread->activity, route.path);
        route.on_thread(thread, exchange);
        fx_activity_set_task(&thread->activity, NULL);
    }
}

void fx_routes_dispatch_main(const struct fx_routes *routes, struct fx_server *server,
                             struct fx_http_exchange *exchange) {
    struct fx_route route;
    if (look_up(routes, server, exchange, &route)) {
        route.on_main(server, exchange);
    }
}
