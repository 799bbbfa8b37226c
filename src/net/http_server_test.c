/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_test.c - requests and responses of the server, and its limits.
 */
#include "net/http_server_fixture.h"

#include <stdio.h>

static void a_connection_is_kept(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    const int fd = dial(&fixture);
    for (int i = 0; i < 3; i++) {
        say(&fixture, fd,
            "POST /v1/mutate?timeout=5s HTTP/1.1\r\nHost: a\r\nUSER-agent:  me \r\n"
            "Content-Length: 5\r\n\r\nhello");
        expect(&fixture, fd, &received, OK,
               "\r\n\r\nPOST /v1/mutate timeout=5s me [hello]");
    }
    const struct fx_http_server_counts counts = fx_http_server_counts(fixture.server);
    assert_int_equal(counts.connections, 1);
    assert_int_equal(counts.accepted, 1);
    hang_up(fd, &received);
    finish(&fixture);
}

static void answers_are_written_as_asked(void **state) {
    (void)state;
    static const struct {
        const char *request, *begin, *end;
    } cases[] = {
        {GET("/"), OK, "X-Extra: 1\r\n\r\nGET /   []"},
        {"GET / HTTP/1.0\r\n\r\n", OK, "X-Extra: 1\r\n\r\nGET /   []"},
        {GET("/empty"), "HTTP/1.1 204 No Content\r\n", "GMT\r\n\r\n"},
        {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: "
         "100-continue\r\n\r\n",
         "HTTP/1.1 100 Continue\r\n", "\r\n\r\n"},
        {"BREW / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n",
         "Connection: close\r\n\r\nmalformed request"},
        {"GET / HTTP/3.0\r\n\r\n", "HTTP/1.1 505 ", "known"},
        {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
         "HTTP/1.1 501 Not Implemented\r\n", "`chunked`"},
    };
    struct fixture fixture;
    start(&fixture, (struct fx_http_server_options){0});
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf received = {0};
        const int fd = dial(&fixture);
        say(&fixture, fd, cases[i].request);
        expect(&fixture, fd, &received, cases[i].begin, cases[i].end);
        hang_up(fd, &received);
    }
    assert_int_equal(fx_http_server_counts(fixture.server).bad_requests, 3);
    finish(&fixture);
}

static void versions_say_what_they_keep(void **state) {
    (void)state;
    static const struct {
        const char *request, *has, *has_not;
    } cases[] = {
        {GET("/"), "Content-Length: 10\r\n", "Connection:"},
        {"GET / HTTP/1.0\r\n\r\n", "Connection: close\r\n", "keep-alive"},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "Connection: keep-alive\r\n",
         "close"},
        {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
         "Connection: close\r\n", "keep-alive"},
        {GET("/empty"), " 204 ", "Content-Length"},
    };
    struct fixture fixture;
    start(&fixture, (struct fx_http_server_options){0});
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf received = {0};
        const int fd = dial(&fixture);
        say(&fixture, fd, cases[i].request);
        char *text = receive_response(&fixture, fd, &received);
        assert_non_null(strstr(text, cases[i].has));
        assert_null(strstr(text, cases[i].has_not));
        if (strstr(text, "close") != NULL) {
            expect_end(&fixture, fd, &received);
        }
        free(text);
        hang_up(fd, &received);
    }
    finish(&fixture);
}

static void a_head_has_no_body(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    const int fd = dial(&fixture);
    say(&fixture, fd, "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    while (receive_some(&fixture, fd, &received)) {
    }
    assert_non_null(strstr(received.data, "Content-Length: 11\r\n"));
    assert_string_equal(received.data + received.len - 4, "\r\n\r\n");
    hang_up(fd, &received);
    finish(&fixture);
}

static void pipelined(bool defers) {
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    fixture.defers = defers;
    const int fd = dial(&fixture);
    for (int i = 0; i < 10; i++) {
        char text[100];
        (void)snprintf(text, sizeof text,
                       "POST /%d HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nb%d", i,
                       i);
        say(&fixture, fd, text);
    }
    for (int i = 0; i < 10; i++) {
        char wanted[40];
        if (defers) {
            await_request(&fixture);
            run_for(&fixture, 5);
            assert_int_equal(fixture.n_requests, i + 1); /* one after the other */
            answer_waiting(&fixture);
        }
        (void)snprintf(wanted, sizeof wanted, "POST /%d   [b%d]", i, i);
        expect(&fixture, fd, &received, OK, wanted);
    }
    hang_up(fd, &received);
    finish(&fixture);
}

static void ten_in_a_row_are_answered_in_order(void **state) {
    (void)state;
    pipelined(false);
    pipelined(true);
}

/* Ten requests of one client do not come before the one of another. */
static void each_has_one_a_turn(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    const int many = dial(&fixture);
    const int one = dial(&fixture);
    while (fx_http_server_counts(fixture.server).accepted < 2) {
        run_once(&fixture);
    }
    for (int i = 0; i < 10; i++) {
        say(&fixture, many, GET("/many"));
    }
    say(&fixture, one, GET("/one"));
    uv_sleep(10);
    (void)uv_run(&fixture.loop, UV_RUN_NOWAIT);
    assert_in_range(fixture.n_requests, 2, 3);
    char byte = 0;
    assert_int_equal(recv(one, &byte, 1, MSG_PEEK), 1);
    expect(&fixture, one, &received, OK, "GET /one   []");
    for (int i = 0; i < 10; i++) {
        expect(&fixture, many, &received, OK, "GET /many   []");
    }
    (void)close(one);
    hang_up(many, &received);
    finish(&fixture);
}

