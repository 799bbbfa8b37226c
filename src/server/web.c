/* SPDX-License-Identifier: Apache-2.0
 *
 * server/web.c - a port on the main thread.
 */
#include "server/web.h"

#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "server/routes.h"
#include "server/state.h"

static void on_request(struct fx_http_exchange *exchange, void *user) {
    fx_routes_dispatch_main(&fx_routes_web, user, exchange);
}

/* The address with the port it really has. */
static void tell_start(const struct fx_web *web, const char *address) {
    const char *colon = strrchr(address, ':');
    struct fx_buf listen;
    fx_buf_init(&listen, 0);
    fx_buf_add(&listen, address, colon == NULL ? 0 : (size_t)(colon - address));
    fx_buf_printf(&listen, ":%u", (unsigned)fx_http_server_port(web->http));
    fx_log(INFO, "serving dry runs",
           fx_log_str("listen", listen.failed ? "" : listen.data));
    fx_buf_finish(&listen);
}

bool fx_web_start(struct fx_server *server, size_t max_connections, struct fx_err *err) {
    const struct fx_server_options *options = server->options;
    struct fx_web *web = &server->web;
    const struct fx_http_server_options http = {
        .max_connections = max_connections,
        .max_body = FX_LIMIT_DRYRUN_BODY_BYTES,
        .max_held = FX_LIMIT_DRYRUN_HELD_BYTES,
        .idle_ms = options->idle_ms,
        .message_ms = options->message_ms,
        .on_request = on_request,
        .user = server,
    };
    if (options->web_listen == NULL) {
        return true;
    }
    fx_dryruns_init(&web->dryruns, server);
    web->http = fx_http_server_create(&server->loop, &http, err);
    if (web->http == NULL) {
        return false;
    }
    if (!fx_http_server_listen(web->http, options->web_listen, err)) {
        fx_http_server_destroy(web->http);
        web->http = NULL;
        return false;
    }
    tell_start(web, options->web_listen);
    return true;
}

void fx_web_drain(struct fx_web *web) {
    if (web->http != NULL) {
        fx_http_server_drain(web->http);
    }
}

void fx_web_stop(struct fx_web *web, void (*on_stopped)(void *user), void *user) {
    if (web->http == NULL) {
        on_stopped(user);
        return;
    }
    fx_http_server_stop(web->http, on_stopped, user);
}

void fx_web_finish(struct fx_web *web) {
    fx_http_server_destroy(web->http);
    web->http = NULL;
}
