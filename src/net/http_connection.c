/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_connection.c - one connection: reads requests, passes them on, writes their
 * responses, and continues after them.
 *
 * Invariant: the socket is read only in phase READING with nothing in `input`. So a
 * connection holds at most one request and the other bytes of the same read. The bytes of
 * all connections are counted in update_held(), and limited by `max_held` before a
 * request is passed on or more of it is read.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/checked.h"
#include "base/clock.h"
#include "net/http_connection.h"
#include "net/http_head.h"

#define KEEP_BYTES 65536 /* the memory of a larger response is freed after it */
/* While stopping: the time for received bytes to become a request. */
#define LAST_INPUT_MS 2000

#define EXCHANGE_MAGIC 0x66786878u /* "fxhx" */

/* ---- memory ---- */

static size_t held_by(const struct fx_http_exchange *exchange) {
    const size_t ahead = exchange->input.len;
    const size_t rest = ahead > exchange->rest.cap ? ahead : exchange->rest.cap;
    return fx_http_parse_held(exchange->parse) + (ahead > 0 ? rest : 0);
}

/* Counts the memory that the connection holds now. False if it holds more than before and
 * the server is over its limit. */
static bool update_held(struct fx_http_exchange *exchange) {
    struct fx_http_server *server = exchange->server;
    const size_t before = exchange->held;
    exchange->held = held_by(exchange);
    server->counts.held = server->counts.held - before + exchange->held;
    return exchange->held <= before || server->counts.held <= server->options.max_held;
}

static void free_input(struct fx_http_exchange *exchange) {
    exchange->input = (struct fx_text){0};
    fx_buf_finish(&exchange->rest);
    fx_http_parse_destroy(exchange->parse);
    exchange->parse = NULL;
    (void)update_held(exchange);
}

/* Frees the input, and shuts the stream down. */
static void end_connection(struct fx_http_exchange *exchange) {
    exchange->phase = FX_HTTP_ENDING;
    fx_loop_tasks_remove(&exchange->server->others, &exchange->task);
    fx_http_connection_move(exchange, &exchange->server->leaving);
    free_input(exchange);
    fx_stream_shutdown(&exchange->stream);
}

/* Frees a connection whose stream is closed. */
static void free_connection(struct fx_http_exchange *exchange) {
    struct fx_http_server *server = exchange->server;
    fx_http_connection_move(exchange, NULL);
    fx_loop_tasks_remove(&server->others, &exchange->task);
    free_input(exchange);
    exchange->magic = 0;
    free(exchange);
    fx_http_connection_count(server, -1);
    fx_http_server_finish_stop(server);
}

/* ---- the response ---- */

struct answer {
    unsigned status;
    const char *content_type, *extra_headers;
    struct fx_text body;
    bool keep;   /* otherwise `Connection: close` is sent */
    bool is_1_0; /* in HTTP/1.0 `keep` must be stated */
    bool is_head;
};

/* Returns the value of `Date` (RFC 9110 section 6.6.1), which is made once a second. */
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

