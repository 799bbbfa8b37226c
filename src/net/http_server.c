/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server.c - the listener, its bounds, draining and stopping.
 */
#include "net/http_server.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#include "base/limits.h"
#include "net/http_connection.h"
#include "net/tls.h"

#define BACKLOG  1024
#define PAUSE_MS 100 /* without a descriptor for the next connection */

#define SERVER_MAGIC 0x66786873u /* "fxhs" */

static struct fx_http_server *checked(void *data) {
    struct fx_http_server *server = data;
    assert(server != NULL && server->magic == SERVER_MAGIC);
    return server;
}

/* ---- create and destroy ---- */

static uint64_t or_default(uint64_t value, uint64_t standard) {
    return value == 0 ? standard : value;
}

static void set_defaults(struct fx_http_server_options *options) {
    options->max_connections =
        (size_t)or_default(options->max_connections, FX_LIMIT_CONNECTIONS);
    options->max_header = (size_t)or_default(options->max_header, FX_LIMIT_HEADER_BYTES);
    options->max_body = (size_t)or_default(options->max_body, FX_LIMIT_BODY_BYTES);
    options->max_held = (size_t)or_default(options->max_held, FX_LIMIT_HELD_BYTES);
    options->idle_ms = or_default(options->idle_ms, FX_LIMIT_IDLE_MS);
    options->message_ms = or_default(options->message_ms, FX_LIMIT_MESSAGE_MS);
    options->handshake_ms = or_default(options->handshake_ms, FX_LIMIT_HANDSHAKE_MS);
    options->write_ms = or_default(options->write_ms, FX_LIMIT_WRITE_MS);
}

struct fx_http_server *fx_http_server_create(uv_loop_t *loop,
                                             const struct fx_http_server_options *options,
                                             struct fx_err *err) {
    assert(options->on_request != NULL);
    struct fx_http_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    /* libuv writes with write(2): a client that has gone must be an error, no signal. */
    (void)signal(SIGPIPE, SIG_IGN);
    server->magic = SERVER_MAGIC;
    server->loop = loop;
    server->options = *options;
    set_defaults(&server->options);
    server->options.tls = NULL; /* borrowed for the call */
    server->tls = options->tls == NULL ? NULL : fx_tls_config_ref(options->tls);
    return server;
}

static void free_server(struct fx_http_server *server) {
    fx_tls_config_unref(server->tls);
    fx_stream_scratch_finish(&server->scratch);
    fx_buf_finish(&server->out);
    server->magic = 0;
    free(server);
}

void fx_http_server_destroy(struct fx_http_server *server) {
    if (server == NULL) {
        return;
    }
    if (!server->timer_ready) {
        free_server(server);
        return;
    }
    server->orphaned = true; /* freed with its last handle */
    if (!server->stopping) {
        fx_http_server_stop(server, NULL, NULL);
    }
}

/* ---- the listener ---- */

static bool open_listener(struct fx_http_server *server, struct fx_err *err);

static void on_listener_closed(uv_handle_t *handle) {
    struct fx_http_server *server = checked(handle->data);
    free(handle);
    server->listeners--;
    fx_http_server_settle(server);
}

static void close_listener(struct fx_http_server *server) {
    if (server->listener != NULL) {
        uv_close((uv_handle_t *)server->listener, on_listener_closed);
        server->listener = NULL;
    }
}

static void on_pause_over(uv_timer_t *timer) {
    struct fx_http_server *server = checked(timer->data);
    struct fx_err err = FX_ERR_INIT;
    if (!server->stopping && !open_listener(server, &err)) {
        (void)uv_timer_start(timer, on_pause_over, PAUSE_MS, 0);
    }
}

/* libuv asks again at once as long as a connection waits: without a descriptor or memory
 * for it that would be a busy loop. Closing the listener also gives one back. */
static void pause_accepting(struct fx_http_server *server) {
    close_listener(server);
    (void)uv_timer_start(&server->timer, on_pause_over, PAUSE_MS, 0);
}

static void on_refused_closed(uv_handle_t *handle) {
    free(handle);
}

