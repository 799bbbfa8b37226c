/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_pool_fixture.h - for the tests of the pool: an fake, a pool on its loop, and
 * calls of both.
 */
#ifndef FX_NET_HTTP_POOL_FIXTURE_H
#define FX_NET_HTTP_POOL_FIXTURE_H

#include "net/http_client_fixture.h"

#include "net/http_client_connection.h"

#define ANSWER  OK_LINE "Content-Length: 2\r\n\r\n{}"
#define URL     "https://127.0.0.1:PORT/"
#define MIDDLE  "the connection ended in the middle of the answer"
#define NOTHING "the connection ended without an answer"

struct pooled {
    struct fake_server fake;
    struct fx_http_pool *pool; /* NULL: closed by the test */
    struct fx_tls_config *tls;
};

/* Answers every request and keeps its connections. */
static inline void begin_with(struct pooled *pooled, bool plain,
                              struct fx_http_pool_options options) {
    struct fx_err err = FX_ERR_INIT;
    fake_server_start(&pooled->fake, plain ? NULL : server_tls);
    pooled->fake.script = (struct script){ANSWER, KEEP_OPEN};
    pooled->fake.again = pooled->fake.script;
    pooled->tls = plain ? NULL : client_tls(&trust, "localhost", NULL, NULL);
    pooled->pool = fx_http_pool_create(&pooled->fake.loop, &options, &err);
    assert_non_null(pooled->pool);
}

static inline void begin(struct pooled *pooled, bool plain) {
    begin_with(pooled, plain, (struct fx_http_pool_options){0});
}

static inline void end(struct pooled *pooled) {
    fx_http_pool_close(pooled->pool);
    fx_tls_config_unref(pooled->tls);
    fake_server_finish(&pooled->fake);
}

static inline struct fx_http_call_options options_of(const struct pooled *pooled) {
    struct fx_http_call_options options = posting(NULL, pooled->tls, FX_TEXT("{}"));
    options.pool = pooled->pool;
    options.repeatable = true;
    return options;
}

static inline void ask_pooled(struct pooled *pooled, struct asked *asked) {
    ask_actor(&pooled->fake, URL, options_of(pooled), asked);
}

/* A call from its beginning to its answer. */
static inline void call_at(struct pooled *pooled, const char *format) {
    struct asked asked;
    ask_actor(&pooled->fake, format, options_of(pooled), &asked);
    await(&pooled->fake.loop, &asked);
    expect_answer(&asked, 200, "{}");
}

static inline void call(struct pooled *pooled) {
    call_at(pooled, URL);
}

static inline void call_many(struct pooled *pooled, const char *format, size_t n) {
    static struct asked asked[MANY];
    assert_true(n <= MANY);
    for (size_t i = 0; i < n; i++) {
        ask_actor(&pooled->fake, format, options_of(pooled), &asked[i]);
    }
    for (size_t i = 0; i < n; i++) {
        await(&pooled->fake.loop, &asked[i]);
        expect_answer(&asked[i], 200, "{}");
    }
}

static inline void iterate(struct pooled *pooled) {
    if (uv_run(&pooled->fake.loop, UV_RUN_NOWAIT) != 0) {
        uv_sleep(1);
    }
}

/* Until so many connections are open at the server, and a little longer. */
static inline void await_open(struct pooled *pooled, size_t n) {
    for (const uint64_t until = now_ms() + PATIENCE_MS;
         pooled->fake.n_open != n && now_ms() < until;) {
        iterate(pooled);
    }
    for (int i = 0; i < 10; i++) {
        iterate(pooled);
    }
    assert_int_equal(pooled->fake.n_open, n);
}

static inline void await_requests(struct pooled *pooled, size_t n) {
    for (const uint64_t until = now_ms() + PATIENCE_MS;
         pooled->fake.n_requests < n && now_ms() < until;) {
        iterate(pooled);
    }
    assert_int_equal(pooled->fake.n_requests, n);
}

static inline void expect_counts(const struct pooled *pooled, size_t n_accepted,
                                 size_t n_requests) {
    assert_int_equal(pooled->fake.n_accepted, n_accepted);
    assert_int_equal(pooled->fake.n_requests, n_requests);
}

#endif
