/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_held_test.c - the memory limit for all connections.
 */
#include "net/http_server_fixture.h"

#define N_HOLDERS  3
#define BODY_BYTES 60000
#define MAX_HELD   ((size_t)220 << 10) /* three such messages in buffers of 64 KiB */

static size_t held(const struct fixture *fixture) {
    return fx_http_server_counts(fixture->server).held;
}

/* Sends all of a request but the last byte of its body. */
static int begin(struct fixture *fixture) {
    static const char head[] =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n";
    struct fx_buf text = {0};
    const int fd = dial(fixture);
    fx_buf_str(&text, head);
    fx_buf_fill(&text, 'x', BODY_BYTES - 1);
    say_n(fixture, fd, fx_buf_view(&text));
    fx_buf_finish(&text);
    return fd;
}

/* Runs until what is held is at least, or at most, so much. */
static void await_held(struct fixture *fixture, size_t least, size_t most) {
    for (const uint64_t end = now_ms() + PATIENCE_MS;
         (held(fixture) < least || held(fixture) > most) && now_ms() < end;) {
        run_once(fixture);
    }
    assert_in_range(held(fixture), least, most);
}

static void begin_all(struct fixture *fixture, int fds[N_HOLDERS]) {
    start(fixture, (struct fx_http_server_options){.max_held = MAX_HELD});
    for (size_t i = 0; i < N_HOLDERS; i++) {
        fds[i] = begin(fixture);
        await_held(fixture, (i + 1) * BODY_BYTES, MAX_HELD);
    }
}

static void expect_refusal(struct fixture *fixture, int fd) {
    struct fx_buf received = {0};
    char *text = receive_response(fixture, fd, &received);
    assert_memory_equal(text, "HTTP/1.1 503 Service Unavailable\r\n", 34);
    assert_non_null(strstr(text, "\r\nRetry-After: 1\r\n"));
    assert_non_null(strstr(text, "\r\nConnection: close\r\n"));
    free(text);
    expect_end(fixture, fd, &received);
    hang_up(fd, &received);
}

static void expect_service(struct fixture *fixture, int fd) {
    struct fx_buf received = {0};
    expect(fixture, fd, &received, OK, "xx]");
    hang_up(fd, &received);
}

static void one_too_many_is_refused(void **state) {
    (void)state;
    struct fixture fixture;
    int fds[N_HOLDERS];
    begin_all(&fixture, fds);
    const size_t before = held(&fixture);
    expect_refusal(&fixture, begin(&fixture));
    assert_int_equal(held(&fixture), before); /* it holds nothing while it leaves */
    assert_int_equal(fx_http_server_counts(fixture.server).refused, 1);
    assert_int_equal(fx_http_server_counts(fixture.server).bad_requests, 0);
    for (size_t i = 0; i < N_HOLDERS; i++) { /* the others never noticed */
        say(&fixture, fds[i], "x");
        expect_service(&fixture, fds[i]);
    }
    assert_int_equal(held(&fixture), 0);
    const int fd = begin(&fixture);
    say(&fixture, fd, "x");
    expect_service(&fixture, fd);
    assert_int_equal(fixture.n_requests, N_HOLDERS + 1);
    finish(&fixture);
}

static void those_that_leave_make_room(void **state) {
    (void)state;
    struct fixture fixture;
    int fds[N_HOLDERS];
    begin_all(&fixture, fds);
    expect_refusal(&fixture, begin(&fixture));
    (void)close(fds[0]);
    await_held(&fixture, 1, (N_HOLDERS - 1) * (size_t)70000);
    const int fd = begin(&fixture);
    say(&fixture, fd, "x");
    expect_service(&fixture, fd);
    (void)close(fds[1]);
    (void)close(fds[2]);
    await_held(&fixture, 0, 0);
    finish(&fixture);
}

/* A request counts until its answer is given, and so does what came behind it. */
static void unanswered_requests_count(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){.max_held = BODY_BYTES + 10000});
    fixture.defers = true;
    const int fd = begin(&fixture);
    say(&fixture, fd, "x" GET("/next"));
    await_request(&fixture);
    assert_in_range(held(&fixture), BODY_BYTES, BODY_BYTES + 10000);
    expect_refusal(&fixture, begin(&fixture));
    answer_waiting(&fixture);
    await_request(&fixture);
    assert_in_range(held(&fixture), 1, 10000);
    answer_waiting(&fixture);
    assert_int_equal(held(&fixture), 0);
    expect(&fixture, fd, &received, OK, "xx]");
    expect(&fixture, fd, &received, OK, "GET /next   []");
    hang_up(fd, &received);
    finish(&fixture);
}

/* Its request is let go when it is answered, however slowly the answer is read. */
static void slow_readers_hold_no_request(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, (struct fx_http_server_options){0});
    fixture.big = 24u << 20;
    fixture.defers = true;
    const int fd = begin(&fixture);
    await_held(&fixture, BODY_BYTES, MAX_HELD);
    say(&fixture, fd, "x");
    answer_waiting(&fixture);
    assert_int_equal(held(&fixture), 0);
    (void)close(fd);
    finish(&fixture);
}

/* Nor may it come in small pieces: chunks announce nothing. */
static void growing_bodies_meet_the_bound(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, (struct fx_http_server_options){.max_held = 100000});
    const int fd = dial(&fixture);
    say(&fixture, fd, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; fx_http_server_counts(fixture.server).refused == 0; i++) {
        assert_true(i < 100);
        assert_true(held(&fixture) <= 100000);
        struct fx_buf chunk = {0};
        fx_buf_str(&chunk, "3e8\r\n");
        fx_buf_fill(&chunk, 'x', 1000);
        fx_buf_str(&chunk, "\r\n");
        say_n(&fixture, fd, fx_buf_view(&chunk));
        fx_buf_finish(&chunk);
        run_for(&fixture, 1);
    }
    assert_int_equal(held(&fixture), 0);
    expect_refusal(&fixture, fd);
    assert_int_equal(fixture.n_requests, 0);
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_too_many_is_refused),
        cmocka_unit_test(those_that_leave_make_room),
        cmocka_unit_test(unanswered_requests_count),
        cmocka_unit_test(slow_readers_hold_no_request),
        cmocka_unit_test(growing_bodies_meet_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
