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

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/macros.h"
#include "kube/client.h"
#include "kube/config.h"
#include "net/fake_server_fixture.h"
#include "net/tls.h"

#define TIMEOUT_MS       20000
#define PAUSE_ITERATIONS 4 /* of the loop, between the two parts of a reply */

#define OK_HEAD    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define OPEN_HEAD  OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"
#define LAST_CHUNK "0\r\n\r\n"

/* The answer to the next request, which must contain `about`. */
struct reply {
    const char *about;
    const char *bytes;
    enum ending ending;
    size_t split; /* number of bytes to send first; 0: all at once */
};

struct api {
    struct fake_server server;
    uv_idle_t idle; /* counts iterations while a second part is pending */
    const struct reply *replies;
    size_t n_replies, n_sent;
    const struct reply *always; /* after those: selected by `about` */
    size_t n_always;
    void (*respond)(struct fake_connection *connection, const char *request,
                    void *user); /* or this */
    void *user;
    struct fake_connection *last;    /* of the last request, or NULL */
    struct fake_connection *pending; /* with a pending second part, or NULL */
    unsigned iterations;
};

/* ---- replies ---- */

static inline void on_idle(uv_idle_t *idle) {
    struct api *api = idle->data;
    struct fake_connection *connection = api->pending;
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

static inline void send_reply(struct fake_connection *connection,
                              const struct reply *reply) {
    struct api *api = connection->server->user;
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

static inline void send_always(struct fake_connection *connection) {
    const struct api *api = connection->server->user;
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

static inline void on_api_request(struct fake_connection *connection) {
    struct api *api = connection->server->user;
    api->last = connection;
    if (api->n_sent < api->n_replies) {
        send_reply(connection, &api->replies[api->n_sent++]);
    } else if (api->respond != NULL) {
        api->respond(connection, connection->received.data, api->user);
    } else {
        send_always(connection);
    }
}

static inline void on_api_gone(struct fake_connection *connection) {
    struct api *api = connection->server->user;
    api->last = api->last == connection ? NULL : api->last;
    api->pending = api->pending == connection ? NULL : api->pending;
}

/* ---- the server ---- */

static inline void api_start(struct api *api, struct fx_tls_config *tls) {
    *api = (struct api){.n_sent = 0};
    fake_server_start(&api->server, tls);
    api->server.on_request = on_api_request;
    api->server.on_gone = on_api_gone;
    api->server.user = api;
    assert_int_equal(uv_idle_init(&api->server.loop, &api->idle), 0);
    api->idle.data = api;
}

/* From now on. */
static inline void api_set_replies(struct api *api, const struct reply *replies,
                                   size_t n) {
    api->replies = replies;
    api->n_replies = n;
    api->n_sent = 0;
}

/* The client is closed: nothing keeps the loop alive for long. */
static inline void api_finish(struct api *api) {
    uv_close((uv_handle_t *)&api->idle, NULL);
    fake_server_finish(&api->server);
}

static inline uint64_t now_ms(void) {
    return fx_clock_ns() / 1000000;
}

static inline void run_for(struct api *api, uint64_t ms) {
    for (const uint64_t end = now_ms() + ms; now_ms() < end;) {
        if (uv_run(&api->server.loop, UV_RUN_NOWAIT) == 0) {
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
            (void)uv_run(&(api)->server.loop, UV_RUN_NOWAIT);         \
        }                                                             \
    } while (0)

/* ---- clients ---- */

static inline struct fx_kube_client *make_client(struct api *api,
                                                 struct fx_kube_config *config,
                                                 fx_kube_on_request *on_request,
                                                 void *user) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf server = {0};
    fx_buf_printf(&server, "%s://127.0.0.1:%u",
                  api->server.tls != NULL ? "https" : "http", api->server.port);
    config->server = server.data;
    struct fx_kube_client *client =
        fx_kube_client_create(&api->server.loop, config, on_request, user, &err);
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
