/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/api_fixture.h - for tests of the client and the reflector: an API server that
 * sends the replies that a test sets, request by request, also recorded ones of a real
 * server (tests/recordings/api). It runs on the loop of the client.
 */
#ifndef FX_KUBE_API_FIXTURE_H
#define FX_KUBE_API_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/macros.h"
#include "kube/client.h"
#include "kube/config.h"
#include "net/stream.h"
#include "net/tls.h"

#define TIMEOUT_MS       20000
#define PAUSE_ITERATIONS 4 /* of the loop, between the two parts of a reply */

#define OK_HEAD    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define OPEN_HEAD  OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"
#define LAST_CHUNK "0\r\n\r\n"

/* What happens to the connection after the reply. */
enum ending { KEEP_OPEN, CLOSE, CUT, RESET };

/* The answer to the next request, which must contain `about`. */
struct reply {
    const char *about;
    const char *bytes;
    enum ending ending;
    size_t split; /* send so many bytes first, the rest a little later; 0: all at once */
};

struct connection;

struct api {
    uv_loop_t loop;
    uv_tcp_t listener;
    uv_idle_t idle; /* counts iterations while a second part is pending */
    uint16_t port;
    struct fx_tls_config *tls;
    struct fx_stream_scratch scratch;
    const struct reply *replies;
    size_t n_replies, n_sent;
    const struct reply *always; /* after those: selected by `about` */
    size_t n_always;
    void (*respond)(struct connection *connection, const char *request,
                    void *user); /* or this */
    void *user;
    struct fx_buf received;         /* of all requests */
    struct connection *connections; /* connections that are open */
    struct connection *last;        /* of the last request, or NULL */
    struct connection *pending;     /* with a pending second part, or NULL */
    unsigned iterations;
    size_t n_open, n_accepted, n_requests;
};

/* One connection. */
struct connection {
    struct fx_stream stream;
    struct api *api;
    struct connection *next;
    struct fx_buf received;
};

/* ---- replies ---- */

static inline void end_connection(struct connection *connection, enum ending ending) {
    uv_os_fd_t fd = -1;
    if (ending == CLOSE) {
        fx_stream_shutdown(&connection->stream);
    } else if (ending == RESET) {
        const struct linger none = {.l_onoff = 1, .l_linger = 0};
        assert_int_equal(uv_fileno((uv_handle_t *)&connection->stream.tcp, &fd), 0);
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none), 0);
    }
    if (ending == CUT || ending == RESET) {
        fx_stream_close(&connection->stream);
    }
}

static inline void on_idle(uv_idle_t *idle) {
    struct api *api = idle->data;
    struct connection *connection = api->pending;
    if (connection != NULL && --api->iterations > 0) {
        return;
    }
    (void)uv_idle_stop(idle);
    if (connection != NULL) {
        const struct reply *reply = &api->replies[api->n_sent - 1];
        api->pending = NULL;
        fx_stream_write(&connection->stream, fx_text_of(reply->bytes + reply->split));
        end_connection(connection, reply->ending);
    }
}

static inline void send_reply(struct connection *connection, const struct reply *reply) {
    struct api *api = connection->api;
    if (reply->about != NULL && strstr(connection->received.data, reply->about) == NULL) {
        fail_msg("request %zu: wanted `%s`, got %s", api->n_sent, reply->about,
                 connection->received.data);
    }
    if (reply->split == 0) {
        fx_stream_write(&connection->stream, fx_text_of(reply->bytes));
        end_connection(connection, reply->ending);
        return;
    }
    assert_null(api->pending);
    fx_stream_write(&connection->stream, (struct fx_text){reply->bytes, reply->split});
    api->pending = connection;
    api->iterations = PAUSE_ITERATIONS;
    assert_int_equal(uv_idle_start(&api->idle, on_idle), 0);
}

static inline void send_always(struct connection *connection) {
    const struct api *api = connection->api;
    for (size_t i = 0; i < api->n_always; i++) {
        if (strstr(connection->received.data, api->always[i].about) != NULL) {
            send_reply(connection, &api->always[i]);
            return;
        }
    }
}

/* Sends more bytes on the connection of the last request. */
static inline void say(struct api *api, const char *bytes) {
    assert_non_null(api->last);
    fx_stream_write(&api->last->stream, fx_text_of(bytes));
}

/* ---- connections ---- */

/* How long the body of the request will be. */
static inline size_t body_length(const char *head) {
    const char *field = strstr(head, "Content-Length: ");
    return field == NULL ? 0
                         : (size_t)strtoul(field + strlen("Content-Length: "), NULL, 10);
}

/* Is it all there? Requests come one after the other, never two at once. */
static inline bool is_whole(const struct fx_buf *received) {
    const char *end = strstr(received->data, "\r\n\r\n");
    return end != NULL && received->len == (size_t)(end + 4 - received->data) +
                                               body_length(received->data);
}

static inline void connection_on_bytes(void *user, struct fx_text bytes) {
    struct connection *connection = user;
    struct api *api = connection->api;
    fx_buf_text(&api->received, bytes);
    fx_buf_text(&connection->received, bytes);
    if (!is_whole(&connection->received)) {
        return;
    }
    api->n_requests++;
    api->last = connection;
    if (api->n_sent < api->n_replies) {
        send_reply(connection, &api->replies[api->n_sent++]);
    } else if (api->respond != NULL) {
        api->respond(connection, connection->received.data, api->user);
    } else {
        send_always(connection);
    }
    fx_buf_reset(&connection->received);
}

