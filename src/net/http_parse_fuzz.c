/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_parse_fuzz.c - the bytes of a connection, whole and split as the input says:
 * both readings must find the same requests and the same fault.
 *
 * Input: a byte n, then n % 16 bytes of piece lengths (used in task, 0 counts as 256),
 * then the connection's bytes.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "net/http_head.h"
#include "net/http_parse.h"

#define MAX_HEADER 512
#define MAX_BODY   128

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct pieces {
    const uint8_t *lengths;
    size_t n_lengths, at;
};

static size_t next_piece(struct pieces *pieces, size_t left) {
    if (pieces->n_lengths == 0) {
        return left;
    }
    const uint8_t length = pieces->lengths[pieces->at++ % pieces->n_lengths];
    const size_t piece = length == 0 ? 256 : length;
    return piece < left ? piece : left;
}

static void note_request(const struct fx_http_parse *parse, struct fx_buf *notes) {
    const struct fx_http_request request = fx_http_parse_request(parse);
    assert(request.head.len <= MAX_HEADER && request.body.len <= MAX_BODY);
    assert(request.path.len > 0 && request.method.len > 0);
    size_t n_hosts = 0;
    (void)fx_http_head_field(request.head, "host", &n_hosts);
    assert(n_hosts == 1 || (n_hosts == 0 && request.is_1_0));
    fx_buf_text(notes, request.method);
    fx_buf_char(notes, ' ');
    fx_buf_text(notes, request.path);
    fx_buf_char(notes, '?');
    fx_buf_text(notes, request.query);
    fx_buf_printf(notes, " %d%d%d ", request.keep_alive, request.is_1_0, request.is_head);
    fx_buf_text(notes, request.head);
    fx_buf_text(notes, request.body);
}

/* What a server would do with the bytes. */
static void read_all(struct fx_text bytes, struct pieces pieces, struct fx_buf *notes) {
    struct fx_http_parse *parse = fx_http_parse_create(MAX_HEADER, MAX_BODY, NULL);
    bool alive = parse != NULL;
    while (alive && bytes.len > 0) {
        struct fx_text piece = {bytes.data, next_piece(&pieces, bytes.len)};
        while (alive && piece.len > 0) {
            size_t used = 0;
            const enum fx_http_event event = fx_http_parse_feed(parse, piece, &used);
            assert(used <= piece.len && (event != FX_HTTP_MORE || used == piece.len));
            piece.data += used;
            piece.len -= used;
            if (event == FX_HTTP_CONTINUE) {
                fx_buf_str(notes, "continue\n");
            } else if (event == FX_HTTP_WHOLE) {
                note_request(parse, notes);
                alive = fx_http_parse_request(parse).keep_alive;
                fx_http_parse_next(parse);
            } else if (event == FX_HTTP_BAD) {
                fx_buf_printf(notes, "bad %u\n", fx_http_parse_fault(parse).status);
                alive = false;
            }
        }
        bytes.len -= (size_t)(piece.data - bytes.data);
        bytes.data = piece.data;
    }
    if (alive) {
        fx_buf_printf(notes, "begun %d\n", fx_http_parse_begun(parse));
    }
    fx_http_parse_destroy(parse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size - 1 < data[0] % 16u) {
        return 0;
    }
    const struct pieces pieces = {.lengths = data + 1, .n_lengths = data[0] % 16u};
    /* A copy of its own, so that sanitizers see a read behind it. */
    const size_t len = size - 1 - pieces.n_lengths;
    char *copy = malloc(len + 1);
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, data + 1 + pieces.n_lengths, len);
    const struct fx_text bytes = {copy, len};
    struct fx_buf whole = {0};
    struct fx_buf split = {0};
    read_all(bytes, (struct pieces){0}, &whole);
    read_all(bytes, pieces, &split);
    assert(whole.failed || split.failed ||
           (whole.len == split.len &&
            (whole.len == 0 || memcmp(whole.data, split.data, whole.len) == 0)));
    fx_buf_finish(&whole);
    fx_buf_finish(&split);
    free(copy);
    return 0;
}
