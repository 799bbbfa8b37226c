/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_connection.c - the life of one connection: reading requests, handing them
 * over, going on after the answer.
 *
 * Invariant: the socket is read only in phase READING with nothing in `input`, so what
 * one connection can make us hold is one request and what came in the same read. What all
 * of them hold is counted in account(), and bounded by `max_held` before a request is
 * handed over or more of it is read.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/http_connection.h"

#define AWAIT_MS 2000 /* while stopping: for what is on its way to be a request */

#define EXCHANGE_MAGIC 0x66786878u /* "fxhx" */

static struct fx_http_exchange *checked(void *user) {
    struct fx_http_exchange *exchange = user;
    assert(exchange != NULL && exchange->magic == EXCHANGE_MAGIC);
    return exchange;
}

/* ---- what it holds ---- */

static size_t held_by(const struct fx_http_exchange *exchange) {
    const size_t ahead = exchange->input.len;
    const size_t rest = ahead > exchange->rest.cap ? ahead : exchange->rest.cap;
    return fx_http_parse_held(exchange->parse) + (ahead > 0 ? rest : 0);
}

/* Counts what it holds now; false where that is more than before and too much in all. */
static bool account(struct fx_http_exchange *exchange) {
    struct fx_http_server *server = exchange->server;
    const size_t before = exchange->held;
    exchange->held = held_by(exchange);
    server->counts.held = server->counts.held - before + exchange->held;
    return exchange->held <= before || server->counts.held <= server->options.max_held;
}

static void let_go(struct fx_http_exchange *exchange) {
    exchange->input = (struct fx_text){0};
    fx_buf_finish(&exchange->rest);
    fx_http_parse_destroy(exchange->parse);
    exchange->parse = NULL;
    (void)account(exchange);
}

/* Nothing is read any more, so nothing needs to be held while the last words leave. */
static void end(struct fx_http_exchange *exchange) {
    exchange->phase = FX_HTTP_ENDING;
    fx_loop_tasks_remove(&exchange->server->others, &exchange->task);
    fx_http_connection_move(exchange, &exchange->server->leaving);
    let_go(exchange);
    fx_stream_shutdown(&exchange->stream);
}

/* ---- one request ---- */

/* Answers what went wrong, and ends the connection. That we have no room is not the
 * request's fault: it may come again. */
static void refuse(struct fx_http_exchange *exchange, struct fx_http_fault fault) {
    struct fx_http_server_counts *counts = &exchange->server->counts;
    const bool no_room = fault.status == 503;
    *(no_room ? &counts->refused : &counts->bad_requests) += 1;
    fx_http_answer_write(
        exchange,
        &(struct fx_http_answer){.status = fault.status,
                                 .content_type = "text/plain",
                                 .extra_headers = no_room ? "Retry-After: 1\r\n" : NULL,
                                 .body = fx_text_of(fault.why)});
    end(exchange);
}

/* The first bytes of a request are there: from now on the clock runs. */
static void begin(struct fx_http_exchange *exchange) {
    if (exchange->arrival_ns == 0 && fx_http_parse_begun(exchange->parse)) {
        exchange->arrival_ns = exchange->read_ns;
        fx_stream_set_deadline(&exchange->stream, exchange->server->options.message_ms);
    }
}

