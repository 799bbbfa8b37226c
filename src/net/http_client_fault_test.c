/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_fault_test.c - calls to a server with scripted answers, to unreachable
 * addresses, and cancelled calls.
 */
#include "net/http_client_fixture.h"

#include "base/slow_testing.h"

#define LATE   "no answer within 50 ms"
#define MIDDLE "the connection ended in the middle of the answer"

static const struct {
    struct script script;
    unsigned status;  /* 0: a failure, */
    const char *body; /* with this message */
} scripts[] = {
    {{OK_LINE "Content-Length: 2\r\n\r\n{}", KEEP_OPEN}, 200, "{}"},
    {{OK_LINE "Content-Length: 2\r\n\r\n{}", CUT}, 200, "{}"},
    {{OK_LINE "Content-Length: 2\r\n\r\n{}", CLOSE}, 200, "{}"},
    {{OK_LINE "Content-Length: 2\r\n\r\n{}and more", CLOSE}, 200, "{}"},
    {{OK_LINE "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
      KEEP_OPEN},
     200,
     "{}"},
    {{OK_LINE "\r\n{}", CLOSE}, 200, "{}"},
    {{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" OK_LINE
      "Content-Length: 2\r\n\r\n{}",
      KEEP_OPEN},
     200,
     "{}"},
    {{"HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\n{}", KEEP_OPEN}, 503, "{}"},
    {{"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", KEEP_OPEN},
     302,
     ""},
    {{OK_LINE "\r\n{}", KEEP_OPEN}, 0, LATE},
    {{OK_LINE "Content-Length: 3\r\n\r\n{}", KEEP_OPEN}, 0, LATE},
    {{OK_LINE, KEEP_OPEN}, 0, LATE},
    {{NULL, KEEP_OPEN}, 0, LATE},
    {{OK_LINE "Content-Length: 3\r\n\r\n{}", CLOSE}, 0, MIDDLE},
    {{OK_LINE "Content-Length: 3\r\n\r\n{}", CUT}, 0, MIDDLE},
    {{OK_LINE "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", CLOSE}, 0, MIDDLE},
    {{OK_LINE "Content-", CLOSE}, 0, MIDDLE},
    {{NULL, CLOSE}, 0, "the connection ended without an answer"},
    {{NULL, CUT}, 0, "the connection ended without an answer"},
    {{"SSH-2.0-OpenSSH_9.2\r\n", KEEP_OPEN}, 0, "the answer is malformed"},
    {{OK_LINE "Content-Length: 8388609\r\n\r\n", KEEP_OPEN},
     0,
     "the answer is larger than 8388608 bytes"},
};

static void play(struct fake_server *fake, struct fx_tls_config *tls, size_t i) {
    struct asked asked;
    struct fx_http_call_options options = posting(NULL, tls, FX_TEXT("{}"));
    const bool late = strcmp(scripts[i].body, LATE) == 0;
    options.timeout_ms = late ? 50 : PATIENCE_MS;
    fake->script = scripts[i].script;
    const uint64_t begun = now_ms();
    ask_actor(fake, "https://127.0.0.1:PORT/", options, &asked);
    await(&fake->loop, &asked);
    if (scripts[i].status != 0) {
        expect_answer(&asked, scripts[i].status, scripts[i].body);
        return;
    }
    assert_true(!late || now_ms() - begun >= 50);
    assert_int_equal(asked.failure.code, late ? FX_EDEADLINE
                                         : strstr(scripts[i].body, "larger") ? FX_ELIMIT
                                                                             : FX_EIO);
    assert_string_equal(asked.failure.msg, scripts[i].body);
    fx_buf_finish(&asked.body);
}

static void every_script_is_understood(void **state) {
    (void)state;
    struct fake_server fake;
    struct fx_tls_config *tls = client_tls(&trust, "localhost", NULL, NULL);
    for (int plain = 0; plain < 2; plain++) {
        fake_server_start(&fake, plain != 0 ? NULL : server_tls);
        for (size_t i = 0; i < FX_COUNT(scripts); i++) {
            play(&fake, plain != 0 ? NULL : tls, i);
        }
        fake_server_finish(&fake);
    }
    fx_tls_config_unref(tls);
}

/* The end of the connection ends a body of unknown length; over TLS only close_notify
 * does, since anyone between could have closed the connection. */
