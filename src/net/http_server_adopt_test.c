/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_adopt_test.c - connections that one server accepts and another serves;
 * when a request arrived.
 */
#include "net/http_server_fixture.h"

/* A server without a port, and what the one with the port does. */
struct pair {
    struct fixture inner;
    struct fixture outer;
    struct fx_http_server *front;
    int sockets[4];
    size_t n_sockets;
    bool keeps, crowded;
};

static void on_socket(int fd, void *user) {
    struct pair *pair = user;
    if (pair->keeps) {
        assert_in_range(pair->n_sockets, 0, FX_COUNT(pair->sockets) - 1);
        pair->sockets[pair->n_sockets++] = fd;
    } else {
        fx_http_server_adopt(pair->inner.server, fd);
    }
}

static bool is_overloaded(void *user) {
    return ((const struct pair *)user)->crowded;
}

static void never(struct fx_http_exchange *exchange, void *user) {
    (void)exchange;
    (void)user;
    fail_msg("a request came to the server that only accepts");
}

/* dial() asks the fixture's server for its port: in `outer` that is the one in front. */
static void start_pair(struct pair *pair, struct fx_http_server_options options) {
    struct fx_err err = FX_ERR_INIT;
    *pair = (struct pair){0};
    assert_int_equal(uv_loop_init(&pair->inner.loop), 0);
    options.on_request = on_request;
    options.user = &pair->inner;
    pair->inner.server = fx_http_server_create(&pair->inner.loop, &options, &err);
    assert_non_null(pair->inner.server);
    const struct fx_http_server_options front = {.on_request = never,
                                                 .on_socket = on_socket,
                                                 .is_overloaded = is_overloaded,
                                                 .user = pair};
    pair->front = fx_http_server_create(&pair->inner.loop, &front, &err);
    assert_non_null(pair->front);
    assert_true(fx_http_server_listen(pair->front, "127.0.0.1:0", &err));
    pair->outer.server = pair->front;
}

static void finish_pair(struct pair *pair) {
    fx_http_server_destroy(pair->front);
    finish(&pair->inner);
}

static void a_connection_is_handed_over(void **state) {
    (void)state;
    struct pair pair;
    struct fx_buf received = {0};
    start_pair(&pair, (struct fx_http_server_options){0});
    const int fd = dial(&pair.outer);
    for (int i = 0; i < 3; i++) {
        say(&pair.inner, fd, GET("/"));
        expect(&pair.inner, fd, &received, OK, "GET /   []");
    }
    const struct fx_http_server_counts inner = fx_http_server_counts(pair.inner.server);
    const struct fx_http_server_counts front = fx_http_server_counts(pair.front);
    assert_int_equal(inner.connections, 1);
    assert_int_equal(inner.accepted, 1);
    assert_int_equal(front.connections, 0);
    assert_int_equal(front.accepted, 1);
    assert_int_equal(fx_http_server_port(pair.inner.server), 0);
    hang_up(fd, &received);
    finish_pair(&pair);
}

static void its_own_bounds_hold(void **state) {
    (void)state;
    struct pair pair;
    struct fx_buf received = {0};
    start_pair(&pair, (struct fx_http_server_options){.max_connections = 1});
    pair.inner.defers = true;
    const int a = dial(&pair.outer);
    say(&pair.inner, a, GET("/a"));
    await_request(&pair.inner);
    const int b = dial(&pair.outer);
    expect(&pair.inner, b, &received, "HTTP/1.1 503 ", "close\r\n\r\n");
    expect_end(&pair.inner, b, &received);
    assert_int_equal(fx_http_server_counts(pair.inner.server).refused, 1);
    answer_waiting(&pair.inner);
    expect(&pair.inner, a, &received, OK, "GET /a   []");
    (void)close(b);
    hang_up(a, &received);
    finish_pair(&pair);
}

