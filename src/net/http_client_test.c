/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_test.c - calls to our own server, over TLS and plain.
 */
#include "net/http_client_fixture.h"
#include "net/tls_clients.h"

static void ask_world(struct fixture *fixture, const char *format,
                      struct fx_http_call_options options, struct asked *asked) {
    struct fx_buf text = {0};
    struct fx_url url;
    parse_url(&text, &url, format, fx_http_server_port(fixture->server));
    options.url = &url;
    ask(&fixture->loop, &options, asked);
    fx_buf_finish(&text); /* all is copied */
}

#define ECHOED(rest) "POST /v1 a=1 fixpoint/" FX_VERSION " [" rest "]"

static void our_server_answers(void **state) {
    (void)state;
    struct fixture fixture;
    struct asked asked;
    start(&fixture, (struct fx_http_server_options){0});
    ask_world(&fixture, "http://127.0.0.1:PORT/v1?a=1#x",
              posting(NULL, NULL, FX_TEXT("{\"a\":1}")), &asked);
    await(&fixture.loop, &asked);
    expect_answer(&asked, 200, ECHOED("{\"a\":1}"));
    /* By name, which may have an address without a listener. */
    ask_world(&fixture, "http://localhost:PORT/v1?a=1", posting(NULL, NULL, FX_TEXT("")),
              &asked);
    await(&fixture.loop, &asked);
    expect_answer(&asked, 200, ECHOED(""));
    ask_world(&fixture, "http://127.0.0.1:PORT/empty",
              (struct fx_http_call_options){.method = "GET", .timeout_ms = PATIENCE_MS},
              &asked);
    await(&fixture.loop, &asked);
    expect_answer(&asked, 204, "");
    fixture.big = 1000;
    ask_world(&fixture, "http://127.0.0.1:PORT/",
              (struct fx_http_call_options){.method = "HEAD", .timeout_ms = PATIENCE_MS},
              &asked);
    await(&fixture.loop, &asked);
    expect_answer(&asked, 200, "");
    finish(&fixture);
}

static void our_server_answers_over_tls(void **state) {
    (void)state;
    struct fixture fixture;
    struct asked asked;
    static const char *const urls[] = {"https://127.0.0.1:PORT/v1?a=1",
                                       "https://localhost:PORT/v1?a=1"};
    start(&fixture, (struct fx_http_server_options){.tls = server_tls});
    for (size_t i = 0; i < FX_COUNT(urls); i++) {
        struct fx_tls_config *tls = client_tls(&trust, names[1 - i], NULL, NULL);
        ask_world(&fixture, urls[i], posting(NULL, tls, FX_TEXT("hello")), &asked);
        fx_tls_config_unref(tls); /* the call holds it */
        await(&fixture.loop, &asked);
        expect_answer(&asked, 200, ECHOED("hello"));
    }
    finish(&fixture);
}

static void large_bodies_go_both_ways(void **state) {
    (void)state;
    struct fixture fixture;
    struct asked asked;
    struct fx_buf body = {0};
    fx_buf_fill(&body, 'x', 3u << 20);
    struct fx_tls_config *tls = client_tls(&trust, "localhost", NULL, NULL);
    for (int plain = 0; plain < 2; plain++) {
        start(&fixture,
              (struct fx_http_server_options){.tls = plain != 0 ? NULL : server_tls});
        fixture.big = 1u << 20;
        struct fx_http_call_options options =
            posting(NULL, plain != 0 ? NULL : tls, fx_buf_view(&body));
        ask_world(&fixture, "https://127.0.0.1:PORT/", options, &asked);
        await(&fixture.loop, &asked);
        assert_int_equal(asked.status, 200);
        assert_int_equal(asked.body.len, 1u << 20);
        assert_int_equal(strspn(asked.body.data, "b"), 1u << 20);
        fx_buf_finish(&asked.body);
        options.max_body = (1u << 20) - 1;
        ask_world(&fixture, "https://127.0.0.1:PORT/", options, &asked);
        await(&fixture.loop, &asked);
        expect_failure(&asked, FX_ELIMIT, "the answer is larger than 1048575 bytes");
        finish(&fixture);
    }
    fx_buf_finish(&body);
    fx_tls_config_unref(tls);
}

