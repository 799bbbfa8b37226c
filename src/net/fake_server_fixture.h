/* SPDX-License-Identifier: Apache-2.0
 *
 * net/fake_server_fixture.h - for tests of clients: a server whose responses a test
 * chooses. It runs on the loop of the client.
 */
#ifndef FX_NET_FAKE_SERVER_FIXTURE_H
#define FX_NET_FAKE_SERVER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

#include "base/buf.h"
#include "net/listener.h"
#include "net/stream.h"

#define FAKE_WRITE_MS 20000

#define OK_LINE "HTTP/1.1 200 OK\r\n"

/* What happens to the connection after the response. */
enum ending { KEEP_OPEN, CLOSE, CUT, RESET };

struct script {
    const char *answer; /* NULL: none */
    enum ending ending;
};

struct fake_connection;

struct fake_server {
    /* Called for each request, which is `connection->received`; NULL: the scripts. */
    void (*on_request)(struct fake_connection *connection);
    void (*on_gone)(struct fake_connection *connection); /* may be NULL */
    void *user;
    struct script script; /* for the first request of each connection, */
    struct script again;  /* and for those after it */

    uv_loop_t loop;
    struct fx_listener listener;
    uint16_t port;
    struct fx_tls_config *tls;
    struct fx_stream_scratch scratch;
    struct fx_buf received;              /* of all requests */
    struct fake_connection *connections; /* connections that are open */
    size_t n_open, n_accepted, n_requests;
};

/* One connection. Requests come one after the other, never two at once. */
struct fake_connection {
    struct fx_stream stream;
    struct fake_server *server;
    struct fake_connection *next;
    struct fx_buf received; /* of the current request */
    size_t n_requests;
    char *watches; /* of kube/fake_api.h */
};

static inline void end_connection(struct fake_connection *connection,
                                  enum ending ending) {
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

static inline void play_connection(struct fake_connection *connection,
                                   struct script script) {
    if (script.answer != NULL) {
        fx_stream_write(&connection->stream, fx_text_of(script.answer));
    }
    end_connection(connection, script.ending);
}

/* Is the request complete? A script answers after its head. */
static inline bool is_whole(const struct fx_buf *received) {
    static const char field[] = "Content-Length: ";
    const char *end = strstr(received->data, "\r\n\r\n");
    const char *length = strstr(received->data, field);
    const size_t body =
        length == NULL || length > end ? 0 : strtoul(length + strlen(field), NULL, 10);
    return end != NULL && received->len == (size_t)(end + 4 - received->data) + body;
}

static inline void fake_on_bytes(void *user, struct fx_text bytes) {
    struct fake_connection *connection = user;
    struct fake_server *server = connection->server;
    fx_buf_text(&server->received, bytes);
    fx_buf_text(&connection->received, bytes);
    if (server->on_request == NULL ? strstr(connection->received.data, "\r\n\r\n") == NULL
                                   : !is_whole(&connection->received)) {
        return;
    }
    server->n_requests++;
    connection->n_requests++;
    if (server->on_request != NULL) {
        server->on_request(connection);
    } else {
        play_connection(connection,
                        connection->n_requests == 1 ? server->script : server->again);
    }
    fx_buf_reset(&connection->received);
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
    struct fake_server *server = connection->server;
    struct fake_connection **at = &server->connections;
    while (*at != connection) {
        at = &(*at)->next;
    }
    *at = connection->next;
    if (server->on_gone != NULL) {
        server->on_gone(connection);
    }
    server->n_open--;
    fx_buf_finish(&connection->received);
    free(connection->watches);
    free(connection);
}

static inline void fake_on_socket(int fd, void *user) {
    static const struct fx_stream_events fake_events = {
        .on_bytes = fake_on_bytes,
        .on_end = fake_on_end,
        .on_error = fake_on_broken,
        .on_closed = fake_on_closed,
    };
    struct fake_server *server = user;
    struct fx_err err = FX_ERR_INIT;
    struct fake_connection *connection = calloc(1, sizeof *connection);
    assert_non_null(connection);
    connection->server = server;
    connection->next = server->connections;
    server->connections = connection;
    assert_true(fx_stream_init(&connection->stream, &server->loop, server->tls,
                               &server->scratch, FAKE_WRITE_MS, &err));
    fx_stream_set_events(&connection->stream, &fake_events, connection);
    server->n_open++;
    server->n_accepted++;
    assert_true(fx_stream_adopt(&connection->stream, fd));
}

static inline bool fake_is_never(void *user) {
    (void)user;
    return false;
}

static inline void fake_on_listener_closed(void *user) {
    (void)user;
}

/* Returns the port. */
static inline uint16_t fake_listen(struct fake_server *server,
                                   struct fx_listener *listener) {
    static const struct fx_listener_events listening = {
        .is_overloaded = fake_is_never,
        .make_room = fake_is_never,
        .on_socket = fake_on_socket,
        .on_closed = fake_on_listener_closed,
    };
    struct fx_address address;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_address_parse("127.0.0.1:0", &address, &err));
    assert_true(fx_listener_open(listener, &server->loop, &address, &err));
    fx_listener_set_events(listener, &listening, server);
    return fx_listener_port(listener);
}

/* Set callbacks and scripts afterwards. */
static inline void fake_server_start(struct fake_server *server,
                                     struct fx_tls_config *tls) {
    *server = (struct fake_server){.tls = tls};
    assert_int_equal(uv_loop_init(&server->loop), 0);
    server->port = fake_listen(server, &server->listener);
}

/* Everything of the test is closed: nothing keeps the loop alive for long. */
static inline void fake_server_finish(struct fake_server *server) {
    for (struct fake_connection *at = server->connections; at != NULL; at = at->next) {
        fx_stream_close(&at->stream);
    }
    fx_listener_close(&server->listener);
    assert_int_equal(uv_run(&server->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(server->n_open, 0);
    assert_int_equal(uv_loop_close(&server->loop), 0);
    fx_stream_scratch_finish(&server->scratch);
    fx_buf_finish(&server->received);
}

#endif
