/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_fixture.h - for the tests of the server: a server on real sockets, and
 * clients in the same thread. The clients' sockets never block; while a client waits, the
 * loop runs.
 */
#ifndef FX_NET_HTTP_SERVER_FIXTURE_H
#define FX_NET_HTTP_SERVER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macros.h"
#include "net/http_server.h"

#define PATIENCE_MS 20000

struct fixture {
    uv_loop_t loop;
    struct fx_http_server *server;
    struct fx_http_exchange *waiting; /* of a request that is answered later */
    bool defers, drains, stops;       /* both right after its answer */
    size_t n_requests, big;           /* `big`: bytes of each answer's body, when not 0 */
    bool stopping, stopped, probed;
    struct fx_err failure; /* of the port check */
};

/* ---- the server's side ---- */

/* Responds with the parts of the request. */
static inline void answer(struct fixture *fixture, struct fx_http_exchange *exchange) {
    struct fx_buf body = {0};
    if (fixture->big > 0) {
        fx_buf_fill(&body, 'b', fixture->big);
    } else {
        const struct fx_text agent = fx_http_header(exchange, "user-agent");
        fx_buf_printf(
            &body, "%.*s %.*s %.*s %.*s [%.*s]", FX_TEXT_ARG(fx_http_method(exchange)),
            FX_TEXT_ARG(fx_http_path(exchange)), FX_TEXT_ARG(fx_http_query(exchange)),
            (int)agent.len, agent.len > 0 ? agent.data : "",
            FX_TEXT_ARG(fx_http_body(exchange)));
    }
    const bool empty = fx_text_is(fx_http_path(exchange), "/empty");
    fx_http_respond(exchange, empty ? 204 : 200, empty ? NULL : "text/plain",
                    empty ? NULL : "X-Extra: 1\r\n", &body);
    assert_null(body.data);
}

static inline void on_stopped(void *user) {
    ((struct fixture *)user)->stopped = true;
}

static inline void stop(struct fixture *fixture) {
    fixture->stopping = true;
    fx_http_server_stop(fixture->server, on_stopped, fixture);
    assert_false(fixture->stopped); /* later, never at once */
}

static inline void on_request(struct fx_http_exchange *exchange, void *user) {
    struct fixture *fixture = user;
    fixture->n_requests++;
    assert_true(fx_http_arrival_ns(exchange) <= fx_clock_ns());
    if (fixture->defers) {
        assert_null(fixture->waiting);
        fixture->waiting = exchange;
    } else {
        answer(fixture, exchange);
    }
    if (fixture->drains) {
        fx_http_server_drain(fixture->server);
    }
    if (fixture->stops) {
        stop(fixture);
    }
}

static inline void start(struct fixture *fixture, struct fx_http_server_options options) {
    struct fx_err err = FX_ERR_INIT;
    *fixture = (struct fixture){0};
    assert_int_equal(uv_loop_init(&fixture->loop), 0);
    options.on_request = on_request;
    options.user = fixture;
    fixture->server = fx_http_server_create(&fixture->loop, &options, &err);
    assert_non_null(fixture->server);
    assert_int_equal(fx_http_server_port(fixture->server), 0);
    assert_true(fx_http_server_listen(fixture->server, "127.0.0.1:0", &err));
    assert_int_not_equal(fx_http_server_port(fixture->server), 0);
}

static inline uint64_t now_ms(void) {
    return fx_clock_ns() / 1000000;
}

static inline void run_once(struct fixture *fixture) {
    if (uv_run(&fixture->loop, UV_RUN_NOWAIT) != 0) {
        uv_sleep(1);
    }
}

static inline void run_for(struct fixture *fixture, uint64_t ms) {
    for (const uint64_t end = now_ms() + ms; now_ms() < end;) {
        run_once(fixture);
    }
}

/* Runs until a request waits for its answer. */
static inline void await_request(struct fixture *fixture) {
    for (const uint64_t end = now_ms() + PATIENCE_MS;
         fixture->waiting == NULL && now_ms() < end;) {
        run_once(fixture);
    }
    assert_non_null(fixture->waiting);
}

static inline void answer_waiting(struct fixture *fixture) {
    await_request(fixture);
    struct fx_http_exchange *exchange = fixture->waiting;
    fixture->waiting = NULL;
    answer(fixture, exchange);
}

