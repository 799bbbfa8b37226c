/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_actor.h - for the tests of the client: a server that says what a test
 * wants it to say.
 */
#ifndef FX_NET_HTTP_CLIENT_ACTOR_H
#define FX_NET_HTTP_CLIENT_ACTOR_H

#include "net/http_client_world.h"

#include "net/stream.h"

#define OK_LINE "HTTP/1.1 200 OK\r\n"

enum ending { GOODBYE, CUT, RESET, STAY };

struct script {
    const char *answer; /* NULL: none */
    enum ending ending;
};

struct role;

struct actor {
    uv_loop_t loop;
    uv_tcp_t listener;
    uint16_t port;
    struct fx_tls_config *tls;
    struct fx_stream_scratch scratch;
    struct script script; /* for the first request of each connection, */
    struct script again;  /* and for those behind it */
    struct fx_buf heard;
    struct role *roles; /* connections that are open */
    size_t n_open, n_accepted, n_requests;
};

/* One connection. A request is what came until now, once it has an empty line: those of
 * the tests come in one piece. */
struct role {
    struct fx_stream stream;
    struct actor *actor;
    struct role *next;
    struct fx_buf heard;
    size_t n_requests;
};

static inline void end_role(struct role *role, enum ending ending) {
    uv_os_fd_t fd = -1;
    if (ending == GOODBYE) {
        fx_stream_finish(&role->stream);
    } else if (ending == RESET) {
        const struct linger none = {.l_onoff = 1, .l_linger = 0};
        assert_int_equal(uv_fileno((uv_handle_t *)&role->stream.tcp, &fd), 0);
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none), 0);
    }
    if (ending == CUT || ending == RESET) {
        fx_stream_close(&role->stream);
    }
}

static inline void play_role(struct role *role, struct script script) {
    if (script.answer != NULL) {
        fx_stream_write(&role->stream, fx_text_of(script.answer));
    }
    end_role(role, script.ending);
}

static inline void role_on_nothing(void *user) {
    (void)user;
}

static inline void role_on_bytes(void *user, struct fx_text bytes) {
    struct role *role = user;
    struct actor *actor = role->actor;
    fx_buf_text(&actor->heard, bytes);
    fx_buf_text(&role->heard, bytes);
    if (strstr(role->heard.data, "\r\n\r\n") == NULL) {
        return;
    }
    fx_buf_reset(&role->heard);
    actor->n_requests++;
    role->n_requests++;
    play_role(role, role->n_requests == 1 ? actor->script : actor->again);
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
    struct role **at = &role->actor->roles;
    while (*at != role) {
        at = &(*at)->next;
    }
    *at = role->next;
    role->actor->n_open--;
    fx_buf_finish(&role->heard);
    free(role);
}

static inline void on_connection(uv_stream_t *listener, int status) {
    static const struct fx_stream_events role_events = {
        .on_open = role_on_nothing,
        .on_bytes = role_on_bytes,
        .on_end = role_on_end,
        .on_drained = role_on_nothing,
        .on_late = role_on_nothing,
        .on_broken = role_on_broken,
        .on_closed = role_on_closed,
    };
    struct actor *actor = listener->data;
    struct fx_err err = FX_ERR_INIT;
    struct role *role = calloc(1, sizeof *role);
    assert_int_equal(status, 0);
    assert_non_null(role);
    role->actor = actor;
    role->next = actor->roles;
    actor->roles = role;
    assert_true(fx_stream_init(&role->stream, &actor->loop, actor->tls, &actor->scratch,
                               PATIENCE_MS, &err));
    fx_stream_tell(&role->stream, &role_events, role);
    actor->n_open++;
    actor->n_accepted++;
    assert_true(fx_stream_accept(&role->stream, listener));
}

static inline void actor_start(struct actor *actor, struct fx_tls_config *tls) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    int len = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *actor = (struct actor){.tls = tls};
    assert_int_equal(uv_loop_init(&actor->loop), 0);
    assert_int_equal(uv_tcp_init(&actor->loop, &actor->listener), 0);
    actor->listener.data = actor;
    assert_int_equal(uv_tcp_bind(&actor->listener, (const struct sockaddr *)&at, 0), 0);
    assert_int_equal(uv_listen((uv_stream_t *)&actor->listener, MANY, on_connection), 0);
    assert_int_equal(uv_tcp_getsockname(&actor->listener, (struct sockaddr *)&at, &len),
                     0);
    actor->port = ntohs(at.sin_port);
}

/* All goes within a moment: nothing keeps the loop alive. */
static inline void actor_finish(struct actor *actor) {
    uv_close((uv_handle_t *)&actor->listener, NULL);
    assert_int_equal(uv_run(&actor->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(actor->n_open, 0);
    assert_int_equal(uv_loop_close(&actor->loop), 0);
    fx_stream_scratch_finish(&actor->scratch);
    fx_buf_finish(&actor->heard);
}

static inline void ask_actor(struct actor *actor, const char *format,
                             struct fx_http_call_options options, struct asked *asked) {
    struct fx_buf text = {0};
    struct fx_url url;
    fx_buf_reset(&actor->heard);
    parse_url(&text, &url, format, actor->port);
    options.url = &url;
    ask(&actor->loop, &options, asked);
    fx_buf_finish(&text);
}

#endif