/* Over the bound: a word to plain clients, none in the middle of no handshake. */
static void refuse_connection(struct fx_http_server *server, uv_stream_t *listener) {
    static char words[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
                          "Content-Length: 0\r\nConnection: close\r\n\r\n";
    server->counts.refused++;
    uv_tcp_t *client = calloc(1, sizeof *client);
    if (client == NULL) {
        pause_accepting(server);
        return;
    }
    (void)uv_tcp_init(server->loop, client);
    if (uv_accept(listener, (uv_stream_t *)client) == 0 && server->tls == NULL) {
        const uv_buf_t bytes = {words, sizeof words - 1};
        (void)uv_try_write((uv_stream_t *)client, &bytes, 1);
    }
    uv_close((uv_handle_t *)client, on_refused_closed);
}

static void on_connection(uv_stream_t *listener, int status) {
    struct fx_http_server *server = checked(listener->data);
    if (server->listener != (uv_tcp_t *)listener) {
        return; /* being closed */
    }
    if (status == UV_EMFILE || status == UV_ENFILE || status == UV_ENOBUFS ||
        status == UV_ENOMEM) {
        pause_accepting(server);
    } else if (status == 0 &&
               (server->counts.connections >= server->options.max_connections ||
                !fx_http_connection_accept(server, listener))) {
        refuse_connection(server, listener);
    }
}

/* Binds and listens; the port it got is kept, for after a pause. */
static int bind_and_listen(struct fx_http_server *server, uv_tcp_t *listener) {
    const struct sockaddr *to = (const struct sockaddr *)&server->address.socket;
    int rc = uv_tcp_bind(listener, to, 0);
    if (rc == 0) {
        rc = uv_listen((uv_stream_t *)listener, BACKLOG, on_connection);
    }
    if (rc == 0) {
        int len = (int)sizeof server->address.socket;
        rc = uv_tcp_getsockname(listener, (struct sockaddr *)&server->address.socket,
                                &len);
    }
    return rc;
}

static int try_listen(struct fx_http_server *server) {
    uv_tcp_t *listener = calloc(1, sizeof *listener);
    if (listener == NULL) {
        return UV_ENOMEM;
    }
    (void)uv_tcp_init(server->loop, listener);
    listener->data = server;
    server->listener = listener;
    server->listeners++;
    const int rc = bind_and_listen(server, listener);
    if (rc != 0) {
        close_listener(server);
    }
    return rc;
}

static bool open_listener(struct fx_http_server *server, struct fx_err *err) {
    int rc = try_listen(server);
    if (server->address.any && (rc == UV_EAFNOSUPPORT || rc == UV_EADDRNOTAVAIL)) {
        fx_address_make_ipv4(&server->address);
        rc = try_listen(server);
    }
    return rc == 0 || fx_fail(err, FX_EIO, "%s", uv_strerror(rc));
}

static void prepare_timer(struct fx_http_server *server) {
    if (!server->timer_ready) {
        (void)uv_timer_init(server->loop, &server->timer);
        server->timer.data = server;
        server->timer_ready = true;
    }
}

bool fx_http_server_listen(struct fx_http_server *server, const char *address,
                           struct fx_err *err) {
    assert(server->listener == NULL && !server->stopping);
    if (!fx_address_parse(address, &server->address, err)) {
        return false;
    }
    prepare_timer(server);
    if (!open_listener(server, err)) {
        return fx_err_prefix(err, "listening on `%.200s`: ", address);
    }
    return true;
}

uint16_t fx_http_server_port(const struct fx_http_server *server) {
    return server->listener == NULL ? 0 : fx_address_port(&server->address.socket);
}

void fx_http_server_set_tls(struct fx_http_server *server, struct fx_tls_config *tls) {
    struct fx_tls_config *before = server->tls;
    server->tls = tls == NULL ? NULL : fx_tls_config_ref(tls);
    fx_tls_config_unref(before);
}

struct fx_http_server_counts fx_http_server_counts(const struct fx_http_server *server) {
    return server->counts;
}

/* ---- draining and stopping ---- */

void fx_http_server_drain(struct fx_http_server *server) {
    server->draining = true;
}

static void on_timer_closed(uv_handle_t *handle) {
    struct fx_http_server *server = checked(handle->data);
    const bool orphaned = server->orphaned;
    server->timer_ready = false; /* nothing holds it any more */
    if (server->on_stopped != NULL) {
        server->on_stopped(server->stopped_user); /* which may destroy the server */
    }
    if (orphaned) {
        free_server(server);
    }
}

void fx_http_server_settle(struct fx_http_server *server) {
    if (server->stopping && server->listeners == 0 && server->connections == NULL &&
        !server->timer_closing) {
        server->timer_closing = true;
        uv_close((uv_handle_t *)&server->timer, on_timer_closed);
    }
}

void fx_http_server_stop(struct fx_http_server *server, void (*on_stopped)(void *user),
                         void *user) {
    assert(!server->stopping);
    prepare_timer(server);
    (void)uv_timer_stop(&server->timer);
    server->stopping = true;
    server->on_stopped = on_stopped;
    server->stopped_user = user;
    close_listener(server);
    for (struct fx_http_exchange *at = server->connections; at != NULL; at = at->next) {
        fx_http_connection_stop(at); /* which frees nothing before the loop goes on */
    }
    fx_http_server_settle(server);
}