static void add_head(struct fx_http_server *server, const struct answer *answer) {
    struct fx_buf *out = &server->out;
    fx_buf_str(out, "HTTP/1.1 ");
    fx_buf_number(out, answer->status);
    fx_buf_char(out, ' ');
    fx_buf_str(out, fx_http_status_phrase(answer->status));
    fx_buf_str(out, "\r\n");
    add_field(out, "Date", date_now(server));
    if (answer->content_type != NULL) {
        add_field(out, "Content-Type", answer->content_type);
    }
    if (answer->status != 204 && answer->status != 304) {
        fx_buf_str(out, "Content-Length: ");
        fx_buf_number(out, answer->body.len);
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

static void write_answer(struct fx_http_exchange *exchange, const struct answer *answer) {
    struct fx_buf *out = &exchange->server->out;
    fx_buf_reset(out);
    add_head(exchange->server, answer);
    if (!answer->is_head && answer->status != 204 && answer->status != 304) {
        fx_buf_text(out, answer->body);
    }
    if (out->failed) {
        fx_stream_close(&exchange->stream); /* without memory there is no response */
    } else {
        fx_stream_write(&exchange->stream, fx_buf_view(out));
    }
    if (out->cap > KEEP_BYTES) {
        fx_buf_finish(out);
    }
}

/* ---- one request ---- */

/* Responds with the fault, and ends the connection. A 503 is not a fault of the request,
 * so the client may try again. */
static void reject_request(struct fx_http_exchange *exchange,
                           struct fx_http_fault fault) {
    struct fx_http_server_counts *counts = &exchange->server->counts;
    const bool no_room = fault.status == 503;
    *(no_room ? &counts->refused : &counts->bad_requests) += 1;
    write_answer(exchange,
                 &(struct answer){.status = fault.status,
                                  .content_type = "text/plain",
                                  .extra_headers = no_room ? "Retry-After: 1\r\n" : NULL,
                                  .body = fx_text_of(fault.why)});
    end_connection(exchange);
}

/* Starts the deadline of a request when its first bytes have come. */
static void start_message(struct fx_http_exchange *exchange) {
    if (exchange->arrival_ns == 0 && fx_http_parse_begun(exchange->parse)) {
        exchange->arrival_ns = exchange->read_ns;
        fx_stream_set_deadline(&exchange->stream, exchange->server->options.message_ms);
    }
}

static void dispatch(struct fx_http_exchange *exchange) {
    struct fx_http_server *server = exchange->server;
    if (exchange->arrival_ns == 0) {
        exchange->arrival_ns = exchange->read_ns;
    }
    fx_stream_set_deadline(&exchange->stream, 0);
    exchange->request = fx_http_parse_request(exchange->parse);
    exchange->phase = FX_HTTP_ANSWERING;
    server->counts.in_flight++;
    server->options.on_request(exchange, server->options.user);
}

/* Parses the input that belongs to the current request. */
static void parse_input(struct fx_http_exchange *exchange) {
    size_t used = 0;
    const enum fx_http_event event =
        fx_http_parse_feed(exchange->parse, exchange->input, &used);
    exchange->input.data += used;
    exchange->input.len -= used;
    if (!update_held(exchange) && event != FX_HTTP_BAD) {
        reject_request(exchange,
                       (struct fx_http_fault){503, "too many requests in progress"});
        return;
    }
    switch (event) {
    case FX_HTTP_MORE: start_message(exchange); break;
    case FX_HTTP_CONTINUE:
        start_message(exchange);
        fx_stream_write(&exchange->stream, FX_TEXT("HTTP/1.1 100 Continue\r\n\r\n"));
        break;
    case FX_HTTP_WHOLE: dispatch(exchange); break;
    case FX_HTTP_BAD:
        reject_request(exchange, fx_http_parse_fault(exchange->parse));
        break;
    }
}

/* ---- one read ---- */

/* Copies the rest of the input to the connection's memory, or frees that memory. */
static void keep_rest(struct fx_http_exchange *exchange, bool borrowed) {
    struct fx_buf *rest = &exchange->rest;
    if (exchange->input.len == 0) {
        exchange->input = (struct fx_text){0};
        fx_buf_finish(rest);
    } else if (borrowed) {
        fx_buf_reset(rest);
        fx_buf_text(rest, exchange->input);
        exchange->input = fx_buf_view(rest);
        if (rest->failed) {
            exchange->input = (struct fx_text){0};
            fx_stream_close(&exchange->stream);
        }
    }
    (void)update_held(exchange);
}

/* Is no further request possible? */
static bool is_over(const struct fx_http_exchange *exchange) {
    return exchange->stream.ended || (exchange->server->stopping && !exchange->awaited &&
                                      exchange->arrival_ns == 0);
}

/* Is there more input after this connection has had its share of the iteration? The share
 * is one request, or one full buffer. libuv would read up to 32 buffers before it serves
 * other connections. */
static bool has_more(const struct fx_http_exchange *exchange) {
    return exchange->phase == FX_HTTP_READING &&
           (exchange->input.len > 0 || exchange->stream.filled);
}

/* Reads requests from the input until one is answered, waits for its response, or is
 * incomplete. The rest of the input is read by a task. */
static void read_requests(struct fx_http_exchange *exchange, bool borrowed) {
    fx_loop_tasks_remove(&exchange->server->others, &exchange->task);
    exchange->running = true;
    exchange->answered = false;
    while (exchange->phase == FX_HTTP_READING && exchange->input.len > 0 &&
           !exchange->answered && !exchange->stream.closing) {
        parse_input(exchange);
    }
    exchange->running = false;
    if (exchange->phase == FX_HTTP_ENDING) {
        return;
    }
    keep_rest(exchange, borrowed);
    if (exchange->stream.closing) {
        return;
    }
    const bool waits = has_more(exchange);
    const bool reads = exchange->phase == FX_HTTP_READING && !waits;
    if (waits) {
        fx_loop_tasks_add(&exchange->server->others, &exchange->task, false);
    } else if (reads && is_over(exchange)) {
        end_connection(exchange);
        return;
    }
    fx_stream_read(&exchange->stream, reads);
}

void fx_http_connection_on_task(struct fx_loop_task *task) {
    struct fx_http_exchange *exchange = fx_checked(
        (char *)task - offsetof(struct fx_http_exchange, task), EXCHANGE_MAGIC);
    exchange->stream.filled = false;
    read_requests(exchange, false);
}

/* The response was written. `keep` says that the connection stays open. */
static void on_answered(struct fx_http_exchange *exchange, bool keep) {
    if (exchange->gone) {
        free_connection(exchange);
        return;
    }
    if (!keep) {
        end_connection(exchange);
        return;
    }
    exchange->answered = true;
    fx_http_parse_next(exchange->parse);
    (void)update_held(exchange);
    exchange->arrival_ns = 0;
    exchange->phase = fx_stream_has_queued_output(&exchange->stream) ? FX_HTTP_WRITING
                                                                     : FX_HTTP_READING;
    fx_http_connection_move(exchange, &exchange->server->open);
    fx_stream_set_deadline(&exchange->stream, exchange->server->options.idle_ms);
    if (!exchange->running && exchange->phase == FX_HTTP_READING) {
        read_requests(exchange, false);
    }
}

/* ---- callbacks of the stream ---- */

static void on_open(void *user) {
    struct fx_http_exchange *exchange = fx_checked(user, EXCHANGE_MAGIC);
    struct fx_http_server *server = exchange->server;
    server->counts.handshakes++;
    exchange->phase = FX_HTTP_READING;
    fx_http_connection_move(exchange, &server->open);
    fx_stream_set_deadline(&exchange->stream,
                           server->stopping ? LAST_INPUT_MS : server->options.idle_ms);
}

/* Returns when the iteration began in which the bytes were received. The resolution is
 * that of libuv, a millisecond. */
static uint64_t received_ns(const uv_loop_t *loop) {
    const uint64_t now = fx_clock_ns();
    const uint64_t iteration = (uv_now(loop) + 1) * 1000000;
    return iteration < now ? iteration : now;
}

static void on_bytes(void *user, struct fx_text bytes) {
    struct fx_http_exchange *exchange = fx_checked(user, EXCHANGE_MAGIC);
    assert(exchange->phase == FX_HTTP_READING && exchange->input.len == 0);
    exchange->read_ns = received_ns(exchange->server->loop);
    exchange->input = bytes;
    read_requests(exchange, true);
}

/* A client may half-close the connection after its last request; it still gets the
 * responses. */
static void on_end(void *user) {
    struct fx_http_exchange *exchange = fx_checked(user, EXCHANGE_MAGIC);
    if (exchange->phase == FX_HTTP_READING) {
        read_requests(exchange, false);
    }
}

/* Responses are sent later than they are written, so only now it is known that the client
 * does not read. No further request is read until it reads its responses. In phase
 * ANSWERING, on_answered() checks this. */
static void on_write_blocked(void *user) {
    struct fx_http_exchange *exchange = fx_checked(user, EXCHANGE_MAGIC);
    if (exchange->phase == FX_HTTP_READING) {
        exchange->phase = FX_HTTP_WRITING;
        fx_loop_tasks_remove(&exchange->server->others, &exchange->task);
        fx_stream_read(&exchange->stream, false);
    }
}

static void on_drained(void *user) {
    struct fx_http_exchange *exchange = fx_checked(user, EXCHANGE_MAGIC);
    const struct fx_http_server_options *options = &exchange->server->options;
    if (exchange->phase == FX_HTTP_WRITING) {
        const bool begun = exchange->arrival_ns != 0;
        exchange->phase = FX_HTTP_READING;
        fx_stream_set_deadline(&exchange->stream,
                               begun ? options->message_ms : options->idle_ms);
        read_requests(exchange, false);
    }
}

static void on_deadline(void *user) {
    struct fx_http_exchange *exchange = fx_checked(user, EXCHANGE_MAGIC);
    if (exchange->phase == FX_HTTP_HANDSHAKE) {
        exchange->server->counts.handshake_fails++;
        fx_stream_close(&exchange->stream);
    } else if (exchange->phase == FX_HTTP_READING && exchange->arrival_ns != 0) {
        reject_request(exchange,
                       (struct fx_http_fault){408, "the request came too slowly"});
    } else if (exchange->phase == FX_HTTP_READING) {
        end_connection(exchange);
    }
}

static void on_error(void *user, const struct fx_err *failure) {
    (void)failure; /* not logged: clients disconnect all the time, and failed handshakes
                    * are counted */
    struct fx_http_exchange *exchange = fx_checked(user, EXCHANGE_MAGIC);
    fx_loop_tasks_remove(&exchange->server->others, &exchange->task);
    if (exchange->phase == FX_HTTP_HANDSHAKE) {
        exchange->server->counts.handshake_fails++;
    }
}

static void on_closed(void *user) {
    struct fx_http_exchange *exchange = fx_checked(user, EXCHANGE_MAGIC);
    if (exchange->phase == FX_HTTP_ANSWERING) {
        exchange->gone = true; /* the response comes later, and frees it */
        return;
    }
    free_connection(exchange);
}

static const struct fx_stream_events events = {
    .on_open = on_open,
    .on_bytes = on_bytes,
    .on_end = on_end,
    .on_write_blocked = on_write_blocked,
    .on_drained = on_drained,
    .on_deadline = on_deadline,
    .on_error = on_error,
    .on_closed = on_closed,
};

/* ---- accept and close ---- */

static struct fx_http_exchange *create(struct fx_http_server *server) {
    const struct fx_http_server_options *options = &server->options;
    struct fx_err err = FX_ERR_INIT;
    struct fx_http_exchange *exchange = calloc(1, sizeof *exchange);
    if (exchange == NULL) {
        return NULL;
    }
    exchange->magic = EXCHANGE_MAGIC;
    exchange->server = server;
    exchange->phase = server->tls == NULL ? FX_HTTP_READING : FX_HTTP_HANDSHAKE;
    exchange->parse =
        fx_http_parse_create(options->max_header, options->max_body, &server->spare);
    if (exchange->parse == NULL ||
        !fx_stream_init(&exchange->stream, server->loop, server->tls, &server->scratch,
                        options->write_ms, &err)) {
        fx_http_parse_destroy(exchange->parse);
        free(exchange);
        return NULL;
    }
    fx_stream_set_events(&exchange->stream, &events, exchange);
    return exchange;
}

bool fx_http_connection_accept(struct fx_http_server *server, int fd) {
    struct fx_http_exchange *exchange = create(server);
    if (exchange == NULL) {
        return false;
    }
    const bool shakes = exchange->phase == FX_HTTP_HANDSHAKE;
    fx_http_connection_move(exchange, shakes ? &server->handshaking : &server->open);
    fx_http_connection_count(server, 1);
    server->counts.accepted++;
    if (!fx_stream_adopt(&exchange->stream, fd)) {
        fx_stream_close(&exchange->stream);
        return true;
    }
    fx_stream_set_deadline(&exchange->stream, shakes ? server->options.handshake_ms
                                                     : server->options.idle_ms);
    return true;
}

void fx_http_connection_close(struct fx_http_exchange *exchange) {
    end_connection(exchange);
    fx_stream_close(&exchange->stream);
    fx_http_connection_move(exchange, NULL);
}

/* Received bytes may be a request. They are still read, because the client would not send
 * this request to another server: clients repeat only requests that were not sent. */
void fx_http_connection_stop(struct fx_http_exchange *exchange) {
    const bool shakes = exchange->phase == FX_HTTP_HANDSHAKE;
    const bool reads = exchange->phase == FX_HTTP_READING && !exchange->running;
    if ((!shakes && !reads) || exchange->arrival_ns != 0) {
        return;
    }
    if (exchange->input.len > 0 || fx_stream_expects_input(&exchange->stream)) {
        exchange->awaited = true;
        fx_stream_set_deadline(&exchange->stream, LAST_INPUT_MS);
    } else {
        fx_http_connection_close(exchange);
    }
}

/* ---- the parts of a request ---- */

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

/* ---- the answer of the callee ---- */

void fx_http_respond(struct fx_http_exchange *exchange, unsigned status,
                     const char *content_type, const char *extra_headers,
                     struct fx_buf *body) {
    const struct fx_http_request *request = request_of(exchange);
    struct fx_http_server *server = exchange->server;
    struct answer answer = {
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
        write_answer(exchange, &answer);
    }
    fx_buf_finish(body);
    server->counts.in_flight--;
    on_answered(exchange, answer.keep);
}