static void only_a_goodbye_ends_a_body_over_tls(void **state) {
    (void)state;
    static const struct {
        bool plain, allows_missing_close_notify, whole;
    } cases[] = {{true, false, true}, {false, false, false}, {false, true, true}};
    struct fake_server fake;
    struct asked asked;
    struct fx_tls_config *tls = client_tls(&trust, "localhost", NULL, NULL);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        fake_server_start(&fake, cases[i].plain ? NULL : server_tls);
        fake.script = (struct script){OK_LINE "\r\n{}", CUT};
        struct fx_http_call_options options =
            posting(NULL, cases[i].plain ? NULL : tls, FX_TEXT("{}"));
        options.allows_missing_close_notify = cases[i].allows_missing_close_notify;
        ask_actor(&fake, "https://127.0.0.1:PORT/", options, &asked);
        await(&fake.loop, &asked);
        if (cases[i].whole) {
            expect_answer(&asked, 200, "{}");
        } else {
            expect_failure(&asked, FX_EIO, MIDDLE);
        }
        fake_server_finish(&fake);
    }
    fx_tls_config_unref(tls);
}

static void the_request_is_as_it_should_be(void **state) {
    (void)state;
    struct fake_server fake;
    struct asked asked;
    struct fx_buf wanted = {0};
    fake_server_start(&fake, NULL);
    fake.script = (struct script){OK_LINE "Content-Length: 0\r\n\r\n", KEEP_OPEN};
    ask_actor(&fake, "https://localhost:PORT?a=1",
              posting(NULL, NULL, FX_TEXT("{\"a\":1}")), &asked);
    await(&fake.loop, &asked);
    fx_buf_printf(&wanted,
                  "POST /?a=1 HTTP/1.1\r\nHost: localhost:%u\r\n"
                  "User-Agent: fixpoint/%s\r\nAccept: application/json\r\n"
                  "Accept-Encoding: identity\r\nConnection: close\r\n"
                  "Content-Type: application/json\r\nContent-Length: 7\r\n\r\n"
                  "{\"a\":1}",
                  fake.port, FX_VERSION);
    assert_string_equal(fake.received.data, wanted.data);
    fx_buf_finish(&wanted);
    fx_buf_finish(&asked.body);
    fake_server_finish(&fake);
}

static void no_server_there(void **state) {
    (void)state;
    struct fake_server fake;
    struct asked asked;
    struct fx_buf message = {0};
    fake_server_start(&fake, NULL);
    /* A port that was free a moment ago. */
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    const uint16_t alive = fake.port;
    fake.port = ntohs(at.sin_port);
    fx_buf_printf(&message, "connect 127.0.0.1:%u: connection refused", fake.port);
    ask_actor(&fake, "http://127.0.0.1:PORT/", posting(NULL, NULL, FX_TEXT("{}")),
              &asked);
    await(&fake.loop, &asked);
    expect_failure(&asked, FX_EIO, message.data);
    ask_actor(&fake, "http://localhost:PORT/", posting(NULL, NULL, FX_TEXT("{}")),
              &asked);
    await(&fake.loop, &asked);
    expect_failure(&asked, FX_EIO, "connection refused");
    (void)close(fd);
    fake.port = alive;
    fake_server_finish(&fake);
    fx_buf_finish(&message);
}

static void unknown_names(void **state) {
    (void)state;
    static const char *const urls[] = {
        "http://a..b:PORT/",
        /* No label has 64 bytes: this fails before a lookup. */
        "http://0123456789012345678901234567890123456789012345678901234567890123:PORT/"};
    struct fake_server fake;
    struct asked asked;
    fake_server_start(&fake, NULL);
    for (size_t i = 0; i < FX_COUNT(urls); i++) {
        ask_actor(&fake, urls[i], posting(NULL, NULL, FX_TEXT("{}")), &asked);
        await(&fake.loop, &asked);
        expect_failure(&asked, FX_EIO,
                       i == 0 ? "lookup a..b: name or service not known" : "lookup 0123");
    }
    fake_server_finish(&fake);
}

static void tls_and_plain_do_not_meet(void **state) {
    (void)state;
    struct fake_server fake;
    struct asked asked;
    struct fx_tls_config *tls = client_tls(&trust, "localhost", NULL, NULL);
    /* A plain server takes the handshake for a request that does not end. */
    struct fx_http_call_options options = posting(NULL, tls, FX_TEXT("{}"));
    options.timeout_ms = 50;
    fake_server_start(&fake, NULL);
    ask_actor(&fake, "https://127.0.0.1:PORT/", options, &asked);
    await(&fake.loop, &asked);
    expect_failure(&asked, FX_EDEADLINE, LATE);
    fake_server_finish(&fake);
    fake_server_start(&fake, server_tls);
    ask_actor(&fake, "http://127.0.0.1:PORT/", posting(NULL, NULL, FX_TEXT("{}")),
              &asked);
    await(&fake.loop, &asked);
    expect_failure(&asked, FX_EIO, "");
    fake_server_finish(&fake);
    fx_tls_config_unref(tls);
}

