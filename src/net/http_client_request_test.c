/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_request_test.c - the fields of a request, those of its answer, and the
 * connection they go over.
 */
#include "net/http_pool_fixture.h"

#include <netinet/tcp.h>

#include "net/http_head.h"

static void ask_with(struct pooled *pooled, const struct fx_http_field *fields,
                     size_t n_fields, struct asked *asked) {
    struct fx_http_call_options options = options_of(pooled);
    options.fields = fields;
    options.n_fields = n_fields;
    ask_actor(&pooled->fake, URL, options, asked);
}

static void expect_heard(const struct pooled *pooled, const char *from) {
    const char *received = strstr(pooled->fake.received.data, "User-Agent");
    assert_non_null(received);
    assert_string_equal(received, from);
}

#define USER "User-Agent: fixpoint/" FX_VERSION "\r\n"
#define BODY "Content-Type: application/json\r\nContent-Length: 2\r\n"

static void fields_come_behind_the_usual_ones(void **state) {
    (void)state;
    static const struct fx_http_field fields[] = {
        {"Authorization", "Bearer abc.def"},
        {"X-Odd", "a\tb \xc3\xa4 %s \"\\"},
        {"X-Empty", ""},
    };
    static const struct fx_http_field accepting[] = {
        {"X-Odd", "1"},
        {"accept", "application/yaml"},
        {"Accept", "text/plain"},
    };
    struct pooled pooled;
    struct asked asked;
    begin(&pooled, true);
    ask_with(&pooled, fields, FX_COUNT(fields), &asked);
    await(&pooled.fake.loop, &asked);
    expect_answer(&asked, 200, "{}");
    expect_heard(&pooled,
                 USER "Accept: application/json\r\nAccept-Encoding: identity\r\n" BODY
                      "Authorization: Bearer abc.def\r\n"
                      "X-Odd: a\tb \xc3\xa4 %s \"\\\r\nX-Empty: \r\n\r\n{}");
    ask_with(&pooled, accepting, FX_COUNT(accepting), &asked);
    await(&pooled.fake.loop, &asked);
    expect_answer(&asked, 200, "{}");
    expect_heard(&pooled, USER
                 "Accept-Encoding: identity\r\n" BODY
                 "X-Odd: 1\r\naccept: application/yaml\r\nAccept: text/plain\r\n\r\n{}");
    end(&pooled);
}

static void a_field_is_one_line(void **state) {
    (void)state;
    static const char *const values[] = {"a\n",  "a\r\nX-Other: 1", "\n",   "a\rb",
                                         "\x01", "a\x7f",           "\x1f", "token\n"};
    struct pooled pooled;
    begin(&pooled, true);
    for (size_t i = 0; i < FX_COUNT(values); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf text = {0};
        struct fx_url url;
        struct asked asked = {0};
        const struct fx_http_field fields[] = {{"X-Fine", "1"},
                                               {"Authorization", values[i]}};
        parse_url(&text, &url, URL, pooled.fake.port);
        struct fx_http_call_options options = options_of(&pooled);
        options.url = &url;
        options.fields = fields;
        options.n_fields = FX_COUNT(fields);
        assert_false(fx_http_call_start(&pooled.fake.loop, &options, on_done, &asked,
                                        &asked.call, &err));
        assert_int_equal(err.code, FX_EINVALID);
        /* The value is a secret. */
        assert_string_equal(err.msg, "the value of the field `Authorization` has a "
                                     "character that no field may have");
        assert_null(asked.call);
        fx_buf_finish(&text);
    }
    await_open(&pooled, 0);
    expect_counts(&pooled, 0, 0);
    end(&pooled);
}

