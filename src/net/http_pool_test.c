/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_pool_test.c - which connections are kept, for which server and how long.
 */
#include "net/http_pool_fixture.h"

static void calls_use_one_connection(void **state) {
    (void)state;
    struct pooled pooled;
    struct fx_buf wanted = {0};
    for (int plain = 0; plain < 2; plain++) {
        begin(&pooled, plain != 0);
        for (size_t i = 0; i < 5; i++) {
            call(&pooled);
            expect_counts(&pooled, 1, i + 1);
        }
        fx_buf_reset(&wanted);
        fx_buf_printf(&wanted,
                      "POST / HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
                      "User-Agent: fixpoint/%s\r\nAccept: application/json\r\n"
                      "Accept-Encoding: identity\r\n"
                      "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
                      pooled.fake.port, FX_VERSION);
        assert_string_equal(pooled.fake.received.data, wanted.data);
        end(&pooled);
    }
    fx_buf_finish(&wanted);
}

static void calls_at_once_have_a_connection_each(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        begin(&pooled, plain != 0);
        for (size_t i = 1; i < 4; i++) {
            call_many(&pooled, URL, 8);
            expect_counts(&pooled, 8, 8 * i);
        }
        call_many(&pooled, URL, 12);
        expect_counts(&pooled, 12, 36);
        await_open(&pooled, 12);
        end(&pooled);
    }
}

static void a_large_request_and_answer_leave_it_usable(void **state) {
    (void)state;
    struct fixture fixture;
    struct asked asked;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf body = {0};
    struct fx_buf text = {0};
    struct fx_url url;
    fx_buf_fill(&body, 'x', 3u << 20);
    struct fx_tls_config *tls = client_tls(&trust, "localhost", NULL, NULL);
    start(&fixture, (struct fx_http_server_options){.tls = server_tls});
    fixture.big = 1u << 20;
    struct fx_http_pool *pool = fx_http_pool_create(&fixture.loop, NULL, &err);
    assert_non_null(pool);
    parse_url(&text, &url, URL, fx_http_server_port(fixture.server));
    struct fx_http_call_options options = posting(&url, tls, fx_buf_view(&body));
    options.pool = pool;
    for (size_t i = 0; i < 3; i++) {
        ask(&fixture.loop, &options, &asked);
        await(&fixture.loop, &asked);
        assert_int_equal(asked.status, 200);
        assert_int_equal(asked.body.len, 1u << 20);
        fx_buf_finish(&asked.body);
    }
    assert_int_equal(fixture.n_requests, 3);
    fx_http_pool_close(pool);
    fx_buf_finish(&body);
    fx_buf_finish(&text);
    fx_tls_config_unref(tls);
    finish(&fixture);
}

/* A Secret may have come. */
static void what_was_read_is_overwritten(void **state) {
    (void)state;
    struct pooled pooled;
    begin(&pooled, false);
    call(&pooled);
    const struct fx_buf *plain = &fx_http_pool_scratch(pooled.pool)->plain;
    assert_int_equal(plain->len, 0);
    assert_true(plain->cap > strlen(ANSWER));
    for (size_t i = 0; i < strlen(ANSWER); i++) {
        assert_int_equal(plain->data[i], 0);
    }
    end(&pooled);
}

/* ---- a call out of a call's end ---- */

struct chain {
    struct pooled pooled;
    struct asked asked;
    int left;
};

static void on_link(const struct fx_http_call_result *result, void *user);

static void ask_link(struct chain *chain) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text = {0};
    struct fx_url url;
    struct fx_http_call *call = NULL;
    struct fx_http_call_options options = options_of(&chain->pooled);
    parse_url(&text, &url, URL, chain->pooled.fake.port);
    options.url = &url;
    assert_true(fx_http_call_start(&chain->pooled.fake.loop, &options, on_link, chain,
                                   &call, &err));
    fx_buf_finish(&text);
}

