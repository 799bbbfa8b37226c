/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_stream_test.c - responses that are taken in pieces: how they arrive,
 * end, and fail.
 */
#include "net/http_client_stream_fixture.h"

#include <stdio.h>

/* ---- complete streams ---- */

static void pieces_come_before_the_end(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        struct taken taken = {0};
        begin(&pooled, plain != 0);
        pooled.fake.script = (struct script){FIRST, KEEP_OPEN};
        take(&pooled, options_of(&pooled), 0, &taken);
        await_pieces(&pooled, &taken, "{\"a\":1}\n");
        assert_int_equal(taken.status, 200);
        assert_string_equal(taken.type.data, "application/json");
        speak(&pooled, "9\r\n{\"a\"");
        await_pieces(&pooled, &taken, "{\"a\":1}\n{\"a\"");
        speak(&pooled, ":22}\n\r\n");
        await_pieces(&pooled, &taken, "{\"a\":1}\n{\"a\":22}\n");
        assert_int_equal(taken.asked.n_done, 0);
        speak(&pooled, LAST);
        await(&pooled.fake.loop, &taken.asked);
        expect_answer(&taken.asked, 200, "");
        /* And leave the link to the next call. */
        call(&pooled);
        expect_counts(&pooled, 1, 2);
        finish_taken(&taken);
        end(&pooled);
    }
}

/* Of more bytes than any body may have, one of which is slow. */
static void a_stream_may_be_long(void **state) {
    (void)state;
    struct pooled pooled;
    struct taken taken = {0};
    struct fx_buf answer = {0};
    fx_buf_str(&answer, OK_LINE "Content-Length: 3000000\r\n\r\n");
    fx_buf_fill(&answer, 'x', 2999999);
    begin(&pooled, false);
    pooled.fake.script = (struct script){answer.data, KEEP_OPEN};
    struct fx_http_call_options options = options_of(&pooled);
    options.max_body = 10;
    take(&pooled, options, 0, &taken);
    while (taken.pieces.len < 2999999) {
        iterate(&pooled);
    }
    speak(&pooled, "y");
    await(&pooled.fake.loop, &taken.asked);
    assert_int_equal(taken.pieces.len, 3000000);
    assert_int_equal(strspn(taken.pieces.data, "x"), 2999999);
    expect_answer(&taken.asked, 200, "");
    call(&pooled);
    expect_counts(&pooled, 1, 2);
    finish_taken(&taken);
    fx_buf_finish(&answer);
    end(&pooled);
}

static void a_recorded_watch_comes_byte_by_byte(void **state) {
    (void)state;
    struct pooled pooled;
    struct taken taken = {0};
    struct fx_buf bytes = {0};
    FILE *file = fopen(FX_SOURCE_DIR "/tests/recordings/api/watch-assign.http", "rb");
    assert_non_null(file);
    char *to = fx_buf_reserve(&bytes, 1u << 16);
    assert_non_null(to);
    bytes.len = fread(to, 1, 1u << 16, file);
    assert_int_equal(fclose(file), 0);
    begin(&pooled, true);
    pooled.fake.script = (struct script){NULL, KEEP_OPEN};
    take(&pooled, options_of(&pooled), PATIENCE_MS, &taken);
    await_requests(&pooled, 1);
    for (size_t i = 0; i < bytes.len; i++) {
        fx_stream_write(&pooled.fake.connections->stream,
                        (struct fx_text){bytes.data + i, 1});
        (void)uv_run(&pooled.fake.loop, UV_RUN_NOWAIT);
    }
    await(&pooled.fake.loop, &taken.asked);
    expect_answer(&taken.asked, 200, "");
    assert_int_equal(taken.n_heads, 1);
    assert_true(taken.n_pieces > 100);
    assert_non_null(
        strstr(taken.pieces.data, "\"metadata\":{\"resourceVersion\":\"4011\"}}}"));
    assert_int_equal(taken.pieces.data[taken.pieces.len - 1], '\n');
    finish_taken(&taken);
    fx_buf_finish(&bytes);
    end(&pooled);
}

/* ---- how it ends ---- */

