/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/api_fixture.h - for the tests of the client and the reflector: an API server that
 * says, request by request, what a test wants it to say; also what a real one has said
 * (tests/recordings/api). It lives on the loop of the client.
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

#define PATIENCE_MS 20000
#define PAUSE_TURNS 4 /* of the loop, between the two parts of a reply */

#define OK_HEAD    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define OPEN_HEAD  OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"
#define LAST_CHUNK "0\r\n\r\n"

/* What becomes of the connection when the reply has been sent. */
enum ending { STAY, GOODBYE, CUT, RESET };

/* The answer to the next request, which must have `about` in it. */
struct reply {
    const char *about;
    const char *bytes;
    enum ending ending;
    size_t split; /* so many bytes first, the rest a little later; 0: all at once */
};

struct role;

struct api {
    uv_loop_t loop;
    uv_tcp_t listener;
    uv_idle_t idle; /* counts turns while a second part waits */
    uint16_t port;
    struct fx_tls_config *tls;
    struct fx_stream_scratch scratch;
    const struct reply *replies;
    size_t n_replies, n_played;
    const struct reply *always; /* when those are used up: by what a request is about */
    size_t n_always;
    void (*respond)(struct role *role, const char *request, void *user); /* or this */
    void *user;
    struct fx_buf heard;  /* of all requests */
    struct role *roles;   /* connections that are open */
    struct role *last;    /* that had the last request, or NULL */
    struct role *halfway; /* whose second part waits, or NULL */
    unsigned turns;
    size_t n_open, n_accepted, n_requests;
};

/* One connection. */
struct role {
    struct fx_stream stream;
    struct api *api;
    struct role *next;
    struct fx_buf heard;
};

/* ---- replies ---- */

static inline void end_role(struct role *role, enum ending ending) {
    uv_os_fd_t fd = -1;
    if (ending == GOODBYE) {
        fx_stream_shutdown(&role->stream);
    } else if (ending == RESET) {
        const struct linger none = {.l_onoff = 1, .l_linger = 0};
        assert_int_equal(uv_fileno((uv_handle_t *)&role->stream.tcp, &fd), 0);
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none), 0);
    }
    if (ending == CUT || ending == RESET) {
        fx_stream_close(&role->stream);
    }
}

static inline void on_turn(uv_idle_t *idle) {
    struct api *api = idle->data;
    struct role *role = api->halfway;
    if (role != NULL && --api->turns > 0) {
        return;
    }
    (void)uv_idle_stop(idle);
    if (role != NULL) {
        const struct reply *reply = &api->replies[api->n_played - 1];
        api->halfway = NULL;
        fx_stream_write(&role->stream, fx_text_of(reply->bytes + reply->split));
        end_role(role, reply->ending);
    }
}

static inline void play(struct role *role, const struct reply *reply) {
    struct api *api = role->api;
    if (reply->about != NULL && strstr(role->heard.data, reply->about) == NULL) {
        fail_msg("request %zu: wanted `%s`, got %s", api->n_played, reply->about,
                 role->heard.data);
    }
    if (reply->split == 0) {
        fx_stream_write(&role->stream, fx_text_of(reply->bytes));
        end_role(role, reply->ending);
        return;
    }
    assert_null(api->halfway);
    fx_stream_write(&role->stream, (struct fx_text){reply->bytes, reply->split});
    api->halfway = role;
    api->turns = PAUSE_TURNS;
    assert_int_equal(uv_idle_start(&api->idle, on_turn), 0);
}

static inline void play_always(struct role *role) {
    const struct api *api = role->api;
    for (size_t i = 0; i < api->n_always; i++) {
        if (strstr(role->heard.data, api->always[i].about) != NULL) {
            play(role, &api->always[i]);
            return;
        }
    }
}

/* Sends more to who asked last. */
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
static inline bool is_whole(const struct fx_buf *heard) {
    const char *end = strstr(heard->data, "\r\n\r\n");
    return end != NULL &&
           heard->len == (size_t)(end + 4 - heard->data) + body_length(heard->data);
}

static inline void role_on_bytes(void *user, struct fx_text bytes) {
    struct role *role = user;
    struct api *api = role->api;
    fx_buf_text(&api->heard, bytes);
    fx_buf_text(&role->heard, bytes);
    if (!is_whole(&role->heard)) {
        return;
    }
    api->n_requests++;
    api->last = role;
    if (api->n_played < api->n_replies) {
        play(role, &api->replies[api->n_played++]);
    } else if (api->respond != NULL) {
        api->respond(role, role->heard.data, api->user);
    } else {
        play_always(role);
    }
    fx_buf_reset(&role->heard);
}

static inline void role_on_nothing(void *user) {
    (void)user;
}

static inline void role_on_end(void *user) {
    fx_stream_close(&((struct role *)user)->stream);
}

static inline void role_on_broken(void *user, const struct fx_err *failure) {
    (void)user;
    (void)failure;
}

static inline void role_on_closed(void *user) {
    struct role *role = user;
    struct api *api = role->api;
    struct role **at = &api->roles;
    while (*at != role) {
        at = &(*at)->next;
    }
    *at = role->next;
    api->last = api->last == role ? NULL : api->last;
    api->halfway = api->halfway == role ? NULL : api->halfway;
    api->n_open--;
    fx_buf_finish(&role->heard);
    free(role);
}

static inline void api_on_connection(uv_stream_t *listener, int status) {
    static const struct fx_stream_events role_events = {
        .on_open = role_on_nothing,
        .on_bytes = role_on_bytes,
        .on_end = role_on_end,
        .on_drained = role_on_nothing,
        .on_deadline = role_on_nothing,
        .on_error = role_on_broken,
        .on_closed = role_on_closed,
    };
    struct api *api = listener->data;
    struct fx_err err = FX_ERR_INIT;
    struct role *role = calloc(1, sizeof *role);
    assert_int_equal(status, 0);
    assert_non_null(role);
    role->api = api;
    role->next = api->roles;
    api->roles = role;
    assert_true(fx_stream_init(&role->stream, &api->loop, api->tls, &api->scratch,
                               PATIENCE_MS, &err));
    fx_stream_set_events(&role->stream, &role_events, role);
    api->n_open++;
    api->n_accepted++;
    assert_true(fx_stream_accept(&role->stream, listener));
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
static inline void api_will(struct api *api, const struct reply *replies, size_t n) {
    api->replies = replies;
    api->n_replies = n;
    api->n_played = 0;
}

static inline void api_close_listener(struct api *api) {
    if (!uv_is_closing((uv_handle_t *)&api->listener)) {
        uv_close((uv_handle_t *)&api->listener, NULL);
    }
}

/* The client is closed: nothing keeps the loop alive for long. */
static inline void api_finish(struct api *api) {
    for (struct role *role = api->roles; role != NULL; role = role->next) {
        fx_stream_close(&role->stream);
    }
    api_close_listener(api);
    uv_close((uv_handle_t *)&api->idle, NULL);
    assert_int_equal(uv_run(&api->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(api->n_open, 0);
    assert_int_equal(uv_loop_close(&api->loop), 0);
    fx_stream_scratch_finish(&api->scratch);
    fx_buf_finish(&api->heard);
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
#define RUN_UNTIL(api, what)                                           \
    do {                                                               \
        for (const uint64_t end_ = now_ms() + PATIENCE_MS; !(what);) { \
            assert_true(now_ms() < end_);                              \
            (void)uv_run(&(api)->loop, UV_RUN_NOWAIT);                 \
        }                                                              \
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
