/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_response_stream_test.c - streamed bodies: recordings of a real API server,
 * split and cut anywhere; endless streams, valid and hostile.
 */
#include "net/http_response_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "net/http_head.h"

#define RECORDINGS FX_SOURCE_DIR "/tests/recordings/api/"
#define CHUNKED    OK_LINE "Transfer-Encoding: chunked\r\n\r\n"
#define X32        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* ---- recordings ---- */

static const struct {
    const char *name;
    unsigned status;
    const char *content_type, *in_body;
} recordings[] = {
    {"watch-assign.http", 200, "application/json", "\"type\":\"BOOKMARK\""},
    {"list-assign.http", 200, "application/json", "\"kind\": \"AssignList\""},
    {"watch-assign-too-old.http", 200, "application/json", "\"code\":410"},
    {"watch-error-500-in-stream.http", 200, "application/json", "\"code\":500"},
    {"404-unknown-resource.http", 404, "text/plain; charset=utf-8", "404 page not found"},
};

struct recording {
    struct fx_buf bytes;
    size_t head_bytes;
    struct fx_buf body; /* without its framing */
};

static void read_file(const char *name, struct fx_buf *bytes) {
    char path[sizeof RECORDINGS + 64];
    (void)snprintf(path, sizeof path, RECORDINGS "%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *to = fx_buf_reserve(bytes, 1u << 16);
    assert_non_null(to);
    bytes->len = fread(to, 1, 1u << 16, file);
    to[bytes->len] = '\0';
    assert_int_equal(fclose(file), 0);
}

/* A minimal reader of chunks, for valid input. */
static void join_chunks(const char *at, struct fx_buf *body) {
    for (;;) {
        char *after = NULL;
        const size_t size = strtoul(at, &after, 16);
        if (size == 0) {
            return;
        }
        fx_buf_add(body, after + 2, size);
        at = after + 2 + size + 2;
    }
}

static void load(struct recording *recording, const char *name) {
    *recording = (struct recording){0};
    read_file(name, &recording->bytes);
    const char *bytes = recording->bytes.data;
    const char *body = strstr(bytes, "\r\n\r\n");
    assert_non_null(body);
    body += 4;
    recording->head_bytes = (size_t)(body - bytes);
    if (strstr(bytes, "Transfer-Encoding: chunked") != NULL) {
        join_chunks(body, &recording->body);
    } else {
        fx_buf_str(&recording->body, body);
    }
}

static void unload(struct recording *recording) {
    fx_buf_finish(&recording->bytes);
    fx_buf_finish(&recording->body);
}

/* Read in parts of `part` bytes, or whole behind the first of them. */
static void check_recording(const struct recording *recording, size_t i, size_t part,
                            bool once) {
    struct fx_err err = FX_ERR_INIT;
    struct parsed parsed = {0};
    struct fx_http_response *response = fx_http_response_create(MAX_HEAD, 1, false);
    assert_non_null(response);
    struct fx_text rest = fx_buf_view(&recording->bytes);
    enum fx_http_response_event event = FX_HTTP_RESPONSE_MORE;
    while (event == FX_HTTP_RESPONSE_MORE && rest.len > 0) {
        const size_t len = part < rest.len ? part : rest.len;
        event =
            feed_part(response, (struct fx_text){rest.data, len}, STREAM, &parsed, &err);
        rest.data += len;
        rest.len -= len;
        part = once ? rest.len : part;
    }
    assert_int_equal(event, FX_HTTP_RESPONSE_WHOLE);
    assert_int_equal(rest.len, 0);
    assert_int_equal(parsed.n_heads, 1);
    assert_int_equal(parsed.status, recordings[i].status);
    assert_int_equal(parsed.pieces.len, recording->body.len);
    assert_memory_equal(parsed.pieces.data, recording->body.data, parsed.pieces.len);
    assert_true(fx_http_response_persists(response));
    assert_true(fx_text_is(
        fx_http_head_field(fx_http_response_head(response), "content-type", NULL),
        recordings[i].content_type));
    fx_buf_finish(&parsed.pieces);
    fx_http_response_destroy(response);
}

static void recordings_may_be_split_anywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(recordings); i++) {
        struct recording recording;
        load(&recording, recordings[i].name);
        assert_non_null(strstr(recording.body.data, recordings[i].in_body));
        for (size_t at = 1; at <= recording.bytes.len; at++) {
            check_recording(&recording, i, at, true);
        }
        for (size_t part = 1; part <= 100; part++) {
            check_recording(&recording, i, part, false);
        }
        unload(&recording);
    }
}

