/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_fake_server.h - for the tests of the client: a server whose responses a
 * test scripts.
 */
#ifndef FX_NET_HTTP_CLIENT_FAKE_SERVER_H
#define FX_NET_HTTP_CLIENT_FAKE_SERVER_H

#include "net/http_client_fixture.h"

#include "net/stream.h"

#define OK_LINE "HTTP/1.1 200 OK\r\n"

enum ending { GOODBYE, CUT, RESET, STAY };

struct script {
    const char *answer; /* NULL: none */
    enum ending ending;
};

struct fake_connection;

struct fake_server {
    uv_loop_t loop;
    uv_tcp_t listener;
    uint16_t port;
    struct fx_tls_config *tls;
    struct fx_stream_scratch scratch;
    struct script script; /* for the first request of each connection, */
    struct script again;  /* and for those behind it */
    struct fx_buf received;
    struct fake_connection *connections; /* connections that are open */
    size_t n_open, n_accepted, n_requests;
};

/* One connection. A request is what came until now, once it has an empty line: those of
 * the tests come in one piece. */
struct fake_connection {
    struct fx_stream stream;
    struct fake_server *fake;
    struct fake_connection *next;
    struct fx_buf received;
    size_t n_requests;
};

static inline void end_connection(struct fake_connection *connection,
                                  enum ending ending) {
    uv_os_fd_t fd = -1;
    if (ending == GOODBYE) {
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

static inline void play_connection(struct fake_connection *connection,
                                   struct script script) {
    if (script.answer != NULL) {
        fx_stream_write(&connection->stream, fx_text_of(script.answer));
    }
    end_connection(connection, script.ending);
}

static inline void fake_on_bytes(void *user, struct fx_text bytes) {
    struct fake_connection *connection = user;
    struct fake_server *fake = connection->fake;
    fx_buf_text(&fake->received, bytes);
    fx_buf_text(&connection->received, bytes);
    if (strstr(connection->received.data, "\r\n\r\n") == NULL) {
        return;
    }
    fx_buf_reset(&connection->received);
    fake->n_requests++;
    connection->n_requests++;
    play_connection(connection, connection->n_requests == 1 ? fake->script : fake->again);
}

static inline void fake_on_end(void *user) {
    fx_stream_close(&((struct fake_connection *)user)->stream);
}

static inline void fake_on_broken(void *user, const struct fx_err *failure) {
    (void)user;
    (void)failure;
}

static inline void fake_on_closed(void *user) {
    struct fake_connection *connection = user;
    struct fake_connection **at = &connection->fake->connections;
    while (*at != connection) {
        at = &(*at)->next;
    }
    *at = connection->next;
    connection->fake->n_open--;
    fx_buf_finish(&connection->received);
    free(connection);
}

static inline void on_connection(uv_stream_t *listener, int status) {
    static const struct fx_stream_events fake_events = {
        .on_bytes = fake_on_bytes,
        .on_end = fake_on_end,
        .on_error = fake_on_broken,
        .on_closed = fake_on_closed,
    };
    struct fake_server *fake = listener->data;
    struct fx_err err = FX_ERR_INIT;
    struct fake_connection *connection = calloc(1, sizeof *connection);
    assert_int_equal(status, 0);
    assert_non_null(connection);
    connection->fake = fake;
    connection->next = fake->connections;
    fake->connections = connection;
    assert_true(fx_stream_init(&connection->stream, &fake->loop, fake->tls,
                               &fake->scratch, PATIENCE_MS, &err));
    fx_stream_set_events(&connection->stream, &fake_events, connection);
    fake->n_open++;
    fake->n_accepted++;
    assert_true(fx_stream_accept(&connection->stream, listener));
}

static inline void fake_server_start(struct fake_server *fake,
                                     struct fx_tls_config *tls) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    int len = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *fake = (struct fake_server){.tls = tls};
    assert_int_equal(uv_loop_init(&fake->loop), 0);
    assert_int_equal(uv_tcp_init(&fake->loop, &fake->listener), 0);
    fake->listener.data = fake;
    assert_int_equal(uv_tcp_bind(&fake->listener, (const struct sockaddr *)&at, 0), 0);
    assert_int_equal(uv_listen((uv_stream_t *)&fake->listener, MANY, on_connection), 0);
    assert_int_equal(uv_tcp_getsockname(&fake->listener, (struct sockaddr *)&at, &len),
                     0);
    fake->port = ntohs(at.sin_port);
}

/* All goes within a moment: nothing keeps the loop alive. */
static inline void fake_server_finish(struct fake_server *fake) {
    uv_close((uv_handle_t *)&fake->listener, NULL);
    assert_int_equal(uv_run(&fake->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(fake->n_open, 0);
    assert_int_equal(uv_loop_close(&fake->loop), 0);
    fx_stream_scratch_finish(&fake->scratch);
    fx_buf_finish(&fake->received);
}

static inline void ask_actor(struct fake_server *fake, const char *format,
                             struct fx_http_call_options options, struct asked *asked) {
    struct fx_buf text = {0};
    struct fx_url url;
    fx_buf_reset(&fake->received);
    parse_url(&text, &url, format, fake->port);
    options.url = &url;
    ask(&fake->loop, &options, asked);
    fx_buf_finish(&text);
}

#endif
