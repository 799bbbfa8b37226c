/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_response_test.c - responses in every split, and those that are rejected.
 */
#include "net/http_response_fixture.h"

static const struct {
    const char *bytes;
    int flags;
    unsigned status;  /* 0: refused, */
    const char *body; /* with this message */
} cases[] = {
    /* The ways to say the length. */
    {OK_LINE "Content-Length: 2\r\n\r\n{}", 0, 200, "{}"},
    {OK_LINE "Content-Length: 2\r\n\r\n{}", CUT, 200, "{}"},
    {OK_LINE "Content-Length: 0\r\n\r\n", 0, 200, ""},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2;x=y\r\nbc\r\n0\r\n\r\n", CUT,
     200, "abc"},
    {OK_LINE "Transfer-Encoding: Chunked\r\n\r\n1\r\na\r\n0\r\nTrailer: 1\r\n\r\n", 0,
     200, "a"},
    {OK_LINE "Connection: close\r\n\r\nall of it", 0, 200, "all of it"},
    {OK_LINE "\r\n", 0, 200, ""},
    {"HTTP/1.0 200 OK\r\n\r\nold", 0, 200, "old"},
    {OK_LINE "Content-Length: 2\r\nConnection: keep-alive\r\n\r\n{}HTTP/1.1 500 No\r\n",
     0, 200, "{}"},
    /* No body, whatever is said. */
    {"HTTP/1.1 204 No Content\r\n\r\n", CUT, 204, ""},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", CUT, 304, ""},
    {OK_LINE "Content-Length: 9999\r\n\r\n", TO_HEAD | CUT, 200, ""},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n", TO_HEAD | CUT, 200, ""},
    {OK_LINE "\r\n", TO_HEAD | CUT, 200, ""},
    /* Any status, any phrase. */
    {"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 1\r\n\r\nx", 0, 500, "x"},
    {"HTTP/1.1 299 \r\nContent-Length: 1\r\n\r\nx", 0, 299, "x"},
    {"HTTP/1.1 404 nicht da: \xc3\xa4\r\nContent-Length: 1\r\n\r\nx", 0, 404, "x"},
    {"HTTP/1.1 426 Upgrade\r\nUpgrade: h2c\r\nConnection: upgrade\r\n"
     "Content-Length: 1\r\n\r\nx",
     0, 426, "x"},
    /* Interim ones are skipped. */
    {"HTTP/1.1 100 Continue\r\n\r\n" OK_LINE "Content-Length: 1\r\n\r\nx", 0, 200, "x"},
    {"HTTP/1.1 103 Early Hints\r\nLink: x\r\nConnection: close\r\n\r\n"
     "HTTP/1.1 102 Processing\r\nContent-Length: 5\r\n\r\n" OK_LINE
     "Content-Length: 1\r\n\r\nx",
     0, 200, "x"},
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", 0,
     0, "the answer goes on in another protocol"},
    {"HTTP/1.1 100 Continue\r\n\r\n", 0, 0, "the connection ended without an answer"},
    /* Another protocol of the same form. */
    {"RTSP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 0, 0, "the answer is malformed"},
    /* Half answers. */
    {"", 0, 0, "the connection ended without an answer"},
    {"H", 0, 0, "the connection ended in the middle of the answer"},
    {OK_LINE, 0, 0, "the connection ended in the middle of the answer"},
    {OK_LINE "Content-Length: 3\r\n\r\n{}", 0, 0,
     "the connection ended in the middle of the answer"},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", 0, 0,
     "the connection ended in the middle of the answer"},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n0\r\n", 0, 0,
     "the connection ended in the middle of the answer"},
    {OK_LINE "\r\nall of it?", CUT, 0,
     "the connection ended in the middle of the answer"},
    /* Too large. */
    {OK_LINE "Content-Length: 65\r\n\r\n", FULL, 0, "the answer is larger than 64 bytes"},
    {OK_LINE "Content-Length: 18446744073709551615\r\n\r\n", FULL, 0,
     "the answer is larger than 64 bytes"},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n41\r\n"
             "12345678901234567890123456789012345678901234567890123456789012345",
     FULL, 0, "the answer is larger than 64 bytes"},
    {OK_LINE "\r\n12345678901234567890123456789012345678901234567890123456789012345",
     FULL, 0, "the answer is larger than 64 bytes"},
    {OK_LINE "\r\n1234567890123456789012345678901234567890123456789012345678901234", 0,
     200, "1234567890123456789012345678901234567890123456789012345678901234"},
    /* Framing on which two readers could differ. */
    {OK_LINE "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 0, 0, NULL},
    {OK_LINE "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 0, 0, NULL},
    {OK_LINE "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 0, 0, NULL},
    {OK_LINE "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", 0, 0, NULL},
    {OK_LINE "Content-Length: 1, 1\r\n\r\nx", 0, 0, NULL},
    {OK_LINE "Content-Length: -1\r\n\r\n", 0, 0, NULL},
    {OK_LINE "Content-Length: 0x1\r\n\r\nx", 0, 0, NULL},
    {OK_LINE "Content-Length: 18446744073709551616\r\n\r\n", 0, 0, NULL},
    {OK_LINE "Transfer-Encoding: gzip, chunked\r\n\r\n", 0, 0, NULL},
    {OK_LINE "Transfer-Encoding: gzip\r\n\r\n", 0, 0, NULL},
    {OK_LINE "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 0, 0,
     NULL},
    {"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0, 0, NULL},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\nx\r\n", 0, 0, NULL},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n-1\r\n", 0, 0, NULL},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\n", 0, 0, NULL},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", 0, 0, NULL},
    {OK_LINE "A: b\r\n c\r\n\r\n", 0, 0, NULL},
    {OK_LINE "A : b\r\n\r\n", 0, 0, NULL},
    {OK_LINE "A: b\n\r\n", 0, 0, NULL},
    {OK_LINE "A: b\rC: d\r\n\r\n", 0, 0, NULL},
    {OK_LINE "A: \x01\r\n\r\n", 0, 0, NULL},
    {OK_LINE ": b\r\n\r\n", 0, 0, NULL},
    {"HTTP/1.1 200 OK\n\n", 0, 0, NULL},
    {"\r\n" OK_LINE "\r\n", 0, 0, NULL},
    /* No HTTP. */
    {"HTTP/2.0 200 OK\r\n\r\n", 0, 0, NULL},
    {"HTTP/1.2 200 OK\r\n\r\n", 0, 0, NULL},
    {"HTTP/0.9 200 OK\r\n\r\n", 0, 0, NULL},
    {"HTTP/1.1 20 OK\r\n\r\n", 0, 0, NULL},
    {"HTTP/1.1 2000 OK\r\n\r\n", 0, 0, NULL},
    {"HTTP/1.1 099 OK\r\n\r\n", 0, 0, NULL},
    {"HTTP/1.1 abc OK\r\n\r\n", 0, 0, NULL},
    {"SSH-2.0-OpenSSH_9.2\r\n", 0, 0, NULL},
    {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 0, 0, NULL},
    {"\x15\x03\x01\x02\x02\x16", 0, 0, NULL},
    {"{\"kind\":\"ProviderResponse\"}", 0, 0, NULL},
};

static void check_whole(const struct fx_http_response *response,
                        const struct parsed *parsed, size_t i, int flags) {
    const struct fx_text pieces = fx_buf_view(&parsed->pieces);
    const struct fx_text body = fx_http_response_body(response);
    const bool streamed = (flags & STREAM) != 0;
    assert_int_equal(fx_http_response_status(response), cases[i].status);
    assert_int_equal(parsed->status, cases[i].status);
    assert_int_equal(parsed->n_heads, 1);
    assert_true(fx_text_is(streamed ? pieces : body, cases[i].body));
    assert_int_equal(streamed ? body.len : pieces.len, 0);
}

static void check_case(size_t i, size_t piece, int more_flags) {
    struct fx_err err = FX_ERR_INIT;
    struct parsed parsed;
    const int flags = cases[i].flags | more_flags;
    struct fx_http_response *response =
        fx_http_response_create(MAX_HEAD, MAX_BODY, (flags & TO_HEAD) != 0);
    assert_non_null(response);
    const enum fx_http_response_event event =
        read_split(response, fx_text_of(cases[i].bytes), piece, flags, &parsed, &err);
    if ((event == FX_HTTP_RESPONSE_WHOLE) != (cases[i].status != 0)) {
        fail_msg("in pieces of %zu, `%s`: %s", piece, cases[i].bytes, err.msg);
    }
    if (event == FX_HTTP_RESPONSE_WHOLE) {
        check_whole(response, &parsed, i, flags);
    } else {
        assert_int_not_equal(err.code, FX_OK);
        if (cases[i].body != NULL) {
            assert_string_equal(err.msg, cases[i].body);
        }
    }
    fx_buf_finish(&parsed.pieces);
    fx_http_response_destroy(response);
}

static void responses_are_read_in_every_split(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const size_t len = strlen(cases[i].bytes);
        for (size_t piece = 1; piece <= len + 1; piece++) {
            check_case(i, piece, 0);
            if ((cases[i].flags & FULL) == 0) {
                check_case(i, piece, STREAM);
            }
        }
    }
}

