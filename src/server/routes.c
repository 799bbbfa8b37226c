/* SPDX-License-Identifier: Apache-2.0
 *
 * server/routes.c - the tables, and what is said where they have nothing.
 */
#include "server/routes.h"

#include "engine/dialect.h"
#include "engine/dry_run.h"
#include "engine/webhook.h"
#include "server/admit.h"
#include "server/binding.h"
#include "server/dryruns.h"
#include "server/health.h"
#include "server/mutate.h"
#include "server/state.h"

static bool mutates(const struct fx_server *server) {
    return server->options->mutates;
}

static bool admits(const struct fx_server *server) {
    return server->options->admits;
}

/* By endpoint; the path is that of Fixpoint's own webhook configurations. */
static const struct fx_route webhook[] = {
    [FX_ENDPOINT_MUTATE] = {"POST", "/v1/mutate", fx_answer_mutate, NULL, mutates},
    [FX_ENDPOINT_ADMIT] = {"POST", "/v1/admit", fx_answer_admit, NULL, admits},
    [FX_ENDPOINT_DEFAULTS] = {"POST", NULL, fx_answer_fill_in, NULL, admits},
    [FX_ENDPOINT_BINDING] = {"POST", NULL, fx_answer_binding, NULL, mutates},
    [FX_ENDPOINT_GUARD] = {"POST", NULL, fx_answer_guard, NULL, admits},
};

/* The paths of the dialects. */
static bool find_webhook_path(struct fx_text path, struct fx_route *ret_route) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_webhook_path *at =
            fx_dialects[i]->webhook == NULL ? NULL : fx_dialects[i]->webhook->paths;
        for (; at != NULL && at->path != NULL; at++) {
            if (fx_text_is(path, at->path)) {
                *ret_route = webhook[at->endpoint];
                ret_route->path = at->path;
                return true;
            }
        }
    }
    return false;
}

static const struct fx_route health[] = {
    {"GET", "/healthz", NULL, fx_answer_healthz, NULL},
    {"HEAD", "/healthz", NULL, fx_answer_healthz, NULL},
    {"GET", "/readyz", NULL, fx_answer_readyz, NULL},
    {"HEAD", "/readyz", NULL, fx_answer_readyz, NULL},
    {"GET", "/metrics", NULL, fx_answer_metrics, NULL},
    {"HEAD", "/metrics", NULL, fx_answer_metrics, NULL},
};

/* The paths of dry runs. */
static bool find_web_path(struct fx_text path, struct fx_route *ret_route) {
    const struct fx_dry_run *found = fx_dryruns_find(path);
    if (found == NULL) {
        return false;
    }
    *ret_route =
        (struct fx_route){found->method, found->path, NULL, fx_answer_dryrun, NULL};
    return true;
}

const struct fx_routes fx_routes_webhook = {webhook, FX_COUNT(webhook),
                                            find_webhook_path};
const struct fx_routes fx_routes_health = {health, FX_COUNT(health), NULL};
const struct fx_routes fx_routes_web = {NULL, 0, find_web_path};

/* A route of that path: is it the one that is asked for? Otherwise its method is added to
 * the list. */
static bool is_found(const struct fx_route *route, const struct fx_server *server,
                     struct fx_text method, struct fx_buf *allow) {
    if (route->serves != NULL && !route->serves(server)) {
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
            is_found(&routes->items[i], server, method, allow)) {
            *ret_route = routes->items[i];
            return true;
        }
    }
    if (routes->find_more != NULL && routes->find_more(path, ret_route) &&
        is_found(ret_route, server, method, allow)) {
        return true;
    }
    if (allow->len > 0) {
        fx_buf_str(allow, "\r\n");
    }
    return false;
}

/* Finds the route; where there is none, answers that. */
static bool look_up(const struct fx_routes *routes, const struct fx_server *server,
                    struct fx_http_exchange *exchange, struct fx_route *ret_route) {
    struct fx_buf allow;
    fx_buf_init(&allow, 0);
    const bool ok = fx_routes_find(routes, server, fx_http_method(exchange),
                                   fx_http_path(exchange), ret_route, &allow);
    if (!ok && allow.failed) {
        fx_answer_text(exchange, 503, "Retry-After: 1\r\n", "out of memory");
    } else if (!ok && allow.len > 0) {
        fx_answer_text(exchange, 405, allow.data, "this path does not take that method");
    } else if (!ok) {
        fx_answer_text(exchange, 404, NULL, "there is nothing at this path");
    }
    fx_buf_finish(&allow);
    return ok;
}

void fx_routes_serve(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    struct fx_route route;
    if (look_up(&fx_routes_webhook, thread->server, exchange, &route)) {
        fx_activity_set_task(&thread->activity, route.path);
        route.serve(thread, exchange);
        fx_activity_set_task(&thread->activity, NULL);
    }
}

void fx_routes_tell(const struct fx_routes *routes, struct fx_server *server,
                    struct fx_http_exchange *exchange) {
    struct fx_route route;
    if (look_up(routes, server, exchange, &route)) {
        route.tell(server, exchange);
    }
}

void fx_answer_text(struct fx_http_exchange *exchange, unsigned status,
                    const char *extra_headers, const char *text) {
    struct fx_buf body;
    fx_buf_init(&body, 0);
    fx_buf_printf(&body, "%s\n", text);
    if (body.failed) { /* the status says enough */
        fx_buf_finish(&body);
        fx_buf_init(&body, 0);
    }
    fx_http_respond(exchange, status, "text/plain; charset=utf-8", extra_headers, &body);
}