static inline void connection_on_end(void *user) {
    fx_stream_close(&((struct connection *)user)->stream);
}

static inline void connection_on_broken(void *user, const struct fx_err *failure) {
    (void)user;
    (void)failure;
}

static inline void connection_on_closed(void *user) {
    struct connection *connection = user;
    struct api *api = connection->api;
    struct connection **at = &api->connections;
    while (*at != connection) {
        at = &(*at)->next;
    }
    *at = connection->next;
    api->last = api->last == connection ? NULL : api->last;
    api->pending = api->pending == connection ? NULL : api->pending;
    api->n_open--;
    fx_buf_finish(&connection->received);
    free(connection);
}

static inline void api_on_connection(uv_stream_t *listener, int status) {
    static const struct fx_stream_events role_events = {
        .on_bytes = connection_on_bytes,
        .on_end = connection_on_end,
        .on_error = connection_on_broken,
        .on_closed = connection_on_closed,
    };
    struct api *api = listener->data;
    struct fx_err err = FX_ERR_INIT;
    struct connection *connection = calloc(1, sizeof *connection);
    assert_int_equal(status, 0);
    assert_non_null(connection);
    connection->api = api;
    connection->next = api->connections;
    api->connections = connection;
    assert_true(fx_stream_init(&connection->stream, &api->loop, api->tls, &api->scratch,
                               TIMEOUT_MS, &err));
    fx_stream_set_events(&connection->stream, &role_events, connection);
    api->n_open++;
    api->n_accepted++;
    assert_true(fx_stream_accept(&connection->stream, listener));
}

/* ---- the server ---- */

static inline void api_start(struct api *api, struct fx_tls_config *tls) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    int len = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *api = (struct api){.tls = tls};
    assert_int_equal(uv_loop_init(&api->loop), 0);
    assert_int_equal(uv_idle_init(&api->loop, &api->idle), 0);
    api->idle.data = api;
    assert_int_equal(uv_tcp_init(&api->loop, &api->listener), 0);
    api->listener.data = api;
    assert_int_equal(uv_tcp_bind(&api->listener, (const struct sockaddr *)&at, 0), 0);
    assert_int_equal(uv_listen((uv_stream_t *)&api->listener, 64, api_on_connection), 0);
    assert_int_equal(uv_tcp_getsockname(&api->listener, (struct sockaddr *)&at, &len), 0);
    api->port = ntohs(at.sin_port);
}

/* From now on. */
static inline void api_set_replies(struct api *api, const struct reply *replies,
                                   size_t n) {
    api->replies = replies;
    api->n_replies = n;
    api->n_sent = 0;
}

static inline void api_close_listener(struct api *api) {
    if (!uv_is_closing((uv_handle_t *)&api->listener)) {
        uv_close((uv_handle_t *)&api->listener, NULL);
    }
}

/* The client is closed: nothing keeps the loop alive for long. */
static inline void api_finish(struct api *api) {
    for (struct connection *connection = api->connections; connection != NULL;
         connection = connection->next) {
        fx_stream_close(&connection->stream);
    }
    api_close_listener(api);
    uv_close((uv_handle_t *)&api->idle, NULL);
    assert_int_equal(uv_run(&api->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(api->n_open, 0);
    assert_int_equal(uv_loop_close(&api->loop), 0);
    fx_stream_scratch_finish(&api->scratch);
    fx_buf_finish(&api->received);
}

static inline uint64_t now_ms(void) {
    return fx_clock_ns() / 1000000;
}

static inline void run_for(struct api *api, uint64_t ms) {
    for (const uint64_t end = now_ms() + ms; now_ms() < end;) {
        if (uv_run(&api->loop, UV_RUN_NOWAIT) == 0) {
            return;
        }
        uv_sleep(1);
    }
}

/* Runs until `what` is there; false where patience ends before. */
#define RUN_UNTIL(api, what)                                          \
    do {                                                              \
        for (const uint64_t end_ = now_ms() + TIMEOUT_MS; !(what);) { \
            assert_true(now_ms() < end_);                             \
            (void)uv_run(&(api)->loop, UV_RUN_NOWAIT);                \
        }                                                             \
    } while (0)

/* ---- clients ---- */

static inline struct fx_kube_client *make_client(struct api *api,
                                                 struct fx_kube_config *config,
                                                 fx_kube_on_request *on_request,
                                                 void *user) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf server = {0};
    fx_buf_printf(&server, "%s://127.0.0.1:%u", api->tls != NULL ? "https" : "http",
                  api->port);
    config->server = server.data;
    struct fx_kube_client *client =
        fx_kube_client_create(&api->loop, config, on_request, user, &err);
    if (client == NULL) {
        fail_msg("no client: %s", err.msg);
    }
    config->server = NULL;
    fx_buf_finish(&server);
    return client;
}

/* ---- recordings ---- */

static inline void read_recording(const char *name, struct fx_buf *ret_bytes) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf path = {0};
    fx_buf_printf(&path, FX_SOURCE_DIR "/tests/recordings/api/%s.http", name);
    *ret_bytes = (struct fx_buf){0};
    if (!fx_file_read(path.data, (size_t)1 << 20, ret_bytes, &err)) {
        fail_msg("%s", err.msg);
    }
    fx_buf_finish(&path);
}

/* ---- resources ---- */

static const struct fx_kube_resource assign = {"mutations.gatekeeper.sh", "v1", "assign",
                                               "Assign"};
static const struct fx_kube_resource namespaces = {"", "v1", "namespaces", "Namespace"};

#endif
