/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_together_test.c - answers of one turn of the loop leave together, none
 * of them late, and none is lost.
 */
#include <assert.h>
#include <stdio.h>

#include "net/http_connection.h"
#include "net/http_server_tls_fixture.h"

#define N_CLIENTS 4
#define FOREVER   UINT64_MAX

/* Clients that send requests at the same time. */
struct table {
    struct fixture inner;
    int fds[N_CLIENTS];
    size_t n_served;
    size_t n_heard[N_CLIENTS];     /* how many had their answer when each was served */
    unsigned sleep_ms;             /* at each */
    int hard;                      /* hangs up so at the last one; -1: none does */
    bool defers_second;            /* its answer comes later */
    struct fx_http_exchange *held; /* that is it */
};

static bool has_heard(int fd) {
    char byte = 0;
    return recv(fd, &byte, 1, MSG_PEEK) == 1;
}

static size_t count_heard(const struct table *table) {
    size_t n = 0;
    for (size_t i = 0; i < N_CLIENTS; i++) {
        n += has_heard(table->fds[i]);
    }
    return n;
}

static void cut(int fd) {
    const struct linger linger = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger), 0);
    (void)close(fd);
}

static void on_table_request(struct fx_http_exchange *exchange, void *user) {
    struct table *table = user;
    table->n_heard[table->n_served] = count_heard(table);
    table->n_served++;
    uv_sleep(table->sleep_ms);
    if (table->n_served == N_CLIENTS && table->hard >= 0) {
        cut(table->fds[table->hard]);
    }
    if (table->n_served == 2 && table->defers_second) {
        table->held = exchange;
        return;
    }
    answer(&table->inner, exchange);
}

/* A server of which a test may know what is inside. */
static void start_open(struct fixture *fixture, struct fx_http_server_options options,
                       void (*on_asked)(struct fx_http_exchange *, void *), void *user,
                       uint64_t max_ns) {
    start(fixture, options);
    if (on_asked != NULL) {
        fixture->server->options.on_request = on_asked;
        fixture->server->options.user = user;
    }
    fixture->server->batch.max_ns = max_ns;
}

/* All clients send a request, and the loop reads them in one iteration. */
static void serve_table(struct table *table, uint64_t max_ns, size_t big) {
    start_open(&table->inner, (struct fx_http_server_options){0}, on_table_request, table,
               max_ns);
    table->inner.big = big;
    for (size_t i = 0; i < N_CLIENTS; i++) {
        table->fds[i] = dial(&table->inner);
    }
    while (fx_http_server_counts(table->inner.server).accepted < N_CLIENTS) {
        run_once(&table->inner);
    }
    for (size_t i = 0; i < N_CLIENTS; i++) {
        say(&table->inner, table->fds[i], GET("/"));
    }
    uv_sleep(10);
    (void)uv_run(&table->inner.loop, UV_RUN_NOWAIT);
    assert_int_equal(table->n_served, N_CLIENTS);
}

static void finish_table(struct table *table) {
    for (size_t i = 0; i < N_CLIENTS; i++) {
        if ((int)i != table->hard) {
            (void)close(table->fds[i]);
        }
    }
    finish(&table->inner);
}

static void expect_all_heard(const struct table *table) {
    for (size_t i = 0; i < N_CLIENTS; i++) {
        assert_true((int)i == table->hard || has_heard(table->fds[i]));
    }
}

/* How many clients had a response when each was served; at the end of the iteration all
 * have. */
static void expect_heard(const struct table *table, const size_t wanted[N_CLIENTS]) {
    for (size_t i = 0; i < N_CLIENTS; i++) {
        assert_int_equal(table->n_heard[i], wanted[i]);
    }
    expect_all_heard(table);
}

static void a_turn_is_answered_together(void **state) {
    (void)state;
    struct table table = {.hard = -1};
    serve_table(&table, FOREVER, 0);
    expect_heard(&table, (const size_t[]){0, 0, 0, 0});
    finish_table(&table);
}

static void long_turns_keep_nobody_waiting(void **state) {
    (void)state;
    struct table table = {.hard = -1, .sleep_ms = 2};
    serve_table(&table, FX_WRITE_BATCH_NS, 0);
    expect_heard(&table, (const size_t[]){0, 0, 2, 2}); /* the second took the first */
    finish_table(&table);
}

