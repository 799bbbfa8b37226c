/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_exchange.c - the parts of a request, and writing its response.
 */
#include <assert.h>
#include <stdio.h>
#include <time.h>

#include "net/http_connection.h"
#include "net/http_head.h"
#include "net/http_status.h"

#define KEEP_BYTES 65536 /* the memory of a larger response is freed after it */

/* ---- the request ---- */

static const struct fx_http_request *request_of(const struct fx_http_exchange *exchange) {
    assert(exchange->phase == FX_HTTP_ANSWERING);
    return &exchange->request;
}

struct fx_text fx_http_method(const struct fx_http_exchange *exchange) {
    return request_of(exchange)->method;
}

struct fx_text fx_http_path(const struct fx_http_exchange *exchange) {
    return request_of(exchange)->path;
}

struct fx_text fx_http_query(const struct fx_http_exchange *exchange) {
    return request_of(exchange)->query;
}

struct fx_text fx_http_body(const struct fx_http_exchange *exchange) {
    return request_of(exchange)->body;
}

struct fx_text fx_http_header(const struct fx_http_exchange *exchange, const char *name) {
    return fx_http_head_field(request_of(exchange)->head, name, NULL);
}

uint64_t fx_http_arrival_ns(const struct fx_http_exchange *exchange) {
    return exchange->arrival_ns;
}

/* ---- the response ---- */

const char *fx_http_status_phrase(unsigned status) {
    switch (status) {
#define X(code, phrase) \
    case code: return phrase;
        FX_HTTP_STATUSES(X)
#undef X
    default: return "Unknown";
    }
}

/* The value of `Date` (RFC 9110 section 6.6.1), made once a second. */
static const char *date_now(struct fx_http_server *server) {
    static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const time_t now = time(NULL);
    struct tm utc = {0};
    if (now != server->date_at && gmtime_r(&now, &utc) != NULL) {
        server->date_at = now;
        (void)snprintf(server->date, sizeof server->date,
                       "%s, %02d %s %04d %02d:%02d:%02d GMT", days[utc.tm_wday],
                       utc.tm_mday, months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour,
                       utc.tm_min, utc.tm_sec);
    }
    return server->date;
}

static void add_field(struct fx_buf *out, const char *name, const char *value) {
    fx_buf_str(out, name);
    fx_buf_str(out, ": ");
    fx_buf_str(out, value);
    fx_buf_str(out, "\r\n");
}

static void add_number(struct fx_buf *out, size_t number) {
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    fx_buf_add(out, digits + at, sizeof digits - at);
}

static void add_head(struct fx_http_server *server, const struct fx_http_answer *answer) {
    struct fx_buf *out = &server->out;
    fx_buf_str(out, "HTTP/1.1 ");
    add_number(out, answer->status);
    fx_buf_char(out, ' ');
    fx_buf_str(out, fx_http_status_phrase(answer->status));
    fx_buf_str(out, "\r\n");
    add_field(out, "Date", date_now(server));
    if (answer->content_type != NULL) {
        add_field(out, "Content-Type", answer->content_type);
    }
    if (answer->status != 204 && answer->status != 304) {
        fx_buf_str(out, "Content-Length: ");
        add_number(out, answer->body.len);
        fx_buf_str(out, "\r\n");
    }
    if (!answer->keep) {
        add_field(out, "Connection", "close");
    } else if (answer->is_1_0) {
        add_field(out, "Connection", "keep-alive");
    }
    if (answer->extra_headers != NULL) {
        fx_buf_str(out, answer->extra_headers);
    }
    fx_buf_str(out, "\r\n");
}

void fx_http_answer_write(struct fx_http_exchange *exchange,
                          const struct fx_http_answer *answer) {
    struct fx_buf *out = &exchange->server->out;
    fx_buf_reset(out);
    add_head(exchange->server, answer);
    if (!answer->is_head && answer->status != 204 && answer->status != 304) {
        fx_buf_text(out, answer->body);
    }
    if (out->failed) {
        fx_stream_close(&exchange->stream); /* out of memory: there is no response */
    } else {
        fx_stream_write(&exchange->stream, fx_buf_view(out));
    }
    if (out->cap > KEEP_BYTES) {
        fx_buf_finish(out);
    }
}

void fx_http_respond(struct fx_http_exchange *exchange, unsigned status,
                     const char *content_type, const char *extra_headers,
                     struct fx_buf *body) {
    const struct fx_http_request *request = request_of(exchange);
    struct fx_http_server *server = exchange->server;
    struct fx_http_answer answer = {
        .status = status,
        .content_type = content_type,
        .extra_headers = extra_headers,
        .keep = request->keep_alive && !server->draining && !server->stopping,
        .is_1_0 = request->is_1_0,
        .is_head = request->is_head,
    };
    if (body != NULL && body->failed) { /* writing the body failed */
        answer.status = 503;
        answer.content_type = answer.extra_headers = NULL;
    } else if (body != NULL) {
        answer.body = fx_buf_view(body);
    }
    if (!exchange->gone) {
        fx_http_answer_write(exchange, &answer);
    }
    fx_buf_finish(body);
    server->counts.in_flight--;
    fx_http_connection_answered(exchange, answer.keep);
}
