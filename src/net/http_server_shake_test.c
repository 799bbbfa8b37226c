/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_shake_test.c - many TLS handshakes at once: requests of open
 * connections are answered first, begun handshakes are finished, idle clients are closed.
 */
#include "net/http_server_tls_fixture.h"

#define N_CROWD 8

/* Connects and sends the first message, without waiting for the response. */
static struct client greet(struct fixture *fixture, struct fx_tls_config *config) {
    struct fx_err err = FX_ERR_INIT;
    struct client client = {.fd = dial(fixture), .tls = fx_tls_create(config)};
    assert_non_null(client.tls);
    client.state = fx_tls_receive(client.tls, (struct fx_text){0}, &client.plain,
                                  &client.cipher, &err);
    say_n(fixture, client.fd, fx_buf_view(&client.cipher));
    fx_buf_reset(&client.cipher);
    return client;
}

static bool has_heard(const struct client *client) {
    char byte = 0;
    return recv(client->fd, &byte, 1, MSG_PEEK) > 0;
}

static size_t count_heard(const struct client clients[N_CROWD]) {
    size_t count = 0;
    for (size_t i = 0; i < N_CROWD; i++) {
        count += has_heard(&clients[i]);
    }
    return count;
}

static void await_accepted(struct fixture *fixture, size_t count) {
    for (const uint64_t end = now_ms() + PATIENCE_MS;
         fx_http_server_counts(fixture->server).accepted < count && now_ms() < end;) {
        run_once(fixture);
    }
    assert_int_equal(fx_http_server_counts(fixture->server).accepted, count);
}

/* A server over TLS, and a client configuration that trusts it. */
static struct fx_tls_config *start_tls(struct fixture *fixture,
                                       struct fx_http_server_options options) {
    struct fx_tls_config *config = self_signed();
    struct fx_tls_config *trust = trusting(config);
    options.tls = config;
    if (options.handshake_ms == 0) { /* valgrind makes them slow */
        options.handshake_ms = 300000;
    }
    start(fixture, options);
    fx_tls_config_unref(config);
    return trust;
}

/* Everything has arrived before the loop reads: the request is answered in the first
 * iteration, before any handshake continues. */
static void open_connections_come_first(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *trust = start_tls(&fixture, (struct fx_http_server_options){0});
    struct client early = dial_tls(&fixture, trust);
    assert_int_equal(early.state, FX_TLS_OPEN);
    int silent[N_CROWD];
    for (size_t i = 0; i < N_CROWD; i++) {
        silent[i] = dial(&fixture); /* which are accepted meanwhile */
    }
    await_accepted(&fixture, N_CROWD + 1);
    struct client crowd[N_CROWD];
    for (size_t i = 0; i < N_CROWD; i++) {
        crowd[i] = greet(&fixture, trust);
    }
    assert_true(fx_tls_send(early.tls, FX_TEXT(GET("/")), &early.cipher, &err));
    say_n(&fixture, early.fd, fx_buf_view(&early.cipher));
    fx_buf_reset(&early.cipher);
    uv_sleep(10);
    const size_t before = count_heard(crowd); /* of what was under way */
    (void)uv_run(&fixture.loop, UV_RUN_NOWAIT);
    assert_true(has_heard(&early));
    assert_in_range(count_heard(crowd), 0, before + 1);
    const uint64_t end = now_ms() + PATIENCE_MS;
    while (count_heard(crowd) < N_CROWD && now_ms() < end) {
        run_once(&fixture);
    }
    assert_int_equal(count_heard(crowd), N_CROWD);
    assert_int_equal(fixture.n_requests, 1);
    for (size_t i = 0; i < N_CROWD; i++) { /* and all of them get in */
        while (crowd[i].state == FX_TLS_HANDSHAKE && exchange_tls(&fixture, &crowd[i])) {
        }
        ask_tls(&fixture, &crowd[i], GET("/crowd"));
        hang_up_tls(&crowd[i]);
        (void)close(silent[i]);
    }
    hang_up_tls(&early);
    fx_tls_config_unref(trust);
    finish(&fixture);
}

/* A hundred handshakes at once: no further connections are accepted while they are
 * queued. */
static void a_crowd_waits_in_the_kernel(void **state) {
    (void)state;
    struct fixture fixture;
    struct client crowd[100];
    bool was_crowded = false;
    struct fx_tls_config *trust = start_tls(&fixture, (struct fx_http_server_options){0});
    for (size_t i = 0; i < FX_COUNT(crowd); i++) {
        crowd[i] = greet(&fixture, trust);
    }
    const struct fx_http_server *server = fixture.server;
    while (fx_http_server_counts(server).accepted < FX_COUNT(crowd)) {
        (void)uv_run(&fixture.loop, UV_RUN_NOWAIT);
        was_crowded |= fx_http_server_is_overloaded(server);
    }
    assert_true(was_crowded);
    for (size_t i = 0; i < FX_COUNT(crowd); i++) {
        while (crowd[i].state == FX_TLS_HANDSHAKE && exchange_tls(&fixture, &crowd[i])) {
        }
        assert_int_equal(crowd[i].state, FX_TLS_OPEN);
        hang_up_tls(&crowd[i]);
    }
    assert_false(fx_http_server_is_overloaded(server));
    fx_tls_config_unref(trust);
    finish(&fixture);
}