/* Nor where it is work without answers that takes the time. */
static void work_without_answers_counts(void **state) {
    (void)state;
    struct table table = {.hard = -1, .sleep_ms = 2, .defers_second = true};
    serve_table(&table, FX_WRITE_BATCH_NS, 0);
    answer(&table.inner, table.held);
    (void)uv_run(&table.inner.loop, UV_RUN_NOWAIT);
    expect_heard(&table, (const size_t[]){0, 0, 1, 1});
    finish_table(&table);
}

static void large_answers_do_not_gather(void **state) {
    (void)state;
    struct table table = {.hard = -1};
    serve_table(&table, FOREVER, FX_WRITE_BATCH_BYTES / 2);
    expect_heard(&table, (const size_t[]){0, 0, 2, 2});
    finish_table(&table);
}

/* The connection on which it fails ends, the others do not notice. */
static void who_has_gone_when_it_leaves(void **state) {
    (void)state;
    for (int hard = 0; hard < N_CLIENTS; hard += N_CLIENTS - 1) {
        struct table table = {.hard = hard};
        serve_table(&table, FOREVER, 0);
        expect_heard(&table, (const size_t[]){0, 0, 0, 0});
        run_for(&table.inner, 5);
        assert_int_equal(fx_http_server_counts(table.inner.server).connections,
                         N_CLIENTS - 1);
        finish_table(&table);
    }
}

/* ---- at any moment of an iteration ---- */

enum moment { BEFORE, TIMER, IDLE, PREPARE, LETTER, CHECK, CLOSE, N_MOMENTS };

struct clockwork {
    struct fixture inner;
    enum moment moment;
    int fd;
    bool answered, received, late;
    uv_timer_t timer, alarm;
    uv_idle_t idle;
    uv_prepare_t prepare, watch;
    uv_async_t message;
    uv_check_t check;
    uv_timer_t closed;
};

static void give(struct clockwork *work, enum moment moment) {
    if (work->moment == moment && !work->answered) {
        work->answered = true;
        answer_waiting(&work->inner);
    }
}

static void on_timer(uv_timer_t *handle) {
    give(handle->data, TIMER);
}

static void on_idle(uv_idle_t *handle) {
    give(handle->data, IDLE);
    (void)uv_idle_stop(handle);
}

static void on_prepare(uv_prepare_t *handle) {
    give(handle->data, PREPARE);
}

static void on_letter(uv_async_t *handle) {
    give(handle->data, LETTER);
}

static void on_check(uv_check_t *handle) {
    give(handle->data, CHECK);
}

static void on_close(uv_handle_t *handle) {
    give(handle->data, CLOSE);
}

static void on_alarm(uv_timer_t *handle) {
    struct clockwork *work = handle->data;
    work->late = true;
    uv_stop(&work->inner.loop);
}

static void on_watch(uv_prepare_t *handle) {
    struct clockwork *work = handle->data;
    work->received = work->received || has_heard(work->fd);
    if (work->received) {
        uv_stop(&work->inner.loop);
    }
}

/* Nothing but the answer would wake the loop before the alarm. */
static void wind_up(struct clockwork *work, uint64_t alarm_ms) {
    uv_loop_t *loop = &work->inner.loop;
    uv_handle_t *const handles[] = {
        (uv_handle_t *)&work->timer, (uv_handle_t *)&work->alarm,
        (uv_handle_t *)&work->idle,  (uv_handle_t *)&work->prepare,
        (uv_handle_t *)&work->watch, (uv_handle_t *)&work->message,
        (uv_handle_t *)&work->check, (uv_handle_t *)&work->closed,
    };
    (void)uv_timer_init(loop, &work->timer);
    (void)uv_timer_init(loop, &work->alarm);
    (void)uv_timer_init(loop, &work->closed);
    (void)uv_idle_init(loop, &work->idle);
    (void)uv_prepare_init(loop, &work->prepare);
    (void)uv_prepare_init(loop, &work->watch);
    (void)uv_check_init(loop, &work->check);
    assert_int_equal(uv_async_init(loop, &work->message, on_letter), 0);
    for (size_t i = 0; i < FX_COUNT(handles); i++) {
        handles[i]->data = work;
    }
    (void)uv_timer_start(&work->timer, on_timer, work->moment == TIMER ? 5 : 60000, 0);
    (void)uv_timer_start(&work->alarm, on_alarm, alarm_ms, 0);
    (void)uv_idle_start(&work->idle, on_idle);
    (void)uv_prepare_start(&work->prepare, on_prepare);
    (void)uv_prepare_start(&work->watch, on_watch);
    (void)uv_check_start(&work->check, on_check);
    (void)uv_async_send(&work->message);
}

