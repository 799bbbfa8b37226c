/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_response_fuzz.c - the bytes of a server, whole and split as the input says:
 * both readings must find the same response or the same fault.
 *
 * Input: a byte n, then n % 16 bytes of piece lengths (used in task, 0 counts as 256),
 * then the connection's bytes. n & 16: the answer to HEAD; n & 32: the end is no orderly
 * one; n & 64: the body is streamed, so that its pieces must join to the same.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "net/http_response.h"

#define MAX_HEAD 512
#define MAX_BODY 128

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
    struct fx_text bytes;
    const uint8_t *lengths;
    size_t n_lengths;
    bool to_head, cut, streamed;
};

static size_t piece_length(const struct reading *reading, size_t n, size_t left) {
    if (reading->n_lengths == 0) {
        return left;
    }
    const uint8_t length = reading->lengths[n % reading->n_lengths];
    const size_t piece = length == 0 ? 256 : length;
    return piece < left ? piece : left;
}

static void note_response(const struct fx_http_response *response,
                          const struct reading *reading, struct fx_buf *notes) {
    const struct fx_text body = fx_http_response_body(response);
    const unsigned status = fx_http_response_status(response);
    assert(status >= 200 && status <= 999);
    assert(body.len <= MAX_BODY && body.len <= reading->bytes.len);
    assert(body.len == 0 || !reading->streamed);
    assert(body.len == 0 || (!reading->to_head && status != 204 && status != 304));
    fx_buf_printf(notes, "whole %u ", status);
    fx_buf_text(notes, body);
}

/* Can the next request follow? Not where bytes are left, in this piece or behind it. */
static void note_persistence(const struct fx_http_response *response, bool ended,
                             size_t left, struct fx_buf *notes) {
    const bool persists = fx_http_response_persists(response);
    assert(!persists || !ended);
    fx_buf_str(notes, persists && left == 0 ? " persists" : "");
}

static void note_head(const struct fx_http_response *response, struct fx_buf *notes) {
    const struct fx_text head = fx_http_response_head(response);
    assert(head.len <= MAX_HEAD && head.len > 4);
    assert(memcmp(head.data + head.len - 4, "\r\n\r\n", 4) == 0);
    fx_buf_text(notes, head);
}

/* It lies in what was fed, before what is left. */
static void note_piece(const struct fx_http_response *response, const char *from,
                       const char *left, struct fx_buf *notes) {
    const struct fx_text piece = fx_http_response_piece(response);
    assert(piece.len > 0 && piece.data >= from && piece.data + piece.len <= left);
    fx_buf_text(notes, piece);
}

/* All that these bytes lead to; what is left of them stays in `part`. */
static enum fx_http_response_event feed(struct fx_http_response *response,
                                        const struct reading *reading,
                                        struct fx_text *part, struct fx_buf *notes,
                                        struct fx_err *err) {
    for (;;) {
        const char *from = part->data;
        const enum fx_http_response_event event =
            fx_http_response_feed(response, part, err);
        if (event == FX_HTTP_RESPONSE_HEAD) {
            note_head(response, notes);
            if (reading->streamed) {
                fx_http_response_stream(response);
            }
        } else if (event == FX_HTTP_RESPONSE_PIECE) {
            assert(reading->streamed);
            note_piece(response, from, part->data, notes);
        } else {
            return event;
        }
    }
}

/* What a client would make of the bytes. */
static void read_all(const struct reading *reading, struct fx_buf *notes) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_http_response *response =
        fx_http_response_create(MAX_HEAD, MAX_BODY, reading->to_head);
    if (response == NULL) {
        return;
    }
    enum fx_http_response_event event = FX_HTTP_RESPONSE_MORE;
    struct fx_text rest = reading->bytes;
    for (size_t n = 0; event == FX_HTTP_RESPONSE_MORE && rest.len > 0; n++) {
        struct fx_text part = {rest.data, piece_length(reading, n, rest.len)};
        rest.data += part.len;
        rest.len -= part.len;
        event = feed(response, reading, &part, notes, &err);
        assert(part.len == 0 || event != FX_HTTP_RESPONSE_MORE);
    }
    const bool ended = event == FX_HTTP_RESPONSE_MORE;
    if (ended) {
        event = fx_http_response_end(response, reading->cut, &err);
        assert(event != FX_HTTP_RESPONSE_MORE);
        assert(event != FX_HTTP_RESPONSE_WHOLE || !reading->cut);
    }
    if (event == FX_HTTP_RESPONSE_WHOLE) {
        note_response(response, reading, notes);
        note_persistence(response, ended, rest.len, notes);
    } else {
        assert(err.code != FX_OK && err.msg[0] != '\0');
        fx_buf_printf(notes, "bad %d %s", (int)err.code, err.msg);
    }
    fx_http_response_destroy(response);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size - 1 < data[0] % 16u) {
        return 0;
    }
    /* A copy of its own, so that sanitizers see a read behind it. */
    const size_t n_lengths = data[0] % 16u;
    const size_t len = size - 1 - n_lengths;
    char *copy = malloc(len + 1);
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, data + 1 + n_lengths, len);
    struct reading reading = {.bytes = {copy, len},
                              .to_head = (data[0] & 16) != 0,
                              .cut = (data[0] & 32) != 0,
                              .streamed = (data[0] & 64) != 0};
    struct fx_buf whole = {0};
    struct fx_buf split = {0};
    read_all(&reading, &whole);
    reading.lengths = data + 1;
    reading.n_lengths = n_lengths;
    read_all(&reading, &split);
    assert(whole.failed || split.failed ||
           (whole.len == split.len &&
            (whole.len == 0 || memcmp(whole.data, split.data, whole.len) == 0)));
    fx_buf_finish(&whole);
    fx_buf_finish(&split);
    free(copy);
    return 0;
}
