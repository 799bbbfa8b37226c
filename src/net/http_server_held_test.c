/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_held_test.c - what all connections together may make the server hold.
 */
#include "net/http_server_world.h"

#define N_HOLDERS  3
#define BODY_BYTES 60000
#define MAX_HELD   ((size_t)220 << 10) /* three such messages in buffers of 64 KiB */

static size_t held(const struct world *world) {
    return fx_http_server_counts(world->server).held;
}

/* Sends all of a request but the last byte of its body. */
static int begin(struct world *world) {
    static const char head[] =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n";
    struct fx_buf text = {0};
    const int fd = dial(world);
    fx_buf_str(&text, head);
    fx_buf_fill(&text, 'x', BODY_BYTES - 1);
    say_n(world, fd, (struct fx_text){text.data, text.len});
    fx_buf_finish(&text);
    return fd;
}

/* Runs until what is held is at least, or at most, so much. */
static void await_held(struct world *world, size_t least, size_t most) {
    for (const uint64_t end = now_ms() + PATIENCE_MS;
         (held(world) < least || held(world) > most) && now_ms() < end;) {
        run_once(world);
    }
    assert_in_range(held(world), least, most);
}

static void begin_all(struct world *world, int fds[N_HOLDERS]) {
    start(world, (struct fx_http_server_options){.max_held = MAX_HELD});
    for (size_t i = 0; i < N_HOLDERS; i++) {
        fds[i] = begin(world);
        await_held(world, (i + 1) * BODY_BYTES, MAX_HELD);
    }
}

static void expect_refusal(struct world *world, int fd) {
    struct fx_buf heard = {0};
    char *text = hear(world, fd, &heard);
    assert_memory_equal(text, "HTTP/1.1 503 Service Unavailable\r\n", 34);
    assert_non_null(strstr(text, "\r\nRetry-After: 1\r\n"));
    assert_non_null(strstr(text, "\r\nConnection: close\r\n"));
    free(text);
    expect_end(world, fd, &heard);
    hang_up(fd, &heard);
}

static void expect_service(struct world *world, int fd) {
    struct fx_buf heard = {0};
    expect(world, fd, &heard, OK, "xx]");
    hang_up(fd, &heard);
}

static void one_too_many_is_refused(void **state) {
    (void)state;
    struct world world;
    int fds[N_HOLDERS];
    begin_all(&world, fds);
    const size_t before = held(&world);
    expect_refusal(&world, begin(&world));
    assert_int_equal(held(&world), before); /* it holds nothing while it leaves */
    assert_int_equal(fx_http_server_counts(world.server).refused, 1);
    assert_int_equal(fx_http_server_counts(world.server).bad_requests, 0);
    for (size_t i = 0; i < N_HOLDERS; i++) { /* the others never noticed */
        say(&world, fds[i], "x");
        expect_service(&world, fds[i]);
    }
    assert_int_equal(held(&world), 0);
    const int fd = begin(&world);
    say(&world, fd, "x");
    expect_service(&world, fd);
    assert_int_equal(world.n_requests, N_HOLDERS + 1);
    finish(&world);
}

static void those_that_leave_make_room(void **state) {
    (void)state;
    struct world world;
    int fds[N_HOLDERS];
    begin_all(&world, fds);
    expect_refusal(&world, begin(&world));
    (void)close(fds[0]);
    await_held(&world, 1, (N_HOLDERS - 1) * (size_t)70000);
    const int fd = begin(&world);
    say(&world, fd, "x");
    expect_service(&world, fd);
    (void)close(fds[1]);
    (void)close(fds[2]);
    await_held(&world, 0, 0);
    finish(&world);
}

/* A request counts until its answer is given, and so does what came behind it. */
static void unanswered_requests_count(void **state) {
    (void)state;
    struct world world;
    struct fx_buf heard = {0};
    start(&world, (struct fx_http_server_options){.max_held = BODY_BYTES + 10000});
    world.defers = true;
    const int fd = begin(&world);
    say(&world, fd, "x" GET("/next"));
    await_request(&world);
    assert_in_range(held(&world), BODY_BYTES, BODY_BYTES + 10000);
    expect_refusal(&world, begin(&world));
    answer_waiting(&world);
    await_request(&world);
    assert_in_range(held(&world), 1, 10000);
    answer_waiting(&world);
    assert_int_equal(held(&world), 0);
    expect(&world, fd, &heard, OK, "xx]");
    expect(&world, fd, &heard, OK, "GET /next   []");
    hang_up(fd, &heard);
    finish(&world);
}

/* Its request is let go when it is answered, however slowly the answer is read. */
static void slow_readers_hold_no_request(void **state) {
    (void)state;
    struct world world;
    start(&world, (struct fx_http_server_options){0});
    world.big = 24u << 20;
    world.defers = true;
    const int fd = begin(&world);
    await_held(&world, BODY_BYTES, MAX_HELD);
    say(&world, fd, "x");
    answer_waiting(&world);
    assert_int_equal(held(&world), 0);
    (void)close(fd);
    finish(&world);
}

/* Nor may it come in small pieces: chunks announce nothing. */
static void growing_bodies_meet_the_bound(void **state) {
    (void)state;
    struct world world;
    start(&world, (struct fx_http_server_options){.max_held = 100000});
    const int fd = dial(&world);
    say(&world, fd, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; fx_http_server_counts(world.server).refused == 0; i++) {
        assert_true(i < 100);
        assert_true(held(&world) <= 100000);
        struct fx_buf chunk = {0};
        fx_buf_str(&chunk, "3e8\r\n");
        fx_buf_fill(&chunk, 'x', 1000);
        fx_buf_str(&chunk, "\r\n");
        say_n(&world, fd, (struct fx_text){chunk.data, chunk.len});
        fx_buf_finish(&chunk);
        run_for(&world, 1);
    }
    assert_int_equal(held(&world), 0);
    expect_refusal(&world, fd);
    assert_int_equal(world.n_requests, 0);
    finish(&world);
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