static void run_down(struct clockwork *work) {
    uv_close((uv_handle_t *)&work->timer, NULL);
    uv_close((uv_handle_t *)&work->alarm, NULL);
    uv_close((uv_handle_t *)&work->idle, NULL);
    uv_close((uv_handle_t *)&work->prepare, NULL);
    uv_close((uv_handle_t *)&work->watch, NULL);
    uv_close((uv_handle_t *)&work->message, NULL);
    uv_close((uv_handle_t *)&work->check, NULL);
}

static void answers_never_wait_for_an_event(void **state) {
    (void)state;
    for (int moment = 0; moment < N_MOMENTS; moment++) {
        struct clockwork work = {.moment = (enum moment)moment};
        start_open(&work.inner, (struct fx_http_server_options){0}, NULL, NULL, FOREVER);
        work.inner.defers = true;
        work.fd = dial(&work.inner);
        say(&work.inner, work.fd, GET("/"));
        await_request(&work.inner);
        wind_up(&work, 5000);
        uv_close((uv_handle_t *)&work.closed, on_close);
        give(&work, BEFORE);
        (void)uv_run(&work.inner.loop, UV_RUN_DEFAULT);
        assert_true(work.answered && work.received && !work.late);
        run_down(&work);
        (void)close(work.fd);
        finish(&work.inner);
    }
}

/* ---- the end ---- */

/* Answers are given, and everything ends before the loop goes on. */
static void nothing_is_left_unwritten(void **state) {
    (void)state;
    enum { STOPPED, DESTROYED, DROPPED, CLOSED, N_ENDS };
    for (int way = 0; way < N_ENDS; way++) {
        struct fixture fixture;
        struct fx_buf received = {0};
        start_open(&fixture, (struct fx_http_server_options){0}, NULL, NULL, FOREVER);
        fixture.defers = true;
        const int fd = dial(&fixture);
        say(&fixture, fd, GET("/1") GET("/2"));
        answer_waiting(&fixture);
        assert_false(has_heard(fd));
        answer_waiting(&fixture); /* which came out of the answer to the first */
        assert_false(has_heard(fd));
        struct fx_http_exchange *exchange =
            fx_http_exchange_of(fixture.server->open.queue.first);
        switch (way) {
        case STOPPED: stop(&fixture); break;
        case DROPPED: assert_true(fx_http_connection_evict(fixture.server)); break;
        case CLOSED: fx_stream_close(&exchange->stream); break;
        default: fx_http_server_destroy(fixture.server); break;
        }
        expect(&fixture, fd, &received, OK, "GET /1   []");
        expect(&fixture, fd, &received, OK, "GET /2   []");
        expect_end(&fixture, fd, &received);
        hang_up(fd, &received);
        if (way == DESTROYED) {
            assert_int_equal(uv_run(&fixture.loop, UV_RUN_DEFAULT), 0);
            assert_int_equal(uv_loop_close(&fixture.loop), 0);
        } else {
            finish(&fixture);
        }
    }
}

/* ---- over TLS ---- */

static void tls_records_leave_in_order(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *config = self_signed();
    struct fx_tls_config *trust = trusting(config);
    start_open(&fixture, (struct fx_http_server_options){.tls = config}, NULL, NULL,
               FOREVER);
    struct client client = dial_tls(&fixture, trust);
    assert_int_equal(client.state, FX_TLS_OPEN);
    fixture.defers = true;
    assert_true(
        fx_tls_send(client.tls, FX_TEXT(GET("/1") GET("/2")), &client.cipher, &err));
    say_n(&fixture, client.fd, fx_buf_view(&client.cipher));
    fx_buf_reset(&client.cipher);
    answer_waiting(&fixture);
    answer_waiting(&fixture);
    stop(&fixture); /* and close_notify after them */
    assert_false(exchange_tls(&fixture, &client) && client.state == FX_TLS_OPEN);
    const char *first = strstr(client.plain.data, "GET /1");
    assert_non_null(first);
    assert_non_null(strstr(first, "GET /2"));
    assert_int_equal(client.state, FX_TLS_CLOSED);
    hang_up_tls(&client);
    fx_tls_config_unref(trust);
    fx_tls_config_unref(config);
    finish(&fixture);
}

