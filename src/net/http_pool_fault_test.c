/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_pool_fault_test.c - connections that end, or send unexpected bytes, while they
 * are idle or just when they are used again.
 */
#include "net/http_pool_fixture.h"

/* ---- responses that end their connection ---- */

static const struct {
    const char *answer;
    enum ending ending;
    unsigned status;
    const char *body;
    bool kept;
} answers[] = {
    {ANSWER, KEEP_OPEN, 200, "{}", true},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n", KEEP_OPEN,
     200, "{}", true},
    {"HTTP/1.1 204 No Content\r\n\r\n", KEEP_OPEN, 204, "", true},
    {"HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\n{}", KEEP_OPEN, 503, "{}", true},
    {"HTTP/1.1 100 Continue\r\n\r\n" ANSWER, KEEP_OPEN, 200, "{}", true},
    {OK_LINE "Content-Length: 2\r\nConnection: keep-alive\r\n\r\n{}", KEEP_OPEN, 200,
     "{}", true},
    {OK_LINE "Content-Length: 2\r\nConnection: close\r\n\r\n{}", KEEP_OPEN, 200, "{}",
     false},
    {OK_LINE "Content-Length: 2\r\nConnection: x, Close\r\n\r\n{}", KEEP_OPEN, 200, "{}",
     false},
    {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", KEEP_OPEN, 200, "{}", false},
    {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}",
     KEEP_OPEN, 200, "{}", false},
    {OK_LINE "\r\n{}", CLOSE, 200, "{}", false},
    {ANSWER "x", KEEP_OPEN, 200, "{}", false},
    {ANSWER ANSWER, KEEP_OPEN, 200, "{}", false},
    {ANSWER, CLOSE, 200, "{}", false},
    {ANSWER, CUT, 200, "{}", false},
};

static void call_twice(struct pooled *pooled, size_t i) {
    pooled->fake.n_accepted = pooled->fake.n_requests = 0;
    for (size_t n = 0; n < 2; n++) {
        struct asked asked;
        pooled->fake.script = (struct script){answers[i].answer, answers[i].ending};
        pooled->fake.again = (struct script){answers[i].answer, CUT};
        ask_pooled(pooled, &asked);
        await(&pooled->fake.loop, &asked);
        expect_answer(&asked, answers[i].status, answers[i].body);
        await_open(pooled, answers[i].kept && n == 0 ? 1 : 0);
    }
    expect_counts(pooled, answers[i].kept ? 1 : 2, 2);
}

static void only_what_is_in_order_is_kept(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        begin(&pooled, plain != 0);
        for (size_t i = 0; i < FX_COUNT(answers); i++) {
            call_twice(&pooled, i);
        }
        end(&pooled);
    }
}

/* A connection on which a request was answered before it was sent whole is not reused. */
static void an_answer_before_its_request_is_whole(void **state) {
    (void)state;
    struct pooled pooled;
    struct asked asked;
    struct fx_buf body = {0};
    fx_buf_fill(&body, 'x', 32u << 20);
    begin(&pooled, true);
    struct fx_http_call_options options = options_of(&pooled);
    options.body = fx_buf_view(&body);
    ask_actor(&pooled.fake, URL, options, &asked);
    while (pooled.fake.n_requests == 0) {
        (void)uv_run(&pooled.fake.loop, UV_RUN_NOWAIT);
    }
    fx_stream_read(&pooled.fake.connections->stream, false);
    await(&pooled.fake.loop, &asked);
    expect_answer(&asked, 200, "{}");
    fx_stream_read(&pooled.fake.connections->stream, true);
    fx_buf_finish(&body);
    await_open(&pooled, 0);
    call(&pooled);
    assert_int_equal(pooled.fake.n_accepted, 2);
    end(&pooled);
}

/* ---- while it is idle ---- */

static const enum ending endings[] = {CLOSE, CUT, RESET};

static void a_server_may_close_what_is_idle(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        for (size_t i = 0; i < FX_COUNT(endings); i++) {
            begin(&pooled, plain != 0);
            call_many(&pooled, URL, 2);
            end_connection(pooled.fake.connections, endings[i]);
            await_open(&pooled, 1);
            call_many(&pooled, URL, 2);
            expect_counts(&pooled, 3, 4);
            end(&pooled);
        }
    }
}

/* The loop has not received of it when the next call begins. */
static void a_server_may_have_closed_what_seems_idle(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        for (size_t i = 0; i < FX_COUNT(endings); i++) {
            begin(&pooled, plain != 0);
            call(&pooled);
            end_connection(pooled.fake.connections, endings[i]);
            call(&pooled);
            expect_counts(&pooled, 2, 2);
            end(&pooled);
        }
    }
}

static void an_answer_without_a_request_is_dropped(void **state) {
    (void)state;
    struct pooled pooled;
    struct asked asked;
    for (int plain = 0; plain < 2; plain++) {
        for (int received = 0; received < 2; received++) {
            begin(&pooled, plain != 0);
            call(&pooled);
            fx_stream_write(&pooled.fake.connections->stream,
                            FX_TEXT(OK_LINE "Content-Length: 3\r\n\r\nbad"));
            if (received != 0) {
                await_open(&pooled, 0);
            }
            ask_pooled(&pooled, &asked);
            await(&pooled.fake.loop, &asked);
            expect_answer(&asked, 200, "{}");
            expect_counts(&pooled, 2, 2);
            end(&pooled);
        }
    }
}

/* ---- when it is used again ---- */

