/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_end_test.c - connections that end: drained, stopped, gone, too many,
 * too slow.
 */
#include "net/http_server_fixture.h"

#include <stdio.h>
#include <sys/resource.h>

static void draining_says_goodbye(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    const int idle = dial(&fixture);
    const int busy = dial(&fixture);
    const int begun = dial(&fixture);
    fixture.defers = true;
    say(&fixture, busy, GET("/busy"));
    say(&fixture, begun, "GET /begun HTTP/1.1\r\n");
    await_request(&fixture);
    run_for(&fixture, 20);
    fx_http_server_drain(fixture.server);
    answer_waiting(&fixture);
    char *text = receive_response(&fixture, busy, &received);
    assert_non_null(strstr(text, "Connection: close\r\n"));
    free(text);
    expect_end(&fixture, busy, &received);
    fixture.defers = false;
    say(&fixture, begun, "Host: a\r\n\r\n");
    expect(&fixture, begun, &received, OK, "GET /begun   []");
    say(&fixture, idle, GET("/idle")); /* whose client could not know */
    expect(&fixture, idle, &received, OK, "GET /idle   []");
    expect_end(&fixture, idle, &received);
    const int late = dial(&fixture); /* still accepted */
    say(&fixture, late, GET("/late"));
    expect(&fixture, late, &received, OK, "GET /late   []");
    expect_end(&fixture, late, &received);
    (void)close(idle);
    (void)close(begun);
    (void)close(late);
    hang_up(busy, &received);
    finish(&fixture);
}

static void stopping_waits_for_answers(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    const int fd = dial(&fixture);
    const int idle = dial(&fixture);
    fixture.defers = true;
    say(&fixture, fd, GET("/1") GET("/2"));
    await_request(&fixture);
    stop(&fixture);
    run_for(&fixture, 50);
    assert_false(fixture.stopped);
    expect_end(&fixture, idle, &received);
    answer_waiting(&fixture);
    assert_false(fixture.stopped);
    expect(&fixture, fd, &received, OK, "GET /1   []");
    expect_end(&fixture, fd, &received); /* the second is not begun any more */
    assert_int_equal(fixture.n_requests, 1);
    (void)close(idle);
    hang_up(fd, &received);
    finish(&fixture);
}

/* From within a request, when its answer is already given: one that was promised to stay
 * takes one more request. */
static void ending_right_after_an_answer(void **state) {
    (void)state;
    for (int stops = 0; stops < 2; stops++) {
        struct fixture fixture;
        struct fx_buf received = {0};
        start(&fixture, (struct fx_http_server_options){0});
        fixture.drains = stops == 0;
        fixture.stops = stops == 1;
        const int fd = dial(&fixture);
        say(&fixture, fd, GET("/"));
        expect(&fixture, fd, &received, OK, "GET /   []");
        if (fixture.drains) {
            say(&fixture, fd, GET("/again"));
            expect(&fixture, fd, &received, OK, "GET /again   []");
        }
        expect_end(&fixture, fd, &received);
        hang_up(fd, &received);
        finish(&fixture);
    }
}

/* What was begun to be written is written. */
static void stopping_waits_for_slow_readers(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    fixture.big = 24u << 20;
    fixture.stops = true;
    const int fd = dial(&fixture);
    say(&fixture, fd, GET("/"));
    run_for(&fixture, 100);
    assert_true(fixture.stopping && !fixture.stopped);
    char *text = receive_response(&fixture, fd, &received);
    assert_true(strlen(text) > fixture.big);
    free(text);
    expect_end(&fixture, fd, &received);
    hang_up(fd, &received);
    finish(&fixture);
}

/* Clients that go while their request is answered: by FIN, and by RST. */
static void gone_clients_cost_nothing(void **state) {
    (void)state;
    for (int hard = 0; hard < 2; hard++) {
        struct fixture fixture;
        start(&fixture, (struct fx_http_server_options){0});
        const int fd = dial(&fixture);
        const struct linger linger = {.l_onoff = 1, .l_linger = 0};
        fixture.defers = true;
        fixture.big = 1u << 20;
        say(&fixture, fd, GET("/"));
        await_request(&fixture);
        if (hard == 1) {
            assert_int_equal(
                setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger), 0);
        }
        (void)close(fd);
        run_for(&fixture, 20);
        assert_int_equal(fx_http_server_counts(fixture.server).in_flight, 1);
        answer_waiting(&fixture);
        assert_int_equal(fx_http_server_counts(fixture.server).in_flight, 0);
        finish(&fixture);
    }
}