/* Clients that only connect do not evict clients with a finished handshake. */
static void the_silent_push_each_other_out(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    int silent[N_CROWD];
    struct fx_tls_config *trust =
        start_tls(&fixture, (struct fx_http_server_options){.max_connections = 4});
    struct client early = dial_tls(&fixture, trust);
    for (size_t i = 0; i < N_CROWD; i++) {
        silent[i] = dial(&fixture);
        await_accepted(&fixture, i + 2);
    }
    expect_end(&fixture, silent[0], &received);
    const struct fx_http_server_counts counts = fx_http_server_counts(fixture.server);
    assert_int_equal(counts.connections, 4);
    assert_int_equal(counts.dropped, N_CROWD - 3);
    assert_int_equal(counts.handshake_fails, 0);
    ask_tls(&fixture, &early, GET("/"));
    for (size_t i = 0; i < N_CROWD; i++) {
        (void)close(silent[i]);
    }
    fx_buf_finish(&received);
    hang_up_tls(&early);
    fx_tls_config_unref(trust);
    finish(&fixture);
}

/* Each stage of a handshake may be the last one: queued steps are dropped. */
static void handshakes_may_end_anywhere(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_tls_config *trust =
        start_tls(&fixture, (struct fx_http_server_options){.handshake_ms = 50});
    for (int stage = 0; stage < 4; stage++) {
        struct client client = greet(&fixture, trust);
        for (int i = 0; i < stage; i++) {
            run_once(&fixture);
        }
        hang_up_tls(&client);
    }
    struct client late = greet(&fixture, trust); /* and never goes on */
    while (exchange_tls(&fixture, &late) && late.state == FX_TLS_HANDSHAKE &&
           fx_http_server_counts(fixture.server).handshakes == 0) {
        fx_buf_reset(&late.cipher);
    }
    for (const uint64_t end = now_ms() + PATIENCE_MS;
         fx_http_server_counts(fixture.server).connections > 0 && now_ms() < end;) {
        run_once(&fixture);
    }
    assert_int_equal(fx_http_server_counts(fixture.server).connections, 0);
    struct client stopped = greet(&fixture, trust);
    await_accepted(&fixture, 6);
    hang_up_tls(&late);
    stop(&fixture); /* which lets it come in, or go */
    hang_up_tls(&stopped);
    fx_tls_config_unref(trust);
    finish(&fixture);
}

/* ---- the end, while something is on its way ---- */

static void what_is_on_its_way_is_answered(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *trust = start_tls(&fixture, (struct fx_http_server_options){0});
    struct client unread = dial_tls(&fixture, trust);
    struct client begun = dial_tls(&fixture, trust);
    struct client cut = dial_tls(&fixture, trust); /* in the middle of a record */
    struct client idle = dial_tls(&fixture, trust);
    struct client shaking = greet(&fixture, trust);
    assert_true(
        fx_tls_send(begun.tls, FX_TEXT("GET / HTTP/1.1\r\n"), &begun.cipher, &err));
    say_n(&fixture, begun.fd, fx_buf_view(&begun.cipher));
    fx_buf_reset(&begun.cipher);
    assert_true(fx_tls_send(cut.tls, FX_TEXT(GET("/cut")), &cut.cipher, &err));
    say_n(&fixture, cut.fd, (struct fx_text){cut.cipher.data, 9});
    run_for(&fixture, 20);
    assert_true(fx_tls_send(unread.tls, FX_TEXT(GET("/unread")), &unread.cipher, &err));
    say_n(&fixture, unread.fd, fx_buf_view(&unread.cipher));
    fx_buf_reset(&unread.cipher);
    uv_sleep(5);
    stop(&fixture);
    struct fx_buf rest = {0};
    fx_buf_add(&rest, cut.cipher.data + 9, cut.cipher.len - 9);
    fx_buf_finish(&cut.cipher);
    cut.cipher = rest;
    ask_tls(&fixture, &unread, "");
    assert_non_null(strstr(unread.plain.data, "GET /unread   []"));
    assert_non_null(strstr(unread.plain.data, "Connection: close\r\n"));
    ask_tls(&fixture, &begun, "Host: a\r\n\r\n");
    assert_non_null(strstr(begun.plain.data, "GET /   []"));
    ask_tls(&fixture, &cut, "");
    assert_non_null(strstr(cut.plain.data, "GET /cut   []"));
    while (shaking.state == FX_TLS_HANDSHAKE && exchange_tls(&fixture, &shaking)) {
    }
    ask_tls(&fixture, &shaking, GET("/shaken"));
    assert_non_null(strstr(shaking.plain.data, "GET /shaken   []"));
    while (idle.state == FX_TLS_OPEN && exchange_tls(&fixture, &idle)) {
    }
    assert_int_equal(idle.state, FX_TLS_CLOSED);
    assert_int_equal(fixture.n_requests, 4);
    hang_up_tls(&unread);
    hang_up_tls(&begun);
    hang_up_tls(&cut);
    hang_up_tls(&idle);
    hang_up_tls(&shaking);
    fx_tls_config_unref(trust);
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_connections_come_first),
        cmocka_unit_test(a_crowd_waits_in_the_kernel),
        cmocka_unit_test(the_silent_push_each_other_out),
        cmocka_unit_test(handshakes_may_end_anywhere),
        cmocka_unit_test(what_is_on_its_way_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