static void a_request_is_made_once_more(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        for (size_t i = 0; i < FX_COUNT(endings); i++) {
            begin(&pooled, plain != 0);
            call_many(&pooled, URL, 3);
            pooled.fake.again = (struct script){NULL, endings[i]};
            call(&pooled); /* on the first, which ends, and on a new one */
            expect_counts(&pooled, 4, 5);
            assert_int_equal(strncmp(pooled.fake.received.data, "POST / ", 7), 0);
            assert_non_null(strstr(pooled.fake.received.data + 7, "{}POST / "));
            pooled.fake.again = pooled.fake.script;
            call(&pooled);
            expect_counts(&pooled, 4, 6);
            end(&pooled);
        }
    }
}

static void only_once_and_only_if_nothing_came(void **state) {
    (void)state;
    static const struct {
        struct script again, script;
        bool repeatable;
        const char *message;
        size_t n_requests;
    } cases[] = {
        {{NULL, CUT}, {NULL, CUT}, true, NOTHING, 3},
        {{NULL, CLOSE}, {NULL, RESET}, true, "connection reset", 3},
        {{NULL, CUT}, {"SSH-2.0\r\n", KEEP_OPEN}, true, "the answer is malformed", 3},
        {{NULL, CUT}, {ANSWER, KEEP_OPEN}, false, NOTHING, 2},
        {{NULL, RESET}, {ANSWER, KEEP_OPEN}, false, "connection reset", 2},
        {{OK_LINE "Content-", CLOSE}, {ANSWER, KEEP_OPEN}, true, MIDDLE, 2},
        {{OK_LINE "Content-Length: 3\r\n\r\n{}", CUT},
         {ANSWER, KEEP_OPEN},
         true,
         MIDDLE,
         2},
        {{"SSH-2.0\r\n", KEEP_OPEN},
         {ANSWER, KEEP_OPEN},
         true,
         "the answer is malformed",
         2},
    };
    struct pooled pooled;
    struct asked asked;
    for (int plain = 0; plain < 2; plain++) {
        for (size_t i = 0; i < FX_COUNT(cases); i++) {
            begin(&pooled, plain != 0);
            call(&pooled);
            pooled.fake.script = cases[i].script;
            pooled.fake.again = cases[i].again;
            struct fx_http_call_options options = options_of(&pooled);
            options.repeatable = cases[i].repeatable;
            ask_actor(&pooled.fake, URL, options, &asked);
            await(&pooled.fake.loop, &asked);
            expect_failure(&asked, FX_EIO, cases[i].message);
            assert_int_equal(pooled.fake.n_requests, cases[i].n_requests);
            end(&pooled);
        }
    }
}

/* The connection that replaces the idle one cannot be opened. */
static void the_server_is_gone(void **state) {
    (void)state;
    struct pooled pooled;
    struct asked asked;
    begin(&pooled, true);
    call(&pooled);
    pooled.fake.again = (struct script){NULL, CUT};
    ask_pooled(&pooled, &asked);
    fx_listener_close(&pooled.fake.listener);
    await(&pooled.fake.loop, &asked);
    expect_failure(&asked, FX_EIO, "connection refused");
    end(&pooled);
}

static void its_time_is_that_of_the_call(void **state) {
    (void)state;
    struct pooled pooled;
    struct asked asked;
    for (int plain = 0; plain < 2; plain++) {
        for (int repeated = 0; repeated < 2; repeated++) {
            begin(&pooled, plain != 0);
            call(&pooled);
            pooled.fake.script = (struct script){NULL, KEEP_OPEN};
            pooled.fake.again = (struct script){NULL, repeated != 0 ? CUT : KEEP_OPEN};
            struct fx_http_call_options options = options_of(&pooled);
            options.timeout_ms = 100;
            const uint64_t begun = now_ms();
            ask_actor(&pooled.fake, URL, options, &asked);
            await(&pooled.fake.loop, &asked);
            assert_true(now_ms() - begun >= 100);
            expect_failure(&asked, FX_EDEADLINE, "no answer within 100 ms");
            await_open(&pooled, 0); /* its connection is not used again */
            end(&pooled);
        }
    }
}

/* Cancels a call after this number of iterations, on a connection that was idle, or on
 * the one that replaces it. */
static void cancel_after(bool plain, bool repeated, int iterations) {
    struct pooled pooled;
    struct asked asked;
    begin(&pooled, plain);
    call_many(&pooled, URL, 2);
    pooled.fake.script = (struct script){NULL, KEEP_OPEN};
    pooled.fake.again = (struct script){NULL, repeated ? CUT : KEEP_OPEN};
    ask_pooled(&pooled, &asked);
    for (int i = 0; i < iterations; i++) {
        (void)uv_run(&pooled.fake.loop, UV_RUN_NOWAIT);
    }
    assert_int_equal(asked.n_done, 0);
    fx_http_call_cancel(asked.call);
    pooled.fake.script = pooled.fake.again = (struct script){ANSWER, KEEP_OPEN};
    await_open(&pooled, 1);
    call(&pooled);
    assert_int_equal(asked.n_done, 0);
    end(&pooled);
}

static void a_call_can_be_given_up(void **state) {
    (void)state;
    for (int iterations = 0; iterations < 12; iterations++) {
        for (int i = 0; i < 4; i++) {
            cancel_after((i & 1) != 0, (i & 2) != 0, iterations);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_in_order_is_kept),
        cmocka_unit_test(an_answer_before_its_request_is_whole),
        cmocka_unit_test(a_server_may_close_what_is_idle),
        cmocka_unit_test(a_server_may_have_closed_what_seems_idle),
        cmocka_unit_test(an_answer_without_a_request_is_dropped),
        cmocka_unit_test(a_request_is_made_once_more),
        cmocka_unit_test(only_once_and_only_if_nothing_came),
        cmocka_unit_test(the_server_is_gone),
        cmocka_unit_test(its_time_is_that_of_the_call),
        cmocka_unit_test(a_call_can_be_given_up),
    };
    return cmocka_run_group_tests(tests, make_configs, drop_configs);
}