/* A repeated request is the same request. */
static void fields_are_kept_as_long_as_they_may_be_sent(void **state) {
    (void)state;
    static const struct fx_http_field fields[] = {{"Authorization", "Bearer abc"}};
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        struct asked asked;
        begin(&pooled, plain != 0);
        call(&pooled);
        pooled.fake.again = (struct script){NULL, CUT}; /* just then */
        ask_with(&pooled, fields, 1, &asked);
        await(&pooled.fake.loop, &asked);
        expect_answer(&asked, 200, "{}");
        expect_counts(&pooled, 2, 3);
        const char *first =
            strstr(pooled.fake.received.data, "Authorization: Bearer abc\r\n");
        assert_non_null(first);
        assert_non_null(strstr(first + 1, "Authorization: Bearer abc\r\n"));
        end(&pooled);
    }
}

/* ---- the answer's ---- */

struct read {
    struct asked asked;
    const char *retry_after;
};

static void on_read(const struct fx_http_call_result *result, void *user) {
    struct read *read = user;
    size_t n = 0;
    assert_null(result->failure);
    assert_true(fx_text_is(fx_http_head_field(result->head, "retry-after", &n),
                           read->retry_after));
    assert_int_equal(n, 1);
    on_done(result, &read->asked);
}

static void an_answer_has_its_head(void **state) {
    (void)state;
    struct pooled pooled;
    begin(&pooled, true);
    static const struct {
        const char *answer, *retry_after;
        unsigned status;
    } cases[] = {
        {"HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}", "7", 429},
        {"HTTP/1.1 103 Early\r\nRetry-After: 1\r\n\r\nHTTP/1.1 204 No\r\n"
         "retry-after:  9 \r\n\r\n",
         "9", 204},
        {OK_LINE "RETRY-AFTER: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
                 "Retry-After: trailer\r\n\r\n",
         "x", 200},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf text = {0};
        struct fx_url url;
        struct read read = {.retry_after = cases[i].retry_after};
        pooled.fake.script = (struct script){cases[i].answer, KEEP_OPEN};
        pooled.fake.again = pooled.fake.script;
        parse_url(&text, &url, URL, pooled.fake.port);
        struct fx_http_call_options options = options_of(&pooled);
        options.url = &url;
        assert_true(fx_http_call_start(&pooled.fake.loop, &options, on_read, &read,
                                       &read.asked.call, &err));
        await(&pooled.fake.loop, &read.asked);
        assert_int_equal(read.asked.status, cases[i].status);
        fx_buf_finish(&read.asked.body);
        fx_buf_finish(&text);
    }
    end(&pooled);
}

/* ---- the connection ---- */

struct walk {
    uint16_t port;
    size_t n_found;
};

/* The client's sockets are those that lead to the server. */
static void look_at(uv_handle_t *handle, void *user) {
    struct walk *walk = user;
    struct sockaddr_in peer = {0};
    int len = sizeof peer;
    uv_os_fd_t fd = -1;
    int keepalive = 0;
    int idle_s = 0;
    if (handle->type != UV_TCP ||
        uv_tcp_getpeername((uv_tcp_t *)handle, (struct sockaddr *)&peer, &len) != 0 ||
        ntohs(peer.sin_port) != walk->port) {
        return;
    }
    socklen_t size = sizeof keepalive;
    assert_int_equal(uv_fileno(handle, &fd), 0);
    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &keepalive, &size), 0);
    assert_int_not_equal(keepalive, 0);
#if defined(TCP_KEEPIDLE)
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, &size), 0);
    assert_int_equal(idle_s, 30);
#endif
    (void)idle_s;
    walk->n_found++;
}

static void a_dead_peer_will_be_noticed(void **state) {
    (void)state;
    struct pooled pooled;
    begin(&pooled, true);
    call(&pooled);
    struct walk walk = {.port = pooled.fake.port};
    uv_walk(&pooled.fake.loop, look_at, &walk);
    assert_int_equal(walk.n_found, 1);
    end(&pooled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_come_behind_the_usual_ones),
        cmocka_unit_test(a_field_is_one_line),
        cmocka_unit_test(fields_are_kept_as_long_as_they_may_be_sent),
        cmocka_unit_test(an_answer_has_its_head),
        cmocka_unit_test(a_dead_peer_will_be_noticed),
    };
    return cmocka_run_group_tests(tests, make_configs, drop_configs);
}