/* Cancels a call after this number of iterations. True if it was still running. */
static bool cancel_after(struct fake_server *fake, const char *format,
                         struct fx_tls_config *tls, int iterations) {
    struct asked asked;
    ask_actor(fake, format, posting(NULL, tls, FX_TEXT("{}")), &asked);
    for (int i = 0; i < iterations && asked.n_done == 0; i++) {
        (void)uv_run(&fake->loop, UV_RUN_NOWAIT);
        if (i > 0 && i % 4 == 0) {
            uv_sleep(1); /* for the lookup, on its thread */
        }
    }
    const bool cancelled = asked.n_done == 0;
    if (cancelled) {
        fx_http_call_cancel(asked.call);
    }
    for (int i = 0; i < 20; i++) {
        (void)uv_run(&fake->loop, UV_RUN_NOWAIT);
    }
    assert_int_equal(asked.n_done, cancelled ? 0 : 1);
    fx_buf_finish(&asked.body);
    return cancelled;
}

/* Where a handshake is dear, each URL has its third of the stages. */
static void a_call_can_be_given_up_at_any_time(void **state) {
    (void)state;
    static const char *const urls[] = {"https://127.0.0.1:PORT/",
                                       "https://localhost:PORT/", "https://a..b:PORT/"};
    struct fx_tls_config *tls = client_tls(&trust, "localhost", NULL, NULL);
    const int step = slow() > 1 ? (int)FX_COUNT(urls) : 1;
    for (int plain = 0; plain < 2; plain++) {
        struct fake_server fake;
        fake_server_start(&fake, plain != 0 ? NULL : server_tls);
        fake.script = (struct script){OK_LINE "Content-Length: 3\r\n\r\n{}", KEEP_OPEN};
        for (size_t i = 0; i < FX_COUNT(urls); i++) {
            for (int iterations = (int)i % step; iterations < 40; iterations += step) {
                (void)cancel_after(&fake, urls[i], plain != 0 ? NULL : tls, iterations);
            }
        }
        fake_server_finish(&fake);
    }
    fx_tls_config_unref(tls);
}

/* ---- a call out of a call's end ---- */

struct chain {
    struct fake_server *fake;
    struct asked asked;
    int left;
};

static void on_link(const struct fx_http_call_result *result, void *user);

static void ask_link(struct chain *chain) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text = {0};
    struct fx_url url;
    struct fx_http_call *call = NULL;
    parse_url(&text, &url, "http://127.0.0.1:PORT/", chain->fake->port);
    const struct fx_http_call_options options = posting(&url, NULL, FX_TEXT("{}"));
    fx_buf_reset(&chain->fake->received);
    assert_true(
        fx_http_call_start(&chain->fake->loop, &options, on_link, chain, &call, &err));
    fx_buf_finish(&text);
}

static void on_link(const struct fx_http_call_result *result, void *user) {
    struct chain *chain = user;
    assert_null(result->failure);
    if (--chain->left > 0) {
        ask_link(chain);
    } else {
        chain->asked.n_done++;
    }
}

static void an_answer_may_lead_to_the_next_call(void **state) {
    (void)state;
    struct fake_server fake;
    fake_server_start(&fake, NULL);
    fake.script = (struct script){OK_LINE "Content-Length: 2\r\n\r\n{}", CLOSE};
    struct chain chain = {.fake = &fake, .left = 10};
    ask_link(&chain);
    await(&fake.loop, &chain.asked);
    fake_server_finish(&fake);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_script_is_understood),
        cmocka_unit_test(only_a_goodbye_ends_a_body_over_tls),
        cmocka_unit_test(the_request_is_as_it_should_be),
        cmocka_unit_test(no_server_there),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(tls_and_plain_do_not_meet),
        cmocka_unit_test(a_call_can_be_given_up_at_any_time),
        cmocka_unit_test(an_answer_may_lead_to_the_next_call),
    };
    return cmocka_run_group_tests(tests, make_configs, drop_configs);
}
