/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_parse_test.c - requests out of bytes: whole, split, hostile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "net/http_head.h"
#include "net/http_parse.h"

#define MAX_HEADER 300
#define MAX_BODY   64

/* Feeds the bytes in pieces of `size`; returns the last event, `ret_used` in all. */
static enum fx_http_event feed(struct fx_http_parse *parse, struct fx_text bytes,
                               size_t size, size_t *ret_used) {
    enum fx_http_event event = FX_HTTP_MORE;
    *ret_used = 0;
    while (*ret_used < bytes.len &&
           (event == FX_HTTP_MORE || event == FX_HTTP_CONTINUE)) {
        const size_t left = bytes.len - *ret_used;
        size_t used = 0;
        event = fx_http_parse_feed(
            parse, (struct fx_text){bytes.data + *ret_used, left < size ? left : size},
            &used);
        *ret_used += used;
    }
    return event;
}

struct good {
    const char *text, *method, *path, *query, *body;
    bool keep_alive;
};

static const struct good goods[] = {
    {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "/", "", "", true},
    {"\r\n\r\nGET /x?a=b?c HTTP/1.1\r\nHost:\r\n\r\n", "GET", "/x", "a=b?c", "", true},
    {"POST /v1/mutate?timeout=5s HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
     "POST", "/v1/mutate", "timeout=5s", "hello", true},
    {"POST / HTTP/1.1\r\nHost: a\r\ncontent-length:0\r\n\r\n", "POST", "/", "", "", true},
    {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
     "3;x=\"y\"\r\nabc\r\n1\r\nd\r\n0\r\nTrailer: t\r\n\r\n",
     "POST", "/", "", "abcd", true},
    {"POST / HTTP/1.1\r\nHost: a\r\ntransfer-encoding:\tCHUNKED \r\n\r\n0\r\n\r\n",
     "POST", "/", "", "", true},
    {"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok",
     "POST", "/", "", "ok", true},
    {"HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HEAD", "/", "", "",
     false},
    {"GET / HTTP/1.0\r\n\r\n", "GET", "/", "", "", false},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: Identity\r\nContent-Length: "
     "2\r\n\r\nok",
     "POST", "/", "", "ok", true},
    {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET", "/", "", "", true},
    {"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", "GET",
     "/", "", "", true},
    {"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT", "a:1", "", "", true},
    {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS", "*", "", "", true},
    /* Absolute targets (RFC 9112 section 3.2.2), and what only looks like one. */
    {"POST https://a:443/v1/mutate?timeout=5s HTTP/1.1\r\nHost: a\r\n\r\n", "POST",
     "/v1/mutate", "timeout=5s", "", true},
    {"GET http://[::1]/x?u=http://b/c HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "/x",
     "u=http://b/c", "", true},
    {"GET HTTP://a HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "/", "", "", true},
    {"GET http://a?q HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "/", "q", "", true},
    {"GET /http://a/b HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "/http://a/b", "", "", true},
    {"GET /?http://a/b HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "/", "http://a/b", "", true},
    {"GET //a/b HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "//a/b", "", "", true},
};

static void check_good(const struct good *good, size_t size) {
    struct fx_http_parse *parse = fx_http_parse_create(MAX_HEADER, MAX_BODY, NULL);
    assert_non_null(parse);
    for (int round = 0; round < 2; round++) { /* the parser is used again */
        size_t used = 0;
        assert_int_equal(feed(parse, fx_text_of(good->text), size, &used), FX_HTTP_WHOLE);
        assert_int_equal(used, strlen(good->text));
        const struct fx_http_request request = fx_http_parse_request(parse);
        assert_true(fx_text_is(request.method, good->method));
        assert_true(fx_text_is(request.path, good->path));
        assert_true(fx_text_is(request.query, good->query));
        assert_true(fx_text_is(request.body, good->body));
        assert_int_equal(request.keep_alive, good->keep_alive);
        fx_http_parse_next(parse);
        assert_false(fx_http_parse_begun(parse));
    }
    fx_http_parse_destroy(parse);
}

static void good_requests_however_split(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(goods); i++) {
        for (size_t size = 1; size <= strlen(goods[i].text); size++) {
            check_good(&goods[i], size);
        }
    }
}

#define POST "POST / HTTP/1.1\r\nHost: a\r\n"

static const struct bad {
    const char *text;
    unsigned status;
} bads[] = {
    /* Two ways to say the length (RFC 9112 section 6.3). */
    {POST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    {POST "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n", 400},
    {POST "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
    {POST "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", 400},
    {POST "Content-Length: 1, 1\r\n\r\na", 400},
    {POST "Content-Length: +1\r\n\r\na", 400},
    {POST "Content-Length: -1\r\n\r\na", 400},
    {POST "Content-Length: 0x1\r\n\r\na", 400},
    {POST "Content-Length: 1 1\r\n\r\na", 400},
    {POST "Content-Length: \r\n\r\n", 400},
    {POST "Content-Length: 99999999999999999999\r\n\r\n", 400},
    /* Codings. */
    {POST "Transfer-Encoding: gzip\r\n\r\n", 501},
    {POST "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
    {POST "Transfer-Encoding: chunked, gzip\r\n\r\n", 501},
    {POST "Transfer-Encoding: chunked, chunked\r\n\r\n", 501},
    {POST "Transfer-Encoding: xchunked\r\n\r\n", 501},
    {POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 501},
    {POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n", 501},
    {"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    /* Lines. */
    {POST " folded: x\r\n\r\n", 400},
    {POST "A: b\r\n\tfolded\r\n\r\n", 400},
    {POST "A : b\r\n\r\n", 400},
    {POST "A\t: b\r\n\r\n", 400},
    {POST ": b\r\n\r\n", 400},
    {POST "A b: c\r\n\r\n", 400},
    {POST "no colon\r\n\r\n", 400},
    {POST "A: b\n\r\n", 400},
    {POST "A: b\rC: d\r\n\r\n", 400},
    {POST "A: b\r\r\n\r\n", 400},
    {POST "A: \x01\r\n\r\n", 400},
    {POST "A: \x7f\r\n\r\n", 400},
    {POST "\xc3\xa4: b\r\n\r\n", 400},
    {"POST / HTTP/1.1\nHost: a\n\n", 400},
    {"POST /\xff HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {" POST / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"post / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"FROBNICATE / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"POST\r\n\r\n", 400},
    {"POST /\r\n\r\n", 505}, /* a request line of HTTP/0.9 */
    {"\r\rPOST / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"\x16\x03\x01\x02", 400},
    /* Versions. */
    {"GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505},
    {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
    {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
    {"GET / HTTP/9.9\r\nHost: a\r\n\r\n", 505},
    {"DESCRIBE / RTSP/1.0\r\nHost: a\r\n\r\n", 505},
    {"OPTIONS rtsp://a/b RTSP/1.0\r\n\r\n", 505},
    {"SOURCE / ICE/1.0\r\nHost: a\r\n\r\n", 505},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\n",
     415},
    {"POST / HTTP/1.1\r\nHost: a\r\ncontent-encoding:\r\nContent-Length: 1\r\n\r\n", 415},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: identity, br\r\n\r\n", 415},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: identity\r\nContent-Encoding: "
     "br\r\n\r\n",
     415},
    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
    /* Hosts. */
    {"GET / HTTP/1.1\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
    /* Expectations. */
    {POST "Expect: 200-maybe\r\nContent-Length: 1\r\n\r\na", 417},
    /* Bounds. */
    {POST "Content-Length: 65\r\n\r\n", 413},
    {POST "Transfer-Encoding: chunked\r\n\r\n41\r\n"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     413},
    /* Chunks. */
    {POST "Transfer-Encoding: chunked\r\n\r\n41\r\n", 413},
    {POST "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n40\r\n", 413},
    {POST "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffe\r\n", 413},
    {POST "Transfer-Encoding: chunked\r\n\r\nx\r\n", 400},
    {POST "Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400},
    {POST "Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n", 400},
    {POST "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400},
    {POST "Transfer-Encoding: chunked\r\n\r\n1\rxa\r\n", 400},
    {POST "Transfer-Encoding: chunked\r\n\r\n1\r\na\rx", 400},
    {POST "Transfer-Encoding: chunked\r\n\r\n1ffffffffffffffff\r\n", 400},
};

static void check_bad(const struct bad *bad, size_t size) {
    struct fx_http_parse *parse = fx_http_parse_create(MAX_HEADER, MAX_BODY, NULL);
    size_t used = 0;
    const enum fx_http_event event = feed(parse, fx_text_of(bad->text), size, &used);
    const struct fx_http_fault fault =
        event == FX_HTTP_BAD ? fx_http_parse_fault(parse) : (struct fx_http_fault){0};
    fx_http_parse_destroy(parse);
    if (fault.status != bad->status || fault.why == NULL) {
        fail_msg("%s: event %d, status %u", bad->text, (int)event, fault.status);
    }
}

static void bad_requests_however_split(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(bads); i++) {
        for (size_t size = 1; size <= strlen(bads[i].text); size++) {
            check_bad(&bads[i], size);
        }
    }
}

/* One byte over a bound is refused, the bound itself is not. */
static void bounds_of_the_head(void **state) {
    (void)state;
    static const struct {
        const char *before, *after;
        unsigned status;
    } cases[] = {
        {"GET /", " HTTP/1.1\r\nHost: a\r\n\r\n", 431},
        {"GET / HTTP/1.1\r\nHost: a\r\nA: ", "\r\n\r\n", 431},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        for (size_t over = 0; over < 2; over++) {
            struct fx_http_parse *parse =
                fx_http_parse_create(MAX_HEADER, MAX_BODY, NULL);
            struct fx_buf text = {0};
            size_t used = 0;
            fx_buf_str(&text, cases[i].before);
            fx_buf_fill(&text, 'x',
                        MAX_HEADER + over - strlen(cases[i].before) -
                            strlen(cases[i].after));
            fx_buf_str(&text, cases[i].after);
            const enum fx_http_event event =
                feed(parse, fx_buf_view(&text), text.len, &used);
            assert_int_equal(event, over == 0 ? FX_HTTP_WHOLE : FX_HTTP_BAD);
            if (over > 0) {
                assert_int_equal(fx_http_parse_fault(parse).status, cases[i].status);
            }
            fx_buf_finish(&text);
            fx_http_parse_destroy(parse);
        }
    }
}

static void a_long_target_is_414(void **state) {
    (void)state;
    struct fx_buf text = {0};
    fx_buf_str(&text, "GET /");
    fx_buf_fill(&text, 'x', (size_t)MAX_HEADER * 2);
    for (size_t size = 1; size < text.len; size += 97) {
        struct fx_http_parse *parse = fx_http_parse_create(MAX_HEADER, MAX_BODY, NULL);
        size_t used = 0;
        assert_int_equal(feed(parse, fx_buf_view(&text), size, &used), FX_HTTP_BAD);
        assert_int_equal(fx_http_parse_fault(parse).status, 414);
        fx_http_parse_destroy(parse);
    }
    fx_buf_finish(&text);
}

/* Extensions and trailers without end. */
static void framing_is_bounded(void **state) {
    (void)state;
    static const char *const starts[] = {
        POST "Transfer-Encoding: chunked\r\n\r\n1;",
        POST "Transfer-Encoding: chunked\r\n\r\n0\r\nTrailer: ",
    };
    for (size_t i = 0; i < FX_COUNT(starts); i++) {
        struct fx_http_parse *parse = fx_http_parse_create(MAX_HEADER, MAX_BODY, NULL);
        struct fx_buf text = {0};
        size_t used = 0;
        fx_buf_str(&text, starts[i]);
        fx_buf_fill(&text, 'x', MAX_HEADER + MAX_BODY + 1);
        assert_int_equal(feed(parse, fx_buf_view(&text), 7, &used), FX_HTTP_BAD);
        assert_int_equal(fx_http_parse_fault(parse).status, 413);
        fx_buf_finish(&text);
        fx_http_parse_destroy(parse);
    }
}

static void continue_is_asked_for_once(void **state) {
    (void)state;
    struct fx_http_parse *parse = fx_http_parse_create(MAX_HEADER, MAX_BODY, NULL);
    const struct fx_text head =
        FX_TEXT(POST "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
    size_t used = 0;
    assert_int_equal(fx_http_parse_feed(parse, head, &used), FX_HTTP_CONTINUE);
    assert_int_equal(used, head.len);
    assert_int_equal(fx_http_parse_feed(parse, FX_TEXT("a"), &used), FX_HTTP_MORE);
    assert_int_equal(fx_http_parse_feed(parse, FX_TEXT("bGET"), &used), FX_HTTP_WHOLE);
    assert_int_equal(used, 1);
    fx_http_parse_destroy(parse);
}

static void pipelined_requests_keep_apart(void **state) {
    (void)state;
    struct fx_http_parse *parse = fx_http_parse_create(MAX_HEADER, MAX_BODY, NULL);
    struct fx_text bytes =
        FX_TEXT("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na"
                "POST /2 HTTP/1.1\r\nHost: a\r\n\r\n\r\n"
                "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
    for (int number = '1'; number <= '3'; number++) {
        size_t used = 0;
        assert_int_equal(fx_http_parse_feed(parse, bytes, &used), FX_HTTP_WHOLE);
        assert_int_equal(fx_http_parse_request(parse).path.data[1], number);
        fx_http_parse_next(parse);
        bytes.data += used;
        bytes.len -= used;
    }
    assert_int_equal(bytes.len, 0);
    fx_http_parse_destroy(parse);
}

static void fields_are_found(void **state) {
    (void)state;
    const struct fx_text head = FX_TEXT("GET / HTTP/1.1\r\nHost: h\r\nAccept:\r\n"
                                        "X-A: \t one  two \t\r\nx-a: second\r\n\r\n");
    size_t count = 0;
    assert_true(fx_text_is(fx_http_head_field(head, "HOST", NULL), "h"));
    assert_true(fx_text_is(fx_http_head_field(head, "x-a", &count), "one  two"));
    assert_int_equal(count, 2);
    const struct fx_text empty = fx_http_head_field(head, "accept", &count);
    assert_non_null(empty.data);
    assert_int_equal(empty.len, 0);
    assert_null(fx_http_head_field(head, "x", &count).data);
    assert_int_equal(count, 0);
    assert_null(fx_http_head_field(head, "GET / HTTP/1.1", NULL).data);
}

static void statuses_have_phrases(void **state) {
    (void)state;
    assert_string_equal(fx_http_status_phrase(200), "OK");
    assert_string_equal(fx_http_status_phrase(413), "Content Too Large");
    assert_string_equal(fx_http_status_phrase(299), "Unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_requests_however_split),
        cmocka_unit_test(bad_requests_however_split),
        cmocka_unit_test(bounds_of_the_head),
        cmocka_unit_test(a_long_target_is_414),
        cmocka_unit_test(framing_is_bounded),
        cmocka_unit_test(continue_is_asked_for_once),
        cmocka_unit_test(pipelined_requests_keep_apart),
        cmocka_unit_test(fields_are_found),
        cmocka_unit_test(statuses_have_phrases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