static void on_link(const struct fx_http_call_result *result, void *user) {
    struct chain *chain = user;
    assert_null(result->failure);
    assert_true(fx_text_is(result->body, "{}"));
    if (--chain->left > 0) {
        ask_link(chain);
    } else {
        chain->asked.n_done++;
    }
}

static void the_next_call_may_begin_at_the_end_of_one(void **state) {
    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        struct chain chain = {.left = 10};
        begin(&chain.pooled, plain != 0);
        ask_link(&chain);
        await(&chain.pooled.fake.loop, &chain.asked);
        expect_counts(&chain.pooled, 1, 10);
        end(&chain.pooled);
    }
}

/* ---- whose they are ---- */

static void the_newest_is_used_first(void **state) {
    (void)state;
    struct pooled pooled;
    struct asked asked;
    begin(&pooled, true);
    pooled.fake.script.answer = NULL;
    ask_pooled(&pooled, &asked);
    await_requests(&pooled, 1);
    struct fake_connection *first = pooled.fake.connections;
    pooled.fake.script.answer = ANSWER;
    call(&pooled);
    fx_stream_write(&first->stream, FX_TEXT(ANSWER));
    await(&pooled.fake.loop, &asked);
    expect_answer(&asked, 200, "{}");
    expect_counts(&pooled, 2, 2);
    call(&pooled);
    call(&pooled);
    expect_counts(&pooled, 2, 4);
    assert_int_equal(first->n_requests, 3);
    end(&pooled);
}

static void targets_do_not_share(void **state) {
    (void)state;
    struct pooled pooled;
    begin(&pooled, false);
    call(&pooled);
    call_at(&pooled, "https://localhost:PORT/"); /* another name */
    expect_counts(&pooled, 2, 2);
    struct fx_tls_config *first = pooled.tls;
    pooled.tls = client_tls(&trust, "localhost", NULL, NULL);
    call(&pooled); /* another TLS configuration */
    expect_counts(&pooled, 3, 3);
    fx_tls_config_unref(first); /* whose connections hold it */
    call_at(&pooled, "https://localhost:PORT/");
    expect_counts(&pooled, 4, 4);
    call(&pooled);
    call_at(&pooled, "https://localhost:PORT/x?y");
    expect_counts(&pooled, 4, 6);
    end(&pooled);
}

static void plain_does_not_share_with_tls(void **state) {
    (void)state;
    struct pooled pooled;
    struct asked asked;
    begin(&pooled, false);
    call(&pooled);
    struct fx_http_call_options options = options_of(&pooled);
    options.tls = NULL;
    ask_actor(&pooled.fake, URL, options, &asked);
    await(&pooled.fake.loop, &asked);
    expect_failure(&asked, FX_EIO, "");
    expect_counts(&pooled, 2, 1);
    end(&pooled);
}

static void ports_do_not_share(void **state) {
    (void)state;
    struct pooled pooled;
    struct fx_listener second;
    begin(&pooled, true);
    call(&pooled);
    pooled.fake.port = fake_listen(&pooled.fake, &second);
    call(&pooled);
    call(&pooled);
    expect_counts(&pooled, 2, 3);
    fx_listener_close(&second);
    end(&pooled);
}

/* Without a pool there is one connection a call, and none is left. */
static void calls_without_a_pool_use_none(void **state) {
    (void)state;
    struct pooled pooled;
    struct asked asked;
    begin(&pooled, false);
    call(&pooled);
    struct fx_http_call_options options = options_of(&pooled);
    options.pool = NULL;
    ask_actor(&pooled.fake, URL, options, &asked);
    await(&pooled.fake.loop, &asked);
    expect_answer(&asked, 200, "{}");
    expect_counts(&pooled, 2, 2);
    await_open(&pooled, 1);
    end(&pooled);
}

/* ---- how many, how long ---- */

