/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_response_fixture.h - for the tests of responses: feeds one in pieces and
 * records the events.
 */
#ifndef FX_NET_HTTP_RESPONSE_FIXTURE_H
#define FX_NET_HTTP_RESPONSE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "net/http_response.h"

#define MAX_HEAD 1024
#define MAX_BODY 64

#define OK_LINE "HTTP/1.1 200 OK\r\n"

enum {
    TO_HEAD = 1, /* the request was HEAD */
    CUT = 2,     /* the end is no orderly one */
    STREAM = 4,  /* the body is taken in pieces */
    FULL = 8,    /* only a body that is not has such a bound */
};

/* What parsing a response reported before its end. */
struct parsed {
    struct fx_buf pieces;
    unsigned n_heads;
    unsigned status; /* at the head */
};

/* All that this part of the bytes leads to. */
static inline enum fx_http_response_event feed_part(struct fx_http_response *response,
                                                    struct fx_text part, int flags,
                                                    struct parsed *parsed,
                                                    struct fx_err *err) {
    for (;;) {
        const enum fx_http_response_event event =
            fx_http_response_feed(response, &part, err);
        if (event == FX_HTTP_RESPONSE_HEAD) {
            parsed->n_heads++;
            parsed->status = fx_http_response_status(response);
            if ((flags & STREAM) != 0) {
                fx_http_response_stream(response);
            }
        } else if (event == FX_HTTP_RESPONSE_PIECE) {
            assert_true((flags & STREAM) != 0);
            fx_buf_text(&parsed->pieces, fx_http_response_piece(response));
        } else {
            assert_true(event != FX_HTTP_RESPONSE_MORE || part.len == 0);
            return event;
        }
    }
}

static inline enum fx_http_response_event read_split(struct fx_http_response *response,
                                                     struct fx_text bytes, size_t piece,
                                                     int flags, struct parsed *parsed,
                                                     struct fx_err *err) {
    enum fx_http_response_event event = FX_HTTP_RESPONSE_MORE;
    *parsed = (struct parsed){0};
    while (event == FX_HTTP_RESPONSE_MORE && bytes.len > 0) {
        const size_t len = piece < bytes.len ? piece : bytes.len;
        event =
            feed_part(response, (struct fx_text){bytes.data, len}, flags, parsed, err);
        bytes.data += len;
        bytes.len -= len;
    }
    return event == FX_HTTP_RESPONSE_MORE
               ? fx_http_response_end(response, (flags & CUT) != 0, err)
               : event;
}

/* A text, repeated a thousand times. */
static inline enum fx_http_response_event flood(const char *begin, const char *again,
                                                int flags, struct parsed *parsed,
                                                struct fx_err *err) {
    struct fx_http_response *response =
        fx_http_response_create(MAX_HEAD, MAX_BODY, false);
    assert_non_null(response);
    *parsed = (struct parsed){0};
    enum fx_http_response_event event = FX_HTTP_RESPONSE_MORE;
    struct fx_text part = fx_text_of(begin);
    for (int n = 0; event == FX_HTTP_RESPONSE_MORE && n <= 1000; n++) {
        event = feed_part(response, part, flags, parsed, err);
        part = fx_text_of(again);
    }
    fx_http_response_destroy(response);
    return event;
}

#endif