static const struct {
    const char *bytes;
    bool to_head, persists;
} connections[] = {
    {OK_LINE "Content-Length: 2\r\n\r\n{}", false, true},
    {OK_LINE "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", false, true},
    {"HTTP/1.1 204 No Content\r\n\r\n", false, true},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", false, true},
    {"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", false, true},
    {OK_LINE "\r\n", true, true},
    {OK_LINE "Connection: keep-alive\r\nContent-Length: 0\r\n\r\n", false, true},
    {OK_LINE "Connection: close\r\nContent-Length: 0\r\n\r\n", false, false},
    {OK_LINE "connection: CLOSE\r\nContent-Length: 0\r\n\r\n", false, false},
    {OK_LINE "Connection: keep-alive, close\r\nContent-Length: 0\r\n\r\n", false, false},
    {OK_LINE "Connection: keep-alive\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
     false, false},
    {OK_LINE "Connection: close\r\n\r\n", true, false},
    {"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", false, false},
    {"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false, false},
    {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", false,
     false},
    {OK_LINE "\r\n{}", false, false},
    /* What comes behind it would be read as the next one. */
    {OK_LINE "Content-Length: 2\r\n\r\n{}\n", false, false},
    {OK_LINE "Content-Length: 0\r\n\r\n" OK_LINE "Content-Length: 0\r\n\r\n", false,
     false},
    {"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}", false, false},
};

static void check_connection(size_t i, int flags) {
    struct fx_err err = FX_ERR_INIT;
    struct parsed parsed;
    const struct fx_text all = fx_text_of(connections[i].bytes);
    struct fx_http_response *response =
        fx_http_response_create(MAX_HEAD, MAX_BODY, connections[i].to_head);
    assert_non_null(response);
    assert_int_equal(read_split(response, all, all.len, flags, &parsed, &err),
                     FX_HTTP_RESPONSE_WHOLE);
    if (fx_http_response_persists(response) != connections[i].persists) {
        fail_msg("`%s`", connections[i].bytes);
    }
    fx_buf_finish(&parsed.pieces);
    fx_http_response_destroy(response);
}

static void connections_persist_after_what_is_in_order(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(connections); i++) {
        check_connection(i, 0);
        check_connection(i, STREAM);
    }
}

