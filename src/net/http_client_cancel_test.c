/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_cancel_test.c - what a callback of a sink may do: cancel its own call
 * or others, and start calls.
 */
#include "net/http_client_stream_fixture.h"

/* Several pieces in one read: the second must not come when the first was enough. */
#define MANY_PIECES CHUNKED "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n" LAST

static void cancel_and_see(struct pooled *pooled, struct taken taken) {
    take(pooled, options_of(pooled), PATIENCE_MS, &taken);
    const unsigned n_wanted = taken.cancels_at_piece;
    while (taken.asked.call != NULL) {
        iterate(pooled);
    }
    await_open(pooled, 0);
    assert_int_equal(taken.asked.n_done, 0);
    assert_int_equal(taken.n_heads, 1);
    assert_int_equal(taken.n_pieces, n_wanted);
    assert_string_equal(taken.type.data, "application/json");
    finish_taken(&taken);
}

static void a_call_may_be_given_up_by_its_sink(void **state) {
    (void)state;
    static const char *const answers[] = {MANY_PIECES, MANY_PIECES "behind it",
                                          CHUNKED "1\r\na\r\n1\r\nb\r\n1\r\nc\r\nx\r\n",
                                          OK_LINE
                                          "Content-Type: application/json\r\n\r\nabc"};
    for (int plain = 0; plain < 2; plain++) {
        for (size_t i = 0; i < FX_COUNT(answers); i++) {
            struct pooled pooled;
            begin(&pooled, plain != 0);
            pooled.fake.script =
                (struct script){answers[i], i % 2 == 0 ? KEEP_OPEN : CLOSE};
            cancel_and_see(&pooled, (struct taken){.cancels_at_head = true});
            cancel_and_see(&pooled,
                           (struct taken){.cancels_at_head = true, .declines = true});
            cancel_and_see(&pooled, (struct taken){.cancels_at_piece = 1});
            if (i < 3) {
                cancel_and_see(&pooled, (struct taken){.cancels_at_piece = 2});
                cancel_and_see(&pooled, (struct taken){.cancels_at_piece = 3});
            }
            end(&pooled);
        }
    }
}

/* Without a pool, too, where the buffers are the call's own. */
static void a_call_without_a_pool_may_be_given_up(void **state) {
    (void)state;
    struct pooled pooled;
    begin(&pooled, false);
    pooled.fake.script = (struct script){MANY_PIECES, KEEP_OPEN};
    for (unsigned at = 0; at <= 3; at++) {
        struct taken taken = {.cancels_at_head = at == 0, .cancels_at_piece = at};
        struct fx_http_call_options options = options_of(&pooled);
        options.pool = NULL;
        take(&pooled, options, 0, &taken);
        while (taken.asked.call != NULL) {
            iterate(&pooled);
        }
        await_open(&pooled, 0);
        assert_int_equal(taken.n_pieces, at);
        assert_int_equal(taken.asked.n_done, 0);
        finish_taken(&taken);
    }
    end(&pooled);
}

/* ---- others ---- */

struct pair {
    struct taken taken; /* first: the `user` of its sink */
    struct taken other;
    struct pooled pooled;
};

static void begin_other(void *user) {
    struct pair *pair = user;
    if (pair->taken.n_pieces == 1) {
        ask_actor(&pair->pooled.fake, URL, options_of(&pair->pooled), &pair->other.asked);
    }
}

static void a_sink_may_begin_another_call(void **state) {
    (void)state;
    struct pair pair = {.taken.at_piece = begin_other};
    struct pooled *pooled = &pair.pooled;
    begin(pooled, false);
    call_many(pooled, URL, 2); /* leaves two links */
    pooled->fake.script = (struct script){MANY_PIECES, KEEP_OPEN};
    pooled->fake.again = pooled->fake.script;
    take(pooled, options_of(pooled), 0, &pair.taken);
    await(&pooled->fake.loop, &pair.taken.asked);
    await(&pooled->fake.loop, &pair.other.asked);
    expect_answer(&pair.taken.asked, 200, "");
    expect_answer(&pair.other.asked, 200, "abc");
    assert_string_equal(pair.taken.pieces.data, "abc");
    finish_taken(&pair.taken);
    expect_counts(pooled, 2, 4);
    end(pooled);
}

static void cancel_other(void *user) {
    struct pair *pair = user;
    if (pair->taken.n_pieces == 1) {
        cancel_taken(&pair->other);
    }
}

static void a_sink_may_give_up_another_call(void **state) {
    (void)state;
    struct pair pair = {.taken.at_piece = cancel_other};
    struct pooled *pooled = &pair.pooled;
    begin(pooled, false);
    pooled->fake.script = (struct script){CHUNKED "1\r\na\r\n", KEEP_OPEN};
    take(pooled, options_of(pooled), 0, &pair.other);
    await_pieces(pooled, &pair.other, "a");
    pooled->fake.script = (struct script){MANY_PIECES, KEEP_OPEN};
    take(pooled, options_of(pooled), 0, &pair.taken);
    await(&pooled->fake.loop, &pair.taken.asked);
    expect_answer(&pair.taken.asked, 200, "");
    assert_int_equal(pair.other.asked.n_done, 0);
    await_open(pooled, 1);
    finish_taken(&pair.taken);
    finish_taken(&pair.other);
    end(pooled);
}

/* ---- between the calls of a sink ---- */

static void a_stream_can_be_given_up_at_any_time(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        begin(&pooled, plain != 0);
        pooled.fake.script = (struct script){CHUNKED "1\r\na\r\n1\r\nb\r\n", KEEP_OPEN};
        for (int iterations = 0; iterations < 20; iterations++) {
            struct taken taken = {0};
            take(&pooled, options_of(&pooled), 1, &taken);
            for (int i = 0; i < iterations && taken.asked.n_done == 0; i++) {
                iterate(&pooled);
            }
            if (taken.asked.n_done == 0) {
                cancel_taken(&taken);
            }
            await_open(&pooled, 0);
            finish_taken(&taken);
        }
        end(&pooled);
    }
}

/* A pool may be closed during a stream: the stream continues, and its connection is
 * closed afterwards. */
static void a_stream_outlives_its_pool(void **state) {
    (void)state;
    struct pooled pooled;
    struct taken taken = {0};
    begin(&pooled, false);
    pooled.fake.script = (struct script){FIRST, KEEP_OPEN};
    take(&pooled, options_of(&pooled), 0, &taken);
    await_pieces(&pooled, &taken, "{\"a\":1}\n");
    fx_http_pool_close(pooled.pool);
    pooled.pool = NULL;
    speak(&pooled, "1\r\nb\r\n" LAST);
    await(&pooled.fake.loop, &taken.asked);
    expect_answer(&taken.asked, 200, "");
    assert_string_equal(taken.pieces.data, "{\"a\":1}\nb");
    await_open(&pooled, 0);
    finish_taken(&taken);
    end(&pooled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_may_be_given_up_by_its_sink),
        cmocka_unit_test(a_call_without_a_pool_may_be_given_up),
        cmocka_unit_test(a_sink_may_begin_another_call),
        cmocka_unit_test(a_sink_may_give_up_another_call),
        cmocka_unit_test(a_stream_can_be_given_up_at_any_time),
        cmocka_unit_test(a_stream_outlives_its_pool),
    };
    return cmocka_run_group_tests(tests, make_configs, drop_configs);
}
