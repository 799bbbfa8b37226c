/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_tls_test.c - the server over TLS, and the port check.
 */
#include "net/http_server_tls_fixture.h"

#include "net/address.h"
#include "net/port_check.h"

static void requests_come_over_tls(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_tls_config *config = self_signed();
    struct fx_tls_config *trust = trusting(config);
    start(&fixture, (struct fx_http_server_options){.tls = config});
    fx_tls_config_unref(config);
    struct client client = dial_tls(&fixture, trust);
    assert_int_equal(client.state, FX_TLS_OPEN);
    for (int i = 0; i < 3; i++) {
        ask_tls(&fixture, &client, GET("/over/tls"));
        assert_non_null(strstr(client.plain.data, "GET /over/tls   []"));
    }
    fixture.big = 1u << 20;
    ask_tls(&fixture, &client, GET("/"));
    fixture.big = 0;

    /* A new certificate is for new connections. */
    struct fx_tls_config *other = self_signed();
    fx_http_server_set_tls(fixture.server, other);
    fx_tls_config_unref(other);
    ask_tls(&fixture, &client, GET("/still"));
    assert_non_null(strstr(client.plain.data, "GET /still   []"));
    struct client refused = dial_tls(&fixture, trust);
    assert_int_equal(refused.state, FX_TLS_FAILED);

    /* The last response is followed by close_notify. */
    ask_tls(&fixture, &client, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    while (client.state == FX_TLS_OPEN && exchange_tls(&fixture, &client)) {
    }
    assert_int_equal(client.state, FX_TLS_CLOSED);
    hang_up_tls(&refused);
    hang_up_tls(&client);
    fx_tls_config_unref(trust);
    finish(&fixture);
}

static void bad_handshakes_are_counted(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    struct fx_tls_config *config = self_signed();
    start(&fixture, (struct fx_http_server_options){.tls = config, .handshake_ms = 50});
    fx_tls_config_unref(config);
    const int plain = dial(&fixture);
    say(&fixture, plain, GET("/"));
    while (receive_some(&fixture, plain, &received)) { /* an alert, perhaps */
    }
    fx_buf_reset(&received);
    const int silent = dial(&fixture);
    expect_end(&fixture, silent, &received);
    run_for(&fixture, 20);
    const struct fx_http_server_counts counts = fx_http_server_counts(fixture.server);
    assert_int_equal(counts.handshake_fails, 2);
    assert_int_equal(counts.handshakes, 0);
    assert_int_equal(counts.connections, 0);
    assert_int_equal(fixture.n_requests, 0);
    (void)close(silent);
    hang_up(plain, &received);
    finish(&fixture);
}

/* ---- the check ---- */

static void on_probed(const struct fx_err *failure, void *user) {
    struct fixture *fixture = user;
    assert_false(fixture->probed); /* once */
    fixture->probed = true;
    if (failure != NULL) {
        fixture->failure = *failure;
    }
}

static void check(struct fixture *fixture, uint16_t port, struct fx_tls_config *tls,
                  uint64_t timeout_ms) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_address to;
    assert_true(fx_address_parse("127.0.0.1:0", &to, &err));
    fx_address_of_listener(&to, port, &to);
    fixture->probed = false;
    fixture->failure = FX_ERR_INIT;
    assert_true(fx_port_check_start(&fixture->loop, &to, tls, timeout_ms, on_probed,
                                    fixture, &err));
    assert_false(fixture->probed);
    for (const uint64_t end = now_ms() + PATIENCE_MS;
         !fixture->probed && now_ms() < end;) {
        run_once(fixture);
    }
    assert_true(fixture->probed);
}

static void a_port_check_names_the_failure(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_tls_config *config = self_signed();
    struct fx_tls_config *trust = trusting(config);
    struct fx_tls_config *other = self_signed();
    start(&fixture, (struct fx_http_server_options){.tls = config});
    const uint16_t port = fx_http_server_port(fixture.server);
    check(&fixture, port, trust, PATIENCE_MS);
    assert_int_equal(fixture.failure.code, FX_OK);
    check(&fixture, port, NULL, PATIENCE_MS);
    assert_int_equal(fixture.failure.code, FX_OK);
    fx_http_server_set_tls(fixture.server, other);
    check(&fixture, port, trust, PATIENCE_MS);
    assert_int_equal(fixture.failure.code, FX_EIO);
    assert_non_null(strstr(fixture.failure.msg, "certificate"));
    fx_http_server_set_tls(fixture.server, NULL);
    check(&fixture, port, trust, PATIENCE_MS); /* HTTP is no TLS */
    assert_int_equal(fixture.failure.code, FX_EIO);
    check(&fixture, 1, trust, PATIENCE_MS);
    assert_int_equal(fixture.failure.code, FX_EIO);
    assert_non_null(strstr(fixture.failure.msg, "connect"));
    fx_tls_config_unref(config);
    fx_tls_config_unref(trust);
    fx_tls_config_unref(other);
    finish(&fixture);
}

static void a_probe_has_patience_only_so_long(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *trust = fx_tls_config_client(
        (struct fx_text){0}, "a", (struct fx_text){0}, (struct fx_text){0}, &err);
    struct sockaddr_in to = {.sin_family = AF_INET};
    socklen_t len = sizeof to;
    start(&fixture, (struct fx_http_server_options){0});
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int deaf = socket(AF_INET, SOCK_STREAM, 0); /* accepts and sends nothing */
    assert_int_equal(bind(deaf, (const struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(listen(deaf, 1), 0);
    assert_int_equal(getsockname(deaf, (struct sockaddr *)&to, &len), 0);
    check(&fixture, ntohs(to.sin_port), trust, 50);
    assert_string_equal(fixture.failure.msg, "no answer in time");
    (void)close(deaf);
    fx_tls_config_unref(trust);
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_come_over_tls),
        cmocka_unit_test(bad_handshakes_are_counted),
        cmocka_unit_test(a_port_check_names_the_failure),
        cmocka_unit_test(a_probe_has_patience_only_so_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