/* Passed on after the stop: the socket is closed without a response. */
static void after_the_end_it_is_closed(void **state) {
    (void)state;
    struct pair pair;
    struct fx_buf received = {0};
    start_pair(&pair, (struct fx_http_server_options){0});
    pair.keeps = true;
    const int fd = dial(&pair.outer);
    while (pair.n_sockets == 0) {
        run_once(&pair.inner);
    }
    stop(&pair.inner);
    fx_http_server_adopt(pair.inner.server, pair.sockets[0]);
    expect_end(&pair.inner, fd, &received);
    assert_int_equal(fx_http_server_counts(pair.inner.server).accepted, 0);
    hang_up(fd, &received);
    finish_pair(&pair);
}

static void in_a_crowd_nothing_is_accepted(void **state) {
    (void)state;
    struct pair pair;
    struct fx_buf received = {0};
    start_pair(&pair, (struct fx_http_server_options){0});
    assert_false(fx_http_server_is_overloaded(pair.inner.server));
    pair.crowded = true;
    const int fd = dial(&pair.outer); /* the kernel takes it */
    say(&pair.inner, fd, GET("/"));
    run_for(&pair.inner, 50);
    assert_int_equal(fx_http_server_counts(pair.front).accepted, 0);
    pair.crowded = false;
    expect(&pair.inner, fd, &received, OK, "GET /   []");
    hang_up(fd, &received);
    finish_pair(&pair);
}

/* Those whom the kernel has taken believe they are connected. */
static void waiting_clients_are_served_at_the_end(void **state) {
    (void)state;
    struct pair pair;
    struct fx_buf received = {0};
    start_pair(&pair, (struct fx_http_server_options){0});
    pair.crowded = true;
    const int fd = dial(&pair.outer);
    say(&pair.inner, fd, GET("/"));
    run_for(&pair.inner, 5);
    fx_http_server_stop(pair.front, NULL, NULL);
    assert_int_equal(fx_http_server_port(pair.front), 0);
    stop(&pair.inner);
    expect(&pair.inner, fd, &received, OK, "GET /   []");
    expect_end(&pair.inner, fd, &received);
    hang_up(fd, &received);
    finish_pair(&pair);
}

/* ---- when a request arrived ---- */

#define BUSY_MS 30

struct arrivals {
    uint64_t at[2], seen[2];
    size_t n;
};

static void on_timed_request(struct fx_http_exchange *exchange, void *user) {
    struct arrivals *arrivals = user;
    arrivals->at[arrivals->n] = fx_http_arrival_ns(exchange);
    arrivals->seen[arrivals->n++] = fx_clock_ns();
    uv_sleep(BUSY_MS);
    fx_http_respond(exchange, 204, NULL, NULL, NULL);
}

/* Two requests arrive in one iteration: the time in which the second waits for the first
 * counts as part of its time. */
static void waiting_for_others_counts(void **state) {
    (void)state;
    struct fixture fixture = {0};
    struct arrivals arrivals = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_int_equal(uv_loop_init(&fixture.loop), 0);
    const struct fx_http_server_options options = {.on_request = on_timed_request,
                                                   .user = &arrivals};
    fixture.server = fx_http_server_create(&fixture.loop, &options, &err);
    assert_non_null(fixture.server);
    assert_true(fx_http_server_listen(fixture.server, "127.0.0.1:0", &err));
    const int a = dial(&fixture);
    const int b = dial(&fixture);
    while (fx_http_server_counts(fixture.server).accepted < 2) {
        run_once(&fixture);
    }
    say(&fixture, a, GET("/"));
    say(&fixture, b, GET("/"));
    uv_sleep(10); /* both have arrived before the next iteration */
    const uint64_t before = fx_clock_ns();
    while (arrivals.n < 2) {
        run_once(&fixture);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_true(arrivals.at[i] >= before && arrivals.at[i] <= arrivals.seen[i]);
    }
    assert_true(arrivals.seen[1] - arrivals.at[1] >= (BUSY_MS - 2) * UINT64_C(1000000));
    (void)close(a);
    (void)close(b);
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_is_handed_over),
        cmocka_unit_test(its_own_bounds_hold),
        cmocka_unit_test(after_the_end_it_is_closed),
        cmocka_unit_test(in_a_crowd_nothing_is_accepted),
        cmocka_unit_test(waiting_clients_are_served_at_the_end),
        cmocka_unit_test(waiting_for_others_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