static void there_are_not_too_many(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        begin_with(
            &pooled, plain != 0,
            (struct fx_http_pool_options){.max_idle = 5, .max_idle_per_target = 3});
        call_many(&pooled, URL, 6);
        await_open(&pooled, 3);
        call_many(&pooled, "https://localhost:PORT/", 6);
        expect_counts(&pooled, 12, 12);
        await_open(&pooled, 5); /* the oldest went: two of the first are left */
        call_many(&pooled, URL, 2);
        expect_counts(&pooled, 12, 14);
        call_many(&pooled, "https://localhost:PORT/", 3);
        expect_counts(&pooled, 12, 17);
        end(&pooled);
    }
}

static void they_are_not_kept_for_ever(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        begin_with(&pooled, plain != 0, (struct fx_http_pool_options){.idle_ms = 60});
        const uint64_t begun = now_ms();
        call(&pooled);
        await_open(&pooled, 0);
        assert_true(now_ms() - begun >= 60);
        call(&pooled);
        expect_counts(&pooled, 2, 2);
        uv_sleep(80); /* the loop does not run, as in a command that waits for nothing */
        call(&pooled);
        expect_counts(&pooled, 3, 3);
        end(&pooled);
    }
}

static void the_busiest_ends_too(void **state) {
    (void)state;
    struct pooled pooled;
    begin_with(&pooled, false, (struct fx_http_pool_options){.age_ms = 60});
    const uint64_t begun = now_ms();
    while (pooled.fake.n_accepted < 2 && now_ms() - begun < PATIENCE_MS) {
        call(&pooled);
    }
    assert_int_equal(pooled.fake.n_accepted, 2);
    assert_true(now_ms() - begun >= 60);
    end(&pooled);
}

/* ---- the end of the pool ---- */

static void a_pool_may_end_before_its_calls(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        struct asked asked[3];
        begin(&pooled, plain != 0);
        call_many(&pooled, URL, 3);
        pooled.fake.again.answer = NULL;
        ask_pooled(&pooled, &asked[0]);
        ask_actor(&pooled.fake, "https://localhost:PORT/", options_of(&pooled),
                  &asked[1]); /* looks up */
        await_requests(&pooled, 5);
        ask_actor(&pooled.fake, "https://localhost:PORT/x", options_of(&pooled),
                  &asked[2]);
        assert_int_equal(asked[0].n_done, 0);
        fx_http_pool_close(pooled.pool);
        pooled.pool = NULL;
        await(&pooled.fake.loop, &asked[1]);
        expect_answer(&asked[1], 200, "{}");
        struct fake_connection *waiting = NULL;
        for (struct fake_connection *connection = pooled.fake.connections;
             connection != NULL; connection = connection->next) {
            waiting = connection->n_requests == 2 && !connection->stream.closing
                          ? connection
                          : waiting;
        }
        assert_non_null(waiting);
        fx_stream_write(&waiting->stream, FX_TEXT(ANSWER));
        await(&pooled.fake.loop, &asked[0]);
        expect_answer(&asked[0], 200, "{}");
        fx_http_call_cancel(asked[2].call);
        await_open(&pooled, 0);
        end(&pooled);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_use_one_connection),
        cmocka_unit_test(calls_at_once_have_a_connection_each),
        cmocka_unit_test(a_large_request_and_answer_leave_it_usable),
        cmocka_unit_test(the_next_call_may_begin_at_the_end_of_one),
        cmocka_unit_test(the_newest_is_used_first),
        cmocka_unit_test(targets_do_not_share),
        cmocka_unit_test(plain_does_not_share_with_tls),
        cmocka_unit_test(what_was_read_is_overwritten),
        cmocka_unit_test(ports_do_not_share),
        cmocka_unit_test(calls_without_a_pool_use_none),
        cmocka_unit_test(there_are_not_too_many),
        cmocka_unit_test(they_are_not_kept_for_ever),
        cmocka_unit_test(the_busiest_ends_too),
        cmocka_unit_test(a_pool_may_end_before_its_calls),
    };
    return cmocka_run_group_tests(tests, make_configs, drop_configs);
}