static const struct {
    const char *answer, *pieces;
    const char *failure;  /* NULL: success, */
    enum ending ending;   /* once the pieces are there */
    bool fine_when_plain; /* without close_notify */
} endings[] = {
    {FIRST LAST, "{\"a\":1}\n", NULL, KEEP_OPEN, true},
    {FIRST LAST, "{\"a\":1}\n", NULL, CUT, true},
    {OK_LINE "Content-Length: 2\r\n\r\n{}", "{}", NULL, CUT, true},
    {OK_LINE "Content-Length: 0\r\n\r\n", "", NULL, KEEP_OPEN, true},
    {"HTTP/1.1 204 No Content\r\n\r\n", "", NULL, KEEP_OPEN, true},
    {"HTTP/1.1 100 Continue\r\n\r\n" FIRST LAST, "{\"a\":1}\n", NULL, KEEP_OPEN, true},
    {OK_LINE "\r\n{}", "{}", NULL, CLOSE, true},
    {OK_LINE "\r\n{}", "{}", MIDDLE, CUT, true},
    {OK_LINE "\r\n{}", "{}", "read: connection reset by peer", RESET, false},
    {FIRST, "{\"a\":1}\n", MIDDLE, CLOSE, false},
    {FIRST "5\r\n{\"", "{\"a\":1}\n{\"", MIDDLE, CUT, false},
    {FIRST, "{\"a\":1}\n", "read: connection reset by peer", RESET, false},
    {FIRST "0\r\n", "{\"a\":1}\n", MIDDLE, CLOSE, false},
    {OK_LINE "Content-Length: 3\r\n\r\n{}", "{}", MIDDLE, CLOSE, false},
    {FIRST "x\r\n", "{\"a\":1}\n", "the answer is malformed", KEEP_OPEN, false},
};

static void check_ending(struct pooled *pooled, size_t i, bool plain) {
    struct taken taken = {0};
    pooled->fake.script = (struct script){endings[i].answer, KEEP_OPEN};
    pooled->fake.again = pooled->fake.script;
    take(pooled, options_of(pooled), PATIENCE_MS, &taken);
    await_requests(pooled, i + 1);
    await_pieces(pooled, &taken, endings[i].pieces);
    if (pooled->fake.connections != NULL) {
        end_connection(pooled->fake.connections, endings[i].ending);
    }
    await(&pooled->fake.loop, &taken.asked);
    assert_int_equal(taken.n_heads, 1);
    if (endings[i].failure == NULL || (plain && endings[i].fine_when_plain)) {
        expect_answer(&taken.asked, taken.status, "");
    } else {
        expect_failure(&taken.asked, FX_EIO, endings[i].failure);
        await_open(pooled, 0);
    }
    finish_taken(&taken);
}

static void every_end_is_reported(void **state) {
    (void)state;
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        begin(&pooled, plain != 0);
        for (size_t i = 0; i < FX_COUNT(endings); i++) {
            check_ending(&pooled, i, plain != 0);
        }
        end(&pooled);
    }
}

/* ---- time ---- */

static void the_timeout_ends_with_the_head(void **state) {
    (void)state;
    struct pooled pooled;
    struct taken taken = {0};
    begin(&pooled, true);
    struct fx_http_call_options options = options_of(&pooled);
    options.timeout_ms = 200;
    pooled.fake.script = (struct script){FIRST, KEEP_OPEN};
    take(&pooled, options, 0, &taken);
    await_pieces(&pooled, &taken, "{\"a\":1}\n");
    pass_time(&pooled, 300);
    assert_int_equal(taken.asked.n_done, 0);
    speak(&pooled, LAST);
    await(&pooled.fake.loop, &taken.asked);
    expect_answer(&taken.asked, 200, "");
    finish_taken(&taken);
    /* But not before it, */
    taken = (struct taken){0};
    pooled.fake.again = (struct script){OK_LINE "X: y", KEEP_OPEN};
    options.timeout_ms = 50;
    take(&pooled, options, 0, &taken);
    await(&pooled.fake.loop, &taken.asked);
    expect_failure(&taken.asked, FX_EDEADLINE, "no answer within 50 ms");
    /* and not for a body that is wanted whole. */
    taken = (struct taken){.declines = true};
    pooled.fake.script = (struct script){FIRST, KEEP_OPEN};
    take(&pooled, options, 0, &taken);
    await(&pooled.fake.loop, &taken.asked);
    assert_int_equal(taken.n_heads, 1);
    expect_failure(&taken.asked, FX_EDEADLINE, "no answer within 50 ms");
    finish_taken(&taken);
    end(&pooled);
}