/* ---- memory ---- */

/* What clients of whom each asks once leave behind. */
static void memory_is_given_back(void **state) {
    (void)state;
    struct table table = {.hard = -1};
    serve_table(&table, FOREVER, FX_WRITE_BATCH_BYTES + 10000);
    const struct fx_http_server *server = table.inner.server;
    size_t n = 0;
    for (struct fx_list_link *at = server->open.queue.first; at != NULL; at = at->next) {
        assert_null(fx_http_exchange_of(at)->stream.pending.bytes.data);
        n++;
    }
    assert_int_equal(n, N_CLIENTS);
    assert_int_equal(server->batch.n_bytes, 0);
    assert_in_range(server->scratch.cipher.cap, 0, FX_WRITE_BATCH_BYTES);
    finish_table(&table);
}

/* ---- clients that do not read ---- */

#define BIG   20000
#define N_ALL 2000

static void narrow(int fd) {
    const int bytes = 4096;
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes), 0);
}

/* A client and the server's end of it, with as little room between them as there can be:
 * the kernel holds some ten kilobytes. */
static int dial_narrow(struct fixture *fixture) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    narrow(listener);
    narrow(fd);
    assert_int_equal(bind(listener, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    const int other = accept(listener, NULL, NULL);
    assert_true(other >= 0);
    narrow(other);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    (void)close(listener);
    fx_http_server_adopt(fixture->server, other);
    return fd;
}

/* No more of its requests are served than there is room for the answers, and one. */
static void who_does_not_read_is_not_served(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start_open(&fixture, (struct fx_http_server_options){0}, NULL, NULL, FOREVER);
    fixture.big = BIG;
    const int fd = dial_narrow(&fixture);
    struct fx_buf text = {0};
    for (int i = 0; i < N_ALL; i++) {
        fx_buf_str(&text, GET("/"));
    }
    size_t sent = 0;
    for (int i = 0; i < 200; i++) {
        const ssize_t n = send(fd, text.data + sent, text.len - sent, MSG_NOSIGNAL);
        sent += n > 0 ? (size_t)n : 0;
        run_once(&fixture);
    }
    const struct fx_http_exchange *exchange =
        fx_http_exchange_of(fixture.server->open.queue.first);
    assert(exchange != NULL);
    assert_int_equal(exchange->phase, FX_HTTP_WRITING);
    assert_true(fx_stream_has_queued_output(&exchange->stream));
    assert_in_range(fixture.n_requests, 1, 8);
    assert_in_range(exchange->stream.tcp.write_queue_size, 1, 2 * (BIG + 200));
    for (int i = 0; i < N_ALL; i++) { /* then it does */
        if (sent < text.len) {
            const ssize_t n = send(fd, text.data + sent, text.len - sent, MSG_NOSIGNAL);
            sent += n > 0 ? (size_t)n : 0;
        }
        expect(&fixture, fd, &received, OK, "bbb");
    }
    assert_int_equal(fixture.n_requests, N_ALL);
    fx_buf_finish(&text);
    hang_up(fd, &received);
    finish(&fixture);
}

/* While its client is stuck its time does not end, but afterwards it does. */
static void a_request_begun_goes_on_afterwards(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf received = {0};
    start_open(&fixture, (struct fx_http_server_options){.message_ms = 50}, NULL, NULL,
               FOREVER);
    fixture.big = 100000;
    const int fd = dial_narrow(&fixture);
    say(&fixture, fd, GET("/") "GET /half HTTP/1.1\r\n");
    run_for(&fixture, 150);
    assert_int_equal(fixture.n_requests, 1);
    expect(&fixture, fd, &received, OK, "bbb");
    expect(&fixture, fd, &received, "HTTP/1.1 408 ", "slowly");
    expect_end(&fixture, fd, &received);
    hang_up(fd, &received);
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_answered_together),
        cmocka_unit_test(long_turns_keep_nobody_waiting),
        cmocka_unit_test(work_without_answers_counts),
        cmocka_unit_test(large_answers_do_not_gather),
        cmocka_unit_test(who_has_gone_when_it_leaves),
        cmocka_unit_test(answers_never_wait_for_an_event),
        cmocka_unit_test(nothing_is_left_unwritten),
        cmocka_unit_test(tls_records_leave_in_order),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(who_does_not_read_is_not_served),
        cmocka_unit_test(a_request_begun_goes_on_afterwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
