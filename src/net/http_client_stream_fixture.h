/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_stream_fixture.h - for the tests of streamed responses.
 */
#ifndef FX_NET_HTTP_CLIENT_STREAM_FIXTURE_H
#define FX_NET_HTTP_CLIENT_STREAM_FIXTURE_H

#include "net/http_pool_fixture.h"

#include "net/http_head.h"

#define CHUNKED \
    OK_LINE "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
#define FIRST CHUNKED "8\r\n{\"a\":1}\n\r\n"
#define LAST  "0\r\n\r\n"

struct taken {
    struct asked asked; /* first: the `user` of on_done() */
    struct fx_buf pieces, type;
    unsigned n_heads, n_pieces, status;
    bool declines;
    bool cancels_at_head;
    unsigned cancels_at_piece;    /* 0: at none */
    void (*at_piece)(void *user); /* NULL: nothing */
};

static inline void cancel_taken(struct taken *taken) {
    fx_http_call_cancel(taken->asked.call);
    taken->asked.call = NULL;
}

static inline bool on_taken_head(const struct fx_http_call_result *result, void *user) {
    struct taken *taken = user;
    assert_int_equal(taken->n_pieces + taken->asked.n_done, 0);
    assert_null(result->failure);
    taken->n_heads++;
    taken->status = result->status;
    if (taken->cancels_at_head) {
        cancel_taken(taken);
    }
    /* The head is complete, even if the sink does not take the body. */
    fx_buf_text(&taken->type, fx_http_head_field(result->head, "content-type", NULL));
    return !taken->declines;
}

static inline void on_taken_piece(struct fx_text piece, void *user) {
    struct taken *taken = user;
    assert_int_equal(taken->n_heads, 1);
    assert_int_equal(taken->asked.n_done, 0);
    assert_non_null(taken->asked.call); /* none after it was cancelled */
    assert_true(piece.len > 0);
    taken->n_pieces++;
    if (taken->at_piece != NULL) {
        taken->at_piece(user);
    }
    if (taken->n_pieces == taken->cancels_at_piece) {
        cancel_taken(taken);
    }
    fx_buf_text(&taken->pieces, piece);
}

/* Starts a call; the settings in `taken` stay. */
static inline void take(struct pooled *pooled, struct fx_http_call_options options,
                        uint64_t silence_ms, struct taken *taken) {
    const struct fx_http_sink sink = {on_taken_head, on_taken_piece, silence_ms};
    options.sink = &sink; /* copied */
    ask_actor(&pooled->fake, URL, options, &taken->asked);
}

static inline void finish_taken(struct taken *taken) {
    fx_buf_finish(&taken->pieces);
    fx_buf_finish(&taken->type);
    fx_buf_finish(&taken->asked.body);
}

/* The server sends more on its newest connection. */
static inline void speak(struct pooled *pooled, const char *text) {
    assert_non_null(pooled->fake.connections);
    fx_stream_write(&pooled->fake.connections->stream, fx_text_of(text));
}

static inline void await_pieces(struct pooled *pooled, const struct taken *taken,
                                const char *all) {
    for (const uint64_t until = now_ms() + PATIENCE_MS;
         taken->pieces.len < strlen(all) && now_ms() < until;) {
        iterate(pooled);
    }
    assert_string_equal(taken->pieces.len == 0 ? "" : taken->pieces.data, all);
}

static inline void pass_time(struct pooled *pooled, uint64_t ms) {
    for (const uint64_t until = now_ms() + ms; now_ms() < until;) {
        iterate(pooled);
    }
}

#endif