static void strangers_are_refused(void **state) {
    (void)state;
    struct fixture fixture;
    struct asked asked;
    const struct {
        const struct fx_buf *ca;
        const char *name, *message;
    } cases[] = {
        {&other_trust, "localhost", "the peer's certificate: "},
        {&trust, "example.org", "the peer's certificate is not for `example.org`"},
        {&trust, "127.0.0.2", "the peer's certificate is not for `127.0.0.2`"},
    };
    start(&fixture, (struct fx_http_server_options){.tls = server_tls});
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_tls_config *tls = client_tls(cases[i].ca, cases[i].name, NULL, NULL);
        ask_world(&fixture, "https://127.0.0.1:PORT/", posting(NULL, tls, FX_TEXT("{}")),
                  &asked);
        await(&fixture.loop, &asked);
        expect_failure(&asked, FX_EIO, cases[i].message);
        fx_tls_config_unref(tls);
    }
    assert_int_equal(fixture.n_requests, 0);
    finish(&fixture);
}

static void a_server_may_demand_a_certificate(void **state) {
    (void)state;
    struct fixture fixture;
    struct asked asked;
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *demanding =
        fx_tls_config_server(fx_buf_view(&trust), fx_buf_view(&key), &err);
    assert_non_null(demanding);
    assert_false(fx_tls_config_set_clients(
        demanding, &(const struct fx_tls_clients){.ca_pem = FX_TEXT("no PEM")}, &err));
    assert_true(fx_tls_config_set_clients(
        demanding, &(const struct fx_tls_clients){.ca_pem = fx_buf_view(&other_trust)},
        &err));
    const struct {
        const struct fx_buf *cert, *key;
        bool welcome;
    } cases[] = {
        {&other_trust, &other_key, true},
        {&trust, &key, false}, /* of another CA */
        {NULL, NULL, false},
    };
    start(&fixture, (struct fx_http_server_options){.tls = demanding});
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_tls_config *tls =
            client_tls(&trust, "localhost", cases[i].cert, cases[i].key);
        ask_world(&fixture, "https://127.0.0.1:PORT/v1?a=1",
                  posting(NULL, tls, FX_TEXT("x")), &asked);
        await(&fixture.loop, &asked);
        if (cases[i].welcome) {
            expect_answer(&asked, 200, ECHOED("x"));
        } else {
            expect_failure(&asked, FX_EIO, "");
        }
        fx_tls_config_unref(tls);
    }
    assert_int_equal(fixture.n_requests, 1);
    finish(&fixture);
    fx_tls_config_unref(demanding);
}

static void many_at_once(void **state) {
    (void)state;
    struct fixture fixture;
    static struct asked asked[MANY];
    struct fx_tls_config *tls = client_tls(&trust, "localhost", NULL, NULL);
    /* Somebody's handshake is the last one. */
    struct fx_http_call_options options = posting(NULL, tls, FX_TEXT("x"));
    options.timeout_ms = 4 * (uint64_t)PATIENCE_MS;
    start(&fixture, (struct fx_http_server_options){.tls = server_tls,
                                                    .handshake_ms = options.timeout_ms});
    for (size_t i = 0; i < MANY; i++) {
        ask_world(&fixture,
                  i % 2 == 0 ? "https://127.0.0.1:PORT/v1?a=1"
                             : "https://localhost:PORT/v1?a=1",
                  options, &asked[i]);
    }
    fx_tls_config_unref(tls);
    for (size_t i = 0; i < MANY; i++) {
        await(&fixture.loop, &asked[i]);
        expect_answer(&asked[i], 200, ECHOED("x"));
    }
    assert_int_equal(fixture.n_requests, MANY);
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_server_answers),
        cmocka_unit_test(our_server_answers_over_tls),
        cmocka_unit_test(large_bodies_go_both_ways),
        cmocka_unit_test(strangers_are_refused),
        cmocka_unit_test(a_server_may_demand_a_certificate),
        cmocka_unit_test(many_at_once),
    };
    return cmocka_run_group_tests(tests, make_configs, drop_configs);
}