/* Everything must go within the patience, and leave the loop empty. */
static inline void finish(struct fixture *fixture) {
    if (!fixture->stopping) {
        stop(fixture);
    }
    for (const uint64_t end = now_ms() + PATIENCE_MS;
         !fixture->stopped && now_ms() < end;) {
        run_once(fixture);
    }
    assert_true(fixture->stopped);
    assert_int_equal(fx_http_server_counts(fixture->server).connections, 0);
    assert_int_equal(fx_http_server_counts(fixture->server).in_flight, 0);
    fx_http_server_destroy(fixture->server);
    assert_int_equal(uv_run(&fixture->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
}

/* ---- the client's side ---- */

static inline int dial(struct fixture *fixture) {
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(fx_http_server_port(fixture->server))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    /* A small piece would wait until the one before is acknowledged (RFC 896), which
     * takes up to 40 ms where it has no answer: the end of a TLS 1.3 handshake has none.
     */
    const int on = 1;
    assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    return fd;
}

static inline void say_n(struct fixture *fixture, int fd, struct fx_text text) {
    while (text.len > 0) {
        const ssize_t n = send(fd, text.data, text.len, MSG_NOSIGNAL);
        if (n < 0) {
            assert_int_equal(errno, EAGAIN);
            run_once(fixture);
            continue;
        }
        text.data += n;
        text.len -= (size_t)n;
    }
}

static inline void say(struct fixture *fixture, int fd, const char *text) {
    say_n(fixture, fd, fx_text_of(text));
}

/* Reads what comes; false at the end. Fails when nothing comes for too long. */
static inline bool receive_some(struct fixture *fixture, int fd,
                                struct fx_buf *received) {
    for (const uint64_t end = now_ms() + PATIENCE_MS; now_ms() < end;) {
        char *to = fx_buf_reserve(received, 65536);
        if (to == NULL) {
            fail_msg("out of memory");
            return false;
        }
        const ssize_t n = recv(fd, to, 65536, 0);
        if (n > 0) {
            received->len += (size_t)n;
            received->data[received->len] = '\0';
            return true;
        }
        if (n == 0 || errno == ECONNRESET) {
            return false;
        }
        assert_int_equal(errno, EAGAIN);
        run_once(fixture);
    }
    fail_msg("nothing came; so far: %s", received->data);
    return false;
}

/* The length of the first whole answer in `received`, 0 when there is none. */
static inline size_t answer_length(const struct fx_buf *received) {
    char head[1000] = "";
    const size_t seen = received->len < sizeof head ? received->len : sizeof head - 1;
    if (seen > 0) {
        memcpy(head, received->data, seen);
    }
    const char *end = strstr(head, "\r\n\r\n");
    if (end == NULL) {
        return 0;
    }
    const char *field = strstr(head, "Content-Length: ");
    const size_t body = field != NULL && field < end ? strtoul(field + 16, NULL, 10) : 0;
    const size_t whole = (size_t)(end + 4 - head) + body;
    return whole <= received->len ? whole : 0;
}

/* One answer; what came behind it stays in `received`. Empty at the connection's end. */
static inline char *receive_response(struct fixture *fixture, int fd,
                                     struct fx_buf *received) {
    size_t len = answer_length(received);
    while (len == 0 && receive_some(fixture, fd, received)) {
        len = answer_length(received);
    }
    char *text = calloc(1, len + 1);
    assert_non_null(text);
    if (len > 0 && received->data != NULL) {
        memcpy(text, received->data, len);
        memmove(received->data, received->data + len, received->len - len + 1);
        received->len -= len;
    }
    return text;
}

/* Expects that the next response begins and ends like this, with or without `Connection:
 * close`. */
static inline void expect(struct fixture *fixture, int fd, struct fx_buf *received,
                          const char *begin, const char *end) {
    char *text = receive_response(fixture, fd, received);
    const size_t len = strlen(text);
    if (strncmp(text, begin, strlen(begin)) != 0 || len < strlen(end) ||
        strcmp(text + len - strlen(end), end) != 0) {
        fail_msg("wanted `%s … %s`, got `%s`", begin, end, text);
    }
    free(text);
}

static inline void expect_end(struct fixture *fixture, int fd, struct fx_buf *received) {
    while (receive_some(fixture, fd, received)) {
    }
    assert_int_equal(received->len, 0);
}

static inline void hang_up(int fd, struct fx_buf *received) {
    (void)close(fd);
    fx_buf_finish(received);
    fx_buf_init(received, 0);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"
#define OK        "HTTP/1.1 200 OK\r\n"

#endif