/* `head` bytes of head in all, in how many responses? */
static enum fx_http_response_event read_long(size_t head, bool interim,
                                             struct fx_err *err) {
    struct fx_buf bytes = {0};
    struct parsed parsed;
    struct fx_http_response *response =
        fx_http_response_create(MAX_HEAD, MAX_BODY, false);
    assert_non_null(response);
    if (interim) {
        fx_buf_str(&bytes, "HTTP/1.1 100 Continue\r\n\r\n");
    }
    fx_buf_str(&bytes, OK_LINE "Content-Length: 1\r\nA: ");
    fx_buf_fill(&bytes, 'a', head - bytes.len - 4);
    fx_buf_str(&bytes, "\r\n\r\nx");
    const enum fx_http_response_event event =
        read_split(response, fx_buf_view(&bytes), 100, 0, &parsed, err);
    fx_http_response_destroy(response);
    fx_buf_finish(&bytes);
    return event;
}

static void heads_are_bounded_together(void **state) {
    (void)state;
    for (int interim = 0; interim < 2; interim++) {
        struct fx_err err = FX_ERR_INIT;
        assert_int_equal(read_long(MAX_HEAD, interim != 0, &err), FX_HTTP_RESPONSE_WHOLE);
        assert_int_equal(read_long(MAX_HEAD + 1, interim != 0, &err),
                         FX_HTTP_RESPONSE_BAD);
        assert_int_equal(err.code, FX_ELIMIT);
        assert_string_equal(err.msg, "the answer's head is larger than 1024 bytes");
    }
}

static void endless_responses_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *begin, *again;
    } floods[] = {
        {"", "HTTP/1.1 100 Continue\r\n\r\n"},
        {OK_LINE "Transfer-Encoding: chunked\r\n\r\n", "1;x=yyyyyyyyyyyyyyyy\r\na\r\n"},
        {OK_LINE "Transfer-Encoding: chunked\r\n\r\n0\r\n", "Trailer: 1\r\n"},
        {OK_LINE "Transfer-Encoding: chunked\r\n\r\n1;", "xxxxxxxx"},
    };
    for (size_t i = 0; i < FX_COUNT(floods); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct parsed parsed;
        assert_int_equal(flood(floods[i].begin, floods[i].again, 0, &parsed, &err),
                         FX_HTTP_RESPONSE_BAD);
        assert_int_equal(err.code, FX_ELIMIT);
        fx_buf_finish(&parsed.pieces);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses_are_read_in_every_split),
        cmocka_unit_test(connections_persist_after_what_is_in_order),
        cmocka_unit_test(heads_are_bounded_together),
        cmocka_unit_test(endless_responses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