static void hand_over(struct fx_http_exchange *exchange) {
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

/* Takes what belongs to the current request off the input. */
static void step(struct fx_http_exchange *exchange) {
    size_t used = 0;
    const enum fx_http_event event =
        fx_http_parse_feed(exchange->parse, exchange->input, &used);
    exchange->input.data += used;
    exchange->input.len -= used;
    if (!account(exchange) && event != FX_HTTP_BAD) {
        refuse(exchange, (struct fx_http_fault){503, "no room for further requests"});
        return;
    }
    switch (event) {
    case FX_HTTP_MORE: begin(exchange); break;
    case FX_HTTP_CONTINUE:
        begin(exchange);
        fx_stream_write(&exchange->stream, FX_TEXT("HTTP/1.1 100 Continue\r\n\r\n"));
        break;
    case FX_HTTP_WHOLE: hand_over(exchange); break;
    case FX_HTTP_BAD: refuse(exchange, fx_http_parse_fault(exchange->parse)); break;
    }
}

/* ---- one read ---- */

/* What is left over moves into our own memory, or the memory of before goes back. */
static void keep_rest(struct fx_http_exchange *exchange, bool borrowed) {
    struct fx_buf *rest = &exchange->rest;
    if (exchange->input.len == 0) {
        exchange->input = (struct fx_text){0};
        fx_buf_finish(rest);
    } else if (borrowed) {
        fx_buf_reset(rest);
        fx_buf_text(rest, exchange->input);
        exchange->input = (struct fx_text){rest->data, rest->len};
        if (rest->failed) {
            exchange->input = (struct fx_text){0};
            fx_stream_close(&exchange->stream);
        }
    }
    (void)account(exchange);
}

/* Will no further request come, or be let in? */
static bool is_over(const struct fx_http_exchange *exchange) {
    return exchange->stream.ended || (exchange->server->stopping && !exchange->awaited &&
                                      exchange->arrival_ns == 0);
}

/* Has it had its part of this turn of the loop, and more to do? It had one request, or
 * one buffer full of bytes; libuv itself would read up to 32 of those before it looks at
 * anybody else. */
static bool has_more(const struct fx_http_exchange *exchange) {
    return exchange->phase == FX_HTTP_READING &&
           (exchange->input.len > 0 || exchange->stream.filled);
}

/* Reads requests off the input until one was answered, or waits for it, or none is whole.
 * What is left has a turn of its own. */
static void run(struct fx_http_exchange *exchange, bool borrowed) {
    fx_loop_tasks_remove(&exchange->server->others, &exchange->task);
    exchange->running = true;
    exchange->answered = false;
    while (exchange->phase == FX_HTTP_READING && exchange->input.len > 0 &&
           !exchange->answered && !exchange->stream.closing) {
        step(exchange);
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
        end(exchange);
        return;
    }
    fx_stream_read(&exchange->stream, reads);
}

void fx_http_connection_on_task(struct fx_loop_task *task) {
    struct fx_http_exchange *exchange =
        checked((char *)task - offsetof(struct fx_http_exchange, task));
    exchange->stream.filled = false;
    run(exchange, false);
}

void fx_http_connection_answered(struct fx_http_exchange *exchange, bool keep) {
    if (exchange->gone) {
        fx_http_connection_free(exchange);
        return;
    }
    if (!keep) {
        end(exchange);
        return;
    }
    exchange->answered = true;
    fx_http_parse_next(exchange->parse);
    (void)account(exchange);
    exchange->arrival_ns = 0;
    exchange->phase = fx_stream_has_queued_output(&exchange->stream) ? FX_HTTP_WRITING
                                                                     : FX_HTTP_READING;
    fx_http_connection_move(exchange, &exchange->server->open);
    fx_stream_set_deadline(&exchange->stream, exchange->server->options.idle_ms);
    if (!exchange->running && exchange->phase == FX_HTTP_READING) {
        run(exchange, false);
    }
}

/* ---- what the stream tells ---- */

static void on_open(void *user) {
    struct fx_http_exchange *exchange = checked(user);
    struct fx_http_server *server = exchange->server;
    server->counts.handshakes++;
    exchange->phase = FX_HTTP_READING;
    fx_http_connection_move(exchange, &server->open);
    fx_stream_set_deadline(&exchange->stream,
                           server->stopping ? AWAIT_MS : server->options.idle_ms);
}

/* When the turn of the loop began in which the bytes were found, not when we came to
 * them: within a millisecond, which is how exactly libuv keeps it. */
static uint64_t found_ns(const uv_loop_t *loop) {
    const uint64_t now = fx_clock_ns();
    const uint64_t iteration = (uv_now(loop) + 1) * 1000000;
    return iteration < now ? iteration : now;
}

static void on_bytes(void *user, struct fx_text bytes) {
    struct fx_http_exchange *exchange = checked(user);
    assert(exchange->phase == FX_HTTP_READING && exchange->input.len == 0);
    exchange->read_ns = found_ns(exchange->server->loop);
    exchange->input = bytes;
    run(exchange, true);
}

/* A client may half-close when it has said all; it still gets its answers. */
static void on_end(void *user) {
    struct fx_http_exchange *exchange = checked(user);
    if (exchange->phase == FX_HTTP_READING) {
        run(exchange, false);
    }
}

/* Answers leave after they are given, and so it is only now that we know: a client that
 * does not read them gets no further one made until it has. While one is being made it
 * comes to that afterwards (fx_http_connection_answered()). */
static void on_write_blocked(void *user) {
    struct fx_http_exchange *exchange = checked(user);
    if (exchange->phase == FX_HTTP_READING) {
        exchange->phase = FX_HTTP_WRITING;
        fx_loop_tasks_remove(&exchange->server->others, &exchange->task);
        fx_stream_read(&exchange->stream, false);
    }
}

static void on_drained(void *user) {
    struct fx_http_exchange *exchange = checked(user);
    const struct fx_http_server_options *options = &exchange->server->options;
    if (exchange->phase == FX_HTTP_WRITING) {
        const bool begun = exchange->arrival_ns != 0;
        exchange->phase = FX_HTTP_READING;
        fx_stream_set_deadline(&exchange->stream,
                               begun ? options->message_ms : options->idle_ms);
        run(exchange, false);
    }
}

static void on_deadline(void *user) {
    struct fx_http_exchange *exchange = checked(user);
    if (exchange->phase == FX_HTTP_HANDSHAKE) {
        exchange->server->counts.handshake_fails++;
        fx_stream_close(&exchange->stream);
    } else if (exchange->phase == FX_HTTP_READING && exchange->arrival_ns != 0) {
        refuse(exchange, (struct fx_http_fault){408, "the request came too slowly"});
    } else if (exchange->phase == FX_HTTP_READING) {
        end(exchange);
    }
}

static void on_error(void *user, const struct fx_err *failure) {
    (void)failure; /* clients come and go; counted where it may be our certificate */
    struct fx_http_exchange *exchange = checked(user);
    fx_loop_tasks_remove(&exchange->server->others, &exchange->task);
    if (exchange->phase == FX_HTTP_HANDSHAKE) {
        exchange->server->counts.handshake_fails++;
    }
}

static void on_closed(void *user) {
    struct fx_http_exchange *exchange = checked(user);
    if (exchange->phase == FX_HTTP_ANSWERING) {
        exchange->gone = true; /* the answer will come, and free it */
        return;
    }
    fx_http_connection_free(exchange);
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

/* ---- beginning and end ---- */

static struct fx_http_exchange *make(struct fx_http_server *server) {
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
    struct fx_http_exchange *exchange = make(server);
    if (exchange == NULL) {
        return false;
    }
    const bool shakes = exchange->phase == FX_HTTP_HANDSHAKE;
    fx_http_connection_move(exchange, shakes ? &server->shaking : &server->open);
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

void fx_http_connection_free(struct fx_http_exchange *exchange) {
    struct fx_http_server *server = exchange->server;
    fx_http_connection_move(exchange, NULL);
    fx_loop_tasks_remove(&server->others, &exchange->task);
    let_go(exchange);
    exchange->magic = 0;
    free(exchange);
    fx_http_connection_count(server, -1);
    fx_http_server_finish_stop(server);
}

void fx_http_connection_close(struct fx_http_exchange *exchange) {
    end(exchange);
    fx_stream_close(&exchange->stream);
    fx_http_connection_move(exchange, NULL);
}

/* Bytes that are already here may be a request, and its client would not send it again
 * where another server would take it: clients repeat only what was not sent. */
void fx_http_connection_stop(struct fx_http_exchange *exchange) {
    const bool shakes = exchange->phase == FX_HTTP_HANDSHAKE;
    const bool reads = exchange->phase == FX_HTTP_READING && !exchange->running;
    if ((!shakes && !reads) || exchange->arrival_ns != 0) {
        return;
    }
    if (exchange->input.len > 0 || fx_stream_expects_input(&exchange->stream)) {
        exchange->awaited = true;
        fx_stream_set_deadline(&exchange->stream, AWAIT_MS);
    } else {
        fx_http_connection_close(exchange);
    }
}