static void silence_is_bounded(void **state) {
    (void)state;
    static const char *const answers[] = {FIRST, CHUNKED, FIRST "5\r\n{"};
    struct pooled pooled;
    for (int plain = 0; plain < 2; plain++) {
        begin(&pooled, plain != 0);
        for (size_t i = 0; i < FX_COUNT(answers); i++) {
            struct taken taken = {0};
            const uint64_t begun = now_ms();
            pooled.fake.script = (struct script){answers[i], KEEP_OPEN};
            take(&pooled, options_of(&pooled), 50, &taken);
            await(&pooled.fake.loop, &taken.asked);
            assert_true(now_ms() - begun >= 50);
            assert_int_equal(taken.n_heads, 1);
            expect_failure(&taken.asked, FX_EDEADLINE, "no byte came for 50 ms");
            await_open(&pooled, 0);
            finish_taken(&taken);
        }
        end(&pooled);
    }
}

/* Framing is a sign of life, too. */
static void any_byte_breaks_the_silence(void **state) {
    (void)state;
    struct pooled pooled;
    struct taken taken = {0};
    begin(&pooled, true);
    pooled.fake.script = (struct script){CHUNKED "1;", KEEP_OPEN};
    take(&pooled, options_of(&pooled), 300, &taken);
    await_requests(&pooled, 1);
    for (int i = 0; i < 20; i++) {
        pass_time(&pooled, 30);
        speak(&pooled, "x");
    }
    assert_int_equal(taken.asked.n_done, 0);
    /* And what waits at a loop that did not run. */
    speak(&pooled, "\r\na\r\n");
    uv_sleep(400);
    await_pieces(&pooled, &taken, "a");
    speak(&pooled, LAST);
    await(&pooled.fake.loop, &taken.asked);
    expect_answer(&taken.asked, 200, "");
    finish_taken(&taken);
    end(&pooled);
}

/* ---- declined ---- */

#define STATUS_410                                                              \
    "HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\nRetry-After: 7\r\n" \
    "Content-Length: 12\r\n\r\n{\"code\":410}"

static void what_is_declined_comes_as_a_whole(void **state) {
    (void)state;
    struct pooled pooled;
    struct taken taken = {.declines = true};
    begin(&pooled, false);
    pooled.fake.script = (struct script){STATUS_410, KEEP_OPEN};
    pooled.fake.again = pooled.fake.script;
    take(&pooled, options_of(&pooled), 1, &taken);
    await(&pooled.fake.loop, &taken.asked);
    assert_int_equal(taken.n_heads, 1);
    assert_int_equal(taken.n_pieces, 0);
    expect_answer(&taken.asked, 410, "{\"code\":410}");
    finish_taken(&taken);
    taken = (struct taken){.declines = true};
    struct fx_http_call_options options = options_of(&pooled);
    options.max_body = 11;
    take(&pooled, options, 1, &taken);
    await(&pooled.fake.loop, &taken.asked);
    expect_failure(&taken.asked, FX_ELIMIT, "the answer is larger than 11 bytes");
    expect_counts(&pooled, 1, 2);
    finish_taken(&taken);
    end(&pooled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_before_the_end),
        cmocka_unit_test(a_stream_may_be_long),
        cmocka_unit_test(a_recorded_watch_comes_byte_by_byte),
        cmocka_unit_test(every_end_is_reported),
        cmocka_unit_test(the_timeout_ends_with_the_head),
        cmocka_unit_test(silence_is_bounded),
        cmocka_unit_test(any_byte_breaks_the_silence),
        cmocka_unit_test(what_is_declined_comes_as_a_whole),
    };
    return cmocka_run_group_tests(tests, make_configs, drop_configs);
}