/* A body of many reads: other connections are served in between. */
static void large_bodies_come_in_turns(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    struct fx_buf text = {0};
    start(&fixture, (struct fx_http_server_options){0});
    fx_buf_str(&text, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n");
    fx_buf_fill(&text, 'x', 3000000);
    const int fd = dial(&fixture);
    say_n(&fixture, fd, fx_buf_view(&text));
    expect(&fixture, fd, &received, OK, "xxx]");
    say(&fixture, fd, GET("/next"));
    expect(&fixture, fd, &received, OK, "GET /next   []");
    fx_buf_finish(&text);
    hang_up(fd, &received);
    finish(&fixture);
}

static void chunks_may_come_byte_by_byte(void **state) {
    (void)state;
    static const char text[] =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
        "\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n";
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    const int fd = dial(&fixture);
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        say_n(&fixture, fd, (struct fx_text){text + i, 1});
        run_once(&fixture);
        run_once(&fixture);
    }
    expect(&fixture, fd, &received, OK, "[abcde]");
    hang_up(fd, &received);
    finish(&fixture);
}

static void slow_requests_are_given_up(void **state) {
    (void)state;
    static const char *const parts[] = {
        "GET", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell"};
    struct fixture fixture;
    start(&fixture, (struct fx_http_server_options){.message_ms = 50});
    for (size_t i = 0; i < FX_COUNT(parts); i++) {
        struct fx_buf received = {0};
        const int fd = dial(&fixture);
        say(&fixture, fd, parts[i]);
        expect(&fixture, fd, &received, "HTTP/1.1 408 Request Timeout\r\n", "slowly");
        expect_end(&fixture, fd, &received);
        hang_up(fd, &received);
    }
    assert_int_equal(fx_http_server_counts(fixture.server).bad_requests, 2);
    finish(&fixture);
}

/* The clock of a request is not set back by each of its bytes. */
static void a_trickle_is_given_up(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){.message_ms = 100});
    const int fd = dial(&fixture);
    const uint64_t begin = now_ms();
    say(&fixture, fd, "GET /");
    while (fx_http_server_counts(fixture.server).bad_requests == 0) {
        say(&fixture, fd, "x");
        run_for(&fixture, 10);
        assert_true(now_ms() < begin + PATIENCE_MS);
    }
    expect(&fixture, fd, &received, "HTTP/1.1 408 ", "slowly");
    hang_up(fd, &received);
    finish(&fixture);
}

static void idle_connections_are_closed(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){.idle_ms = 50});
    const int silent = dial(&fixture);
    const int fd = dial(&fixture);
    say(&fixture, fd, GET("/"));
    expect(&fixture, fd, &received, OK, "[]");
    expect_end(&fixture, fd, &received);
    expect_end(&fixture, silent, &received);
    assert_int_equal(fx_http_server_counts(fixture.server).bad_requests, 0);
    (void)close(silent);
    hang_up(fd, &received);
    finish(&fixture);
}

static void bounds_are_kept(void **state) {
    (void)state;
    static const struct {
        const char *before;
        size_t filling;
        const char *begin;
    } cases[] = {
        {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n", 0,
         "HTTP/1.1 413 Content Too Large\r\n"},
        {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n", 4000000,
         "HTTP/1.1 413 Content Too Large\r\n"}, /* received, though the body is sent */
        {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n", 1001,
         "HTTP/1.1 413 Content Too Large\r\n"},
        {"GET / HTTP/1.1\r\nHost: a\r\nLong: ", 1000, "HTTP/1.1 431 "},
        {"GET /", 1000, "HTTP/1.1 414 URI Too Long\r\n"},
    };
    struct fixture fixture;
    start(&fixture, (struct fx_http_server_options){.max_header = 500, .max_body = 1000});
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf received = {0};
        struct fx_buf filling = {0};
        const int fd = dial(&fixture);
        fx_buf_fill(&filling, 'x', cases[i].filling);
        say(&fixture, fd, cases[i].before);
        say_n(&fixture, fd, fx_buf_view(&filling));
        expect(&fixture, fd, &received, cases[i].begin, "too large");
        assert_int_equal(fixture.n_requests, 0);
        fx_buf_finish(&filling);
        hang_up(fd, &received);
    }
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_is_kept),
        cmocka_unit_test(answers_are_written_as_asked),
        cmocka_unit_test(versions_say_what_they_keep),
        cmocka_unit_test(a_head_has_no_body),
        cmocka_unit_test(ten_in_a_row_are_answered_in_order),
        cmocka_unit_test(each_has_one_a_turn),
        cmocka_unit_test(large_bodies_come_in_turns),
        cmocka_unit_test(chunks_may_come_byte_by_byte),
        cmocka_unit_test(slow_requests_are_given_up),
        cmocka_unit_test(a_trickle_is_given_up),
        cmocka_unit_test(idle_connections_are_closed),
        cmocka_unit_test(bounds_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
