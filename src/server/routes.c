/* SPDX-License-Identifier: Apache-2.0
 *
 * server/routes.c - the tables, and the responses for requests without a route.
 */
#include "server/routes.h"

#include "server/handlers.h"
#include "server/respond.h"
#include "server/state.h"

static bool mutates(const struct fx_server *server) {
    return server->options->mutates;
}

static bool admits(const struct fx_server *server) {
    return server->options->admits;
}

static const struct fx_route webhook[] = {
    {"POST", "/v1/mutate", fx_handle_mutate, NULL, mutates},
    {"POST", "/v1/admit", fx_handle_admit, NULL, admits},
    {"POST", "/v1/admitlabel", fx_handle_admit_label, NULL, admits},
    {"POST", "/podbinding-webhook", fx_handle_binding, NULL, mutates},
    /* The paths in KubeMod's own webhook configurations. */
    {"POST", "/dragnet-webhook", fx_handle_mutate, NULL, mutates},
    {"POST", "/validate-api-kubemod-io-v1beta1-modrule", fx_handle_admit, NULL, admits},
    {"POST", "/mutate-api-kubemod-io-v1beta1-modrule", fx_handle_defaults, NULL, admits},
};

static const struct fx_route health[] = {
    {"GET", "/healthz", NULL, fx_handle_healthz, NULL},
    {"HEAD", "/healthz", NULL, fx_handle_healthz, NULL},
    {"GET", "/readyz", NULL, fx_handle_readyz, NULL},
    {"HEAD", "/readyz", NULL, fx_handle_readyz, NULL},
    {"GET", "/metrics", NULL, fx_handle_metrics, NULL},
    {"HEAD", "/metrics", NULL, fx_handle_metrics, NULL},
};

static const struct fx_route dryruns[] = {
    {"PUT", "/v1/dryrun", NULL, fx_handle_dryrun, NULL},
};

const struct fx_routes fx_routes_webhook = {webhook, FX_COUNT(webhook)};
const struct fx_routes fx_routes_health = {health, FX_COUNT(health)};
const struct fx_routes fx_routes_dryruns = {dryruns, FX_COUNT(dryruns)};

const struct fx_route *fx_routes_find(const struct fx_routes *routes,
                                      const struct fx_server *server,
                                      struct fx_text method, struct fx_text path,
                                      struct fx_buf *allow) {
    for (size_t i = 0; i < routes->n_items; i++) {
        const struct fx_route *route = &routes->items[i];
        if (!fx_text_is(path, route->path) ||
            (route->is_enabled != NULL && !route->is_enabled(server))) {
            continue;
        }
        if (fx_text_is(method, route->method)) {
            fx_buf_reset(allow);
            return route;
        }
        fx_buf_str(allow, allow->len == 0 ? "Allow: " : ", ");
        fx_buf_str(allow, route->method);
    }
    if (allow->len > 0) {
        fx_buf_str(allow, "\r\n");
    }
    return NULL;
}

/* The route of the request. NULL if there is none: then the request is answered. */
static const struct fx_route *look_up(const struct fx_routes *routes,
                                      const struct fx_server *server,
                                      struct fx_http_exchange *exchange) {
    struct fx_buf allow;
    fx_buf_init(&allow, 0);
    const struct fx_route *route = fx_routes_find(
        routes, server, fx_http_method(exchange), fx_http_path(exchange), &allow);
    if (route == NULL && allow.failed) {
        fx_respond_text(exchange, 503, FX_RETRY_AFTER, "out of memory");
    } else if (route == NULL && allow.len > 0) {
        fx_respond_text(exchange, 405, allow.data, "method not allowed");
    } else if (route == NULL) {
        fx_respond_text(exchange, 404, NULL, "not found");
    }
    fx_buf_finish(&allow);
    return route;
}

void fx_routes_dispatch(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    const struct fx_route *route = look_up(&fx_routes_webhook, thread->server, exchange);
    if (route != NULL) {
        fx_activity_set_task(&thread->activity, route->path);
        route->on_thread(thread, exchange);
        fx_activity_set_task(&thread->activity, NULL);
    }
}

void fx_routes_dispatch_main(const struct fx_routes *routes, struct fx_server *server,
                             struct fx_http_exchange *exchange) {
    const struct fx_route *route = look_up(routes, server, exchange);
    if (route != NULL) {
        route->on_main(server, exchange);
    }
}