/* The bytes before it were correct, and the body is reported as incomplete. */
static void check_cut(const struct recording *recording, size_t at, bool cut) {
    struct fx_err err = FX_ERR_INIT;
    struct parsed parsed;
    struct fx_http_response *response = fx_http_response_create(MAX_HEAD, 1, false);
    assert_non_null(response);
    const struct fx_text part = {recording->bytes.data, at};
    assert_int_equal(
        read_split(response, part, at + 1, STREAM | (cut ? CUT : 0), &parsed, &err),
        FX_HTTP_RESPONSE_BAD);
    assert_int_equal(err.code, FX_EIO);
    assert_int_equal(parsed.n_heads, at < recording->head_bytes ? 0 : 1);
    assert_true(parsed.pieces.len <= recording->body.len);
    assert_true(parsed.pieces.len + recording->head_bytes <= at ||
                parsed.pieces.len == 0);
    if (parsed.pieces.len > 0) {
        assert_memory_equal(parsed.pieces.data, recording->body.data, parsed.pieces.len);
    }
    fx_buf_finish(&parsed.pieces);
    fx_http_response_destroy(response);
}

static void recordings_may_be_cut_anywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(recordings); i++) {
        struct recording recording;
        load(&recording, recordings[i].name);
        for (size_t at = 0; at < recording.bytes.len; at++) {
            check_cut(&recording, at, at % 2 == 0);
        }
        unload(&recording);
    }
}

/* ---- without end ---- */

static const struct {
    const char *begin, *again;
} healthy[] = {
    {CHUNKED, "1\r\na\r\n"},
    {CHUNKED, "0000000000000001\r\na\r\n"},
    {CHUNKED, "2;x=y\r\n{}\r\n"},
    {CHUNKED "10000000\r\n", X32},
    {OK_LINE "\r\n", X32},
    {OK_LINE "Content-Length: 18446744073709551615\r\n\r\n", X32},
};

static void a_stream_needs_no_end(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(healthy); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct parsed parsed;
        assert_int_equal(flood(healthy[i].begin, healthy[i].again, STREAM, &parsed, &err),
                         FX_HTTP_RESPONSE_MORE);
        assert_true(parsed.pieces.len >= 1000);
        fx_buf_finish(&parsed.pieces);
    }
}

#define FRAMING "the answer's framing is larger than 1024 bytes"

static const struct {
    const char *begin, *again, *message;
} hostile[] = {
    {"", "HTTP/1.1 100 Continue\r\n\r\n", "the answer's head is larger than 1024 bytes"},
    {CHUNKED, "1;x=" X32 "\r\na\r\n", FRAMING},
    {CHUNKED, "0000000000000000000000000000001\r\na\r\n", FRAMING},
    {CHUNKED "1;", "xxxxxxxx", FRAMING},
    {CHUNKED "0", "00000000", FRAMING},
    {CHUNKED "0\r\n", "Trailer: 1\r\n", FRAMING},
    /* A long body gives no right to it later. */
    {CHUNKED "80\r\n" X32 X32 X32 X32 "\r\n1;", "xxxxxxxx", FRAMING},
};

static void but_its_framing_does(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(hostile); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct parsed parsed;
        assert_int_equal(flood(hostile[i].begin, hostile[i].again, STREAM, &parsed, &err),
                         FX_HTTP_RESPONSE_BAD);
        assert_int_equal(err.code, FX_ELIMIT);
        assert_string_equal(err.msg, hostile[i].message);
        fx_buf_finish(&parsed.pieces);
    }
}

/* A chunk whose size line has so many bytes of extension. */
static enum fx_http_response_event read_extension(size_t bytes, size_t part,
                                                  struct fx_err *err) {
    struct parsed parsed;
    struct fx_buf all = {0};
    struct fx_http_response *response =
        fx_http_response_create(MAX_HEAD, MAX_BODY, false);
    assert_non_null(response);
    fx_buf_str(&all, CHUNKED "1\r\na\r\n1;");
    fx_buf_fill(&all, 'x', bytes);
    fx_buf_str(&all, "\r\nb\r\n0\r\n\r\n");
    const enum fx_http_response_event event =
        read_split(response, fx_buf_view(&all), part, STREAM, &parsed, err);
    /* What came before it was given out, however it came. */
    assert_true(fx_text_is(fx_buf_view(&parsed.pieces),
                           event == FX_HTTP_RESPONSE_WHOLE ? "ab" : "a"));
    fx_buf_finish(&parsed.pieces);
    fx_buf_finish(&all);
    fx_http_response_destroy(response);
    return event;
}

static void the_bound_of_framing_is_exact(void **state) {
    (void)state;
    const size_t around = strlen("\r\n") + strlen("1;") + strlen("\r\n");
    for (size_t part = 1; part < 1200; part += 7) {
        struct fx_err err = FX_ERR_INIT;
        assert_int_equal(read_extension(MAX_HEAD - around, part, &err),
                         FX_HTTP_RESPONSE_WHOLE);
        assert_int_equal(read_extension(MAX_HEAD - around + 1, part, &err),
                         FX_HTTP_RESPONSE_BAD);
        assert_string_equal(err.msg, FRAMING);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_may_be_split_anywhere),
        cmocka_unit_test(recordings_may_be_cut_anywhere),
        cmocka_unit_test(a_stream_needs_no_end),
        cmocka_unit_test(but_its_framing_does),
        cmocka_unit_test(the_bound_of_framing_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