/* Having said all, a client may close its side. */
static void half_closed_clients_are_answered(void **state) {
    (void)state;
    for (int defers = 0; defers < 2; defers++) {
        struct fixture fixture;
        struct fx_buf received = {0};
        start(&fixture, (struct fx_http_server_options){0});
        fixture.defers = defers != 0;
        const int fd = dial(&fixture);
        say(&fixture, fd, GET("/1") GET("/2"));
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
        for (int i = 1; i <= 2; i++) {
            if (defers != 0) {
                answer_waiting(&fixture);
            }
            expect(&fixture, fd, &received, OK, i == 1 ? "GET /1   []" : "GET /2   []");
        }
        expect_end(&fixture, fd, &received);
        hang_up(fd, &received);
        finish(&fixture);
    }
}

static void half_a_request_is_no_request(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    const int fd = dial(&fixture);
    say(&fixture, fd, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell");
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    expect_end(&fixture, fd, &received);
    assert_int_equal(fixture.n_requests, 0);
    hang_up(fd, &received);
    finish(&fixture);
}

/* Who is not being answered makes room: the one that was not received of for the longest.
 */
static void the_longest_unused_makes_room(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){.max_connections = 2});
    const int a = dial(&fixture);
    run_for(&fixture, 5);
    const int b = dial(&fixture);
    run_for(&fixture, 5);
    say(&fixture, a, GET("/a"));
    expect(&fixture, a, &received, OK, "GET /a   []");
    say(&fixture, b, "GET /b"); /* which is no request yet */
    run_for(&fixture, 5);
    const int c = dial(&fixture);
    say(&fixture, c, GET("/c"));
    expect(&fixture, c, &received, OK, "GET /c   []");
    expect_end(&fixture, b, &received);
    say(&fixture, a, GET("/a"));
    expect(&fixture, a, &received, OK, "GET /a   []");
    const struct fx_http_server_counts counts = fx_http_server_counts(fixture.server);
    assert_int_equal(counts.dropped, 1);
    assert_int_equal(counts.refused, 0);
    assert_int_equal(counts.connections, 2);
    (void)close(a);
    (void)close(b);
    hang_up(c, &received);
    finish(&fixture);
}

static void the_busy_are_not_sent_away(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){.max_connections = 1});
    fixture.defers = true;
    const int a = dial(&fixture);
    say(&fixture, a, GET("/a"));
    await_request(&fixture);
    const int c = dial(&fixture);
    char *text = receive_response(&fixture, c, &received);
    assert_non_null(strstr(text, "503 Service Unavailable\r\nRetry-After: 1\r\n"));
    free(text);
    expect_end(&fixture, c, &received);
    assert_int_equal(fx_http_server_counts(fixture.server).refused, 1);
    assert_int_equal(fx_http_server_counts(fixture.server).connections, 1);
    answer_waiting(&fixture); /* it never noticed */
    expect(&fixture, a, &received, OK, "GET /a   []");
    (void)close(a);
    while (fx_http_server_counts(fixture.server).connections > 0) {
        run_once(&fixture);
    }
    const int d = dial(&fixture);
    say(&fixture, d, GET("/d"));
    answer_waiting(&fixture);
    expect(&fixture, d, &received, OK, "GET /d   []");
    (void)close(c);
    hang_up(d, &received);
    finish(&fixture);
}

/* Input after the last response is not read for ever. */
static void talkers_are_cut_off(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    struct fx_buf noise = {0};
    start(&fixture, (struct fx_http_server_options){0});
    fx_buf_fill(&noise, 'x', 65536);
    const int fd = dial(&fixture);
    say(&fixture, fd, "NONSENSE\r\n\r\n");
    expect(&fixture, fd, &received, "HTTP/1.1 400 ", "malformed request");
    size_t sent = 0;
    while (fx_http_server_counts(fixture.server).connections > 0) {
        const ssize_t n = send(fd, noise.data, noise.len, MSG_NOSIGNAL);
        sent += n > 0 ? (size_t)n : 0;
        run_once(&fixture);
    }
    assert_in_range(sent, 1, 32u << 20); /* what the kernel holds included */
    fx_buf_finish(&noise);
    hang_up(fd, &received);
    finish(&fixture);
}

/* More than the sockets hold, read late, with another request behind it. */
static void large_answers_wait_for_the_reader(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){0});
    fixture.big = 24u << 20;
    const int fd = dial(&fixture);
    say(&fixture, fd, GET("/1") GET("/2"));
    run_for(&fixture, 100);
    assert_int_equal(fixture.n_requests,
                     1); /* the second waits until the first has left */
    for (int i = 0; i < 2; i++) {
        char *text = receive_response(&fixture, fd, &received);
        assert_true(strlen(text) > fixture.big);
        free(text);
    }
    hang_up(fd, &received);
    finish(&fixture);
}

static void readers_that_stop_are_dropped(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start(&fixture, (struct fx_http_server_options){.write_ms = 100});
    fixture.big = 24u << 20;
    const int fd = dial(&fixture);
    say(&fixture, fd, GET("/"));
    for (const uint64_t end = now_ms() + PATIENCE_MS;
         now_ms() < end && (fixture.n_requests == 0 ||
                            fx_http_server_counts(fixture.server).connections > 0);) {
        run_once(&fixture);
    }
    assert_int_equal(fx_http_server_counts(fixture.server).connections, 0);
    hang_up(fd, &received);
    finish(&fixture);
}

static void it_continues_without_descriptors(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    struct rlimit before;
    start(&fixture, (struct fx_http_server_options){0});
    run_for(&fixture, 10);
    const int fd = dial(&fixture);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none = before;
    none.rlim_cur = (rlim_t)fd + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    run_for(&fixture, 250);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    run_for(&fixture, 250);
    const int again = dial(&fixture);
    say(&fixture, again, GET("/again"));
    expect(&fixture, again, &received, OK, "GET /again   []");
    (void)close(fd);
    hang_up(again, &received);
    finish(&fixture);
}

static void allow_descriptors(rlim_t count, struct rlimit *ret_before) {
    assert_int_equal(getrlimit(RLIMIT_NOFILE, ret_before), 0);
    struct rlimit limit = *ret_before;
    limit.rlim_cur = count;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Does the kernel know of the limit? valgrind plays one of its own: what it refuses has
 * been accepted by then, and is lost. */
static bool is_limit_real(void) {
    char line[200] = "";
    unsigned long soft = 0;
    struct rlimit before;
    FILE *file = fopen("/proc/self/limits", "r");
    assert_non_null(file);
    allow_descriptors(100, &before);
    while (strncmp(line, "Max open files", 14) != 0) {
        assert_non_null(fgets(line, sizeof line, file));
    }
    soft = strtoul(line + 14, NULL, 10);
    (void)fclose(file);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    return soft == 100;
}

/* A connection may use the last descriptor; only the next one makes the server close a
 * connection. */
static void the_last_descriptor_is_of_use(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    struct rlimit before;
    if (!is_limit_real()) {
        skip();
    }
    start(&fixture, (struct fx_http_server_options){0});
    run_for(&fixture, 10);
    const int a = dial(&fixture);
    allow_descriptors((rlim_t)a + 2, &before); /* one more than we have */
    for (int i = 0; i < 2; i++) {
        say(&fixture, a, GET("/a"));
        expect(&fixture, a, &received, OK, "GET /a   []");
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(fx_http_server_counts(fixture.server).dropped, 0);
    const int b = dial(&fixture);
    allow_descriptors((rlim_t)b + 1, &before); /* none */
    say(&fixture, b, GET("/b"));
    expect(&fixture, b, &received, OK, "GET /b   []");
    expect_end(&fixture, a, &received); /* which has gone for the other */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(fx_http_server_counts(fixture.server).dropped, 1);
    (void)close(a);
    hang_up(b, &received);
    finish(&fixture);
}

static void addresses_that_cannot_be(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_http_server_options options = {.on_request = on_request,
                                                   .user = &fixture};
    char taken[40];
    start(&fixture, (struct fx_http_server_options){0});
    (void)snprintf(taken, sizeof taken, "127.0.0.1:%d",
                   (int)fx_http_server_port(fixture.server));
    struct fx_http_server *other = fx_http_server_create(&fixture.loop, &options, &err);
    assert_non_null(other);
    assert_false(fx_http_server_listen(other, "nowhere", &err));
    assert_int_equal(err.code, FX_EINVALID);
    fx_http_server_destroy(other); /* never listened */
    other = fx_http_server_create(&fixture.loop, &options, &err);
    assert_false(fx_http_server_listen(other, taken, &err));
    assert_int_equal(err.code, FX_EIO);
    assert_non_null(strstr(err.msg, taken));
    fx_http_server_destroy(other);
    other = fx_http_server_create(&fixture.loop, &options, &err);
    assert_true(fx_http_server_listen(other, ":0", &err));
    assert_int_not_equal(fx_http_server_port(other), 0);
    fx_http_server_destroy(other); /* while it listens: frees itself when it can */
    fx_http_server_destroy(NULL);
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draining_says_goodbye),
        cmocka_unit_test(stopping_waits_for_answers),
        cmocka_unit_test(ending_right_after_an_answer),
        cmocka_unit_test(stopping_waits_for_slow_readers),
        cmocka_unit_test(gone_clients_cost_nothing),
        cmocka_unit_test(half_closed_clients_are_answered),
        cmocka_unit_test(half_a_request_is_no_request),
        cmocka_unit_test(the_longest_unused_makes_room),
        cmocka_unit_test(the_busy_are_not_sent_away),
        cmocka_unit_test(talkers_are_cut_off),
        cmocka_unit_test(large_answers_wait_for_the_reader),
        cmocka_unit_test(readers_that_stop_are_dropped),
        cmocka_unit_test(it_continues_without_descriptors),
        cmocka_unit_test(the_last_descriptor_is_of_use),
        cmocka_unit_test(addresses_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
