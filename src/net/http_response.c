/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_response.c - rules for responses in addition to llhttp: limits, ambiguous
 * framing, interim responses.
 */
#include "net/http_response.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include <llhttp.h>

#include "base/buf.h"
#include "base/checked.h"
#include "net/http_head.h"

#define FIRST_BYTES 65536 /* of an announced body: this much is reserved at once */

/* The most bytes of framing of a chunk without extension: a size of 64 bits and two line
 * ends. */
#define CHUNK_FRAMING (16 + 4)

#define RESPONSE_MAGIC 0x66786872u /* "fxhr" */

struct fx_http_response {
    uint32_t magic;
    llhttp_t llhttp;
    enum fx_http_head_state scan;
    bool to_head, headed, complete, whole;
    bool streamed; /* the body is passed on in pieces */
    bool begun;    /* the body has begun */
    bool stopped;  /* stopped for HEAD or PIECE: the fed bytes may contain more */
    bool persists; /* according to the response alone */
    size_t max_head, max_body;
    struct fx_buf head, body;
    size_t interim; /* bytes of the heads of 1xx responses */
    struct fx_text piece;
    const char *counted; /* end of the fed bytes that are counted */
    size_t framing;      /* bytes after the head that are not body; see allow_framing() */
    struct fx_err failure;
};

/* Stores the failure, unless there already is one. Always false, as the next two
 * functions. */
static bool reject_response(struct fx_http_response *response, const char *why) {
    return response->failure.code == FX_OK &&
           fx_fail(&response->failure, FX_EIO, "%s", why);
}

static bool reject_nomem(struct fx_http_response *response) {
    return fx_fail_nomem(&response->failure);
}

static bool reject_size(struct fx_http_response *response, const char *what, size_t max) {
    return fx_fail(&response->failure, FX_ELIMIT, "%s is larger than %zu bytes", what,
                   max);
}

/* ---- callbacks of llhttp; -1 stops it ---- */

/* Checks the length (RFC 9112 section 6): it must be stated in one way, and the coding
 * must be known. */
static bool check_length(struct fx_http_response *response) {
    size_t n_codings = 0;
    const struct fx_text coding =
        fx_http_head_field(fx_buf_view(&response->head), "transfer-encoding", &n_codings);
    const bool has_length = (response->llhttp.flags & F_CONTENT_LENGTH) != 0;
    if (n_codings > 0 && (has_length || response->llhttp.http_minor == 0)) {
        return reject_response(response,
                               "transfer coding and length contradict each other");
    }
    if (n_codings > 1 || (n_codings == 1 && !fx_http_equals_nocase(coding, "chunked"))) {
        return reject_response(response,
                               "the answer has a transfer coding that was not requested");
    }
    return true;
}

static bool check_head(struct fx_http_response *response) {
    const llhttp_t *llhttp = &response->llhttp;
    if (llhttp->http_major != 1 || llhttp->http_minor > 1) {
        return reject_response(response, "the answer is neither HTTP/1.1 nor HTTP/1.0");
    }
    if (response->scan != FX_HTTP_HEAD_DONE || llhttp->status_code < 100 ||
        llhttp->status_code > 999) {
        return reject_response(response, "the answer is malformed");
    }
    if (llhttp->status_code == 101) {
        return reject_response(response, "the answer goes on in another protocol");
    }
    return check_length(response);
}

/* Returns 1 if there is no body, whatever the fields are. */
static int on_headers_complete(llhttp_t *llhttp) {
    struct fx_http_response *response = fx_checked(llhttp->data, RESPONSE_MAGIC);
    if (!check_head(response)) {
        return -1;
    }
    llhttp->upgrade = 0;
    response->headed = true;
    const bool bodiless = response->to_head || llhttp->status_code < 200 ||
                          llhttp->status_code == 204 || llhttp->status_code == 304;
    return bodiless ? 1 : 0;
}

/* Counts the uncounted bytes up to `at` as framing: chunk sizes, extensions, trailers.
 * For a collected body the limit is `max_head` + `max_body`, with the message for a large
 * body, because the split of the bytes may decide which limit is exceeded first. False if
 * it is exceeded. */
static bool count_framing(struct fx_http_response *response, const char *at) {
    response->framing += (size_t)(at - response->counted);
    response->counted = at;
    if (response->streamed && response->framing > response->max_head) {
        return reject_size(response, "the answer's framing", response->max_head);
    }
    if (response->framing > response->max_head + response->max_body) {
        return reject_size(response, "the answer", response->max_body);
    }
    return true;
}

/* Allows framing for bytes of a streamed body, as if each byte were a chunk. An unused
 * allowance is not kept. */
static void allow_framing(struct fx_http_response *response, size_t body_bytes) {
    const bool all = body_bytes > response->framing / CHUNK_FRAMING;
    response->framing -= all ? response->framing : body_bytes * CHUNK_FRAMING;
}

static int on_body(llhttp_t *llhttp, const char *at, size_t len) {
    struct fx_http_response *response = fx_checked(llhttp->data, RESPONSE_MAGIC);
    if (len == 0) { /* llhttp continues after a piece */
        return 0;
    }
    if (!count_framing(response, at)) {
        return -1;
    }
    response->counted = at + len;
    if (response->streamed) {
        allow_framing(response, len);
        response->piece = (struct fx_text){at, len};
        return HPE_PAUSED;
    }
    if (len > response->max_body - response->body.len) {
        (void)reject_size(response, "the answer", response->max_body);
        return -1;
    }
    fx_buf_add(&response->body, at, len);
    return !response->body.failed || reject_nomem(response) ? 0 : -1;
}

static int on_message_complete(llhttp_t *llhttp) {
    struct fx_http_response *response = fx_checked(llhttp->data, RESPONSE_MAGIC);
    response->complete = true;
    response->persists = llhttp->http_minor == 1 && llhttp_should_keep_alive(llhttp) != 0;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

/* ---- feeding ---- */

/* Prepares for the first response, or for one after an interim response. */
static void start_message(struct fx_http_response *response) {
    llhttp_init(&response->llhttp, HTTP_RESPONSE, &settings);
    response->llhttp.data = response;
    response->scan = FX_HTTP_HEAD_STATUS_LINE;
    response->headed = response->complete = false;
    fx_buf_reset(&response->head);
}

struct fx_http_response *fx_http_response_create(size_t max_head, size_t max_body,
                                                 bool to_head) {
    struct fx_http_response *response = calloc(1, sizeof *response);
    if (response == NULL) {
        return NULL;
    }
    response->magic = RESPONSE_MAGIC;
    response->max_head = max_head;
    response->max_body = max_body;
    response->to_head = to_head;
    fx_buf_init_secret(&response->head, 0);
    fx_buf_init_secret(&response->body, 0);
    start_message(response);
    return response;
}

void fx_http_response_destroy(struct fx_http_response *response) {
    if (response == NULL) {
        return;
    }
    fx_buf_finish(&response->head);
    fx_buf_finish(&response->body);
    response->magic = 0;
    free(response);
}

/* Passes bytes to llhttp; *ret_used of them belong to this response. False if they are
 * rejected. */
static bool feed_llhttp(struct fx_http_response *response, struct fx_text bytes,
                        size_t *ret_used) {
    const llhttp_errno_t rc = llhttp_execute(&response->llhttp, bytes.data, bytes.len);
    *ret_used = bytes.len;
    if (rc == HPE_OK) {
        return true;
    }
    *ret_used = (size_t)(llhttp_get_error_pos(&response->llhttp) - bytes.data);
    if (rc == HPE_PAUSED && (response->complete || response->piece.len > 0)) {
        return true;
    }
    return reject_response(response, "the answer is malformed");
}

/* Appends bytes to the head, and passes them to llhttp. */
static bool read_head(struct fx_http_response *response, struct fx_text part) {
    const size_t at = response->head.len;
    fx_buf_add(&response->head, part.data, part.len);
    if (response->head.failed) {
        return reject_nomem(response);
    }
    size_t used = 0;
    return feed_llhttp(response, (struct fx_text){response->head.data + at, part.len},
                       &used);
}

static void advance(struct fx_text *bytes, size_t used) {
    bytes->data += used;
    bytes->len -= used;
}

/* Feeds the head. The result must not depend on how the bytes are split: llhttp gets
 * every byte before the invalid one, and the byte that is over a limit exceeds it. */
static bool feed_head(struct fx_http_response *response, struct fx_text *bytes) {
    const size_t room = response->max_head - response->interim - response->head.len;
    if (room == 0) {
        return reject_size(response, "the answer's head", response->max_head);
    }
    struct fx_text part = {bytes->data, bytes->len < room ? bytes->len : room};
    part.len = fx_http_head_scan(&response->scan, part);
    advance(bytes, part.len);
    const bool bad = response->scan == FX_HTTP_HEAD_BAD;
    part.len -= bad ? 1 : 0;
    if (part.len > 0 && !read_head(response, part)) {
        return false;
    }
    if (bad || (response->scan == FX_HTTP_HEAD_DONE && !response->headed)) {
        return reject_response(response, "the answer is malformed");
    }
    return true;
}

/* Begins the body, now that it is known whether it is streamed. A collected body has a
 * limit. */
static bool begin_body(struct fx_http_response *response) {
    const uint64_t length = response->llhttp.content_length;
    response->begun = true;
    if (response->streamed || length == 0) {
        return true;
    }
    if (length > response->max_body) {
        return reject_size(response, "the answer", response->max_body);
    }
    if (length <= FIRST_BYTES &&
        fx_buf_reserve(&response->body, (size_t)length) == NULL) {
        return reject_nomem(response);
    }
    return true;
}

static bool feed_body(struct fx_http_response *response, struct fx_text *bytes) {
    size_t used = 0;
    llhttp_resume(&response->llhttp);
    response->counted = bytes->data;
    const bool ok = feed_llhttp(response, *bytes, &used);
    advance(bytes, used);
    /* After a piece the framing is counted; otherwise the limit is checked before other
     * errors. */
    return (response->piece.len > 0 || count_framing(response, bytes->data)) && ok;
}

static bool feed_step(struct fx_http_response *response, struct fx_text *bytes) {
    if (response->scan != FX_HTTP_HEAD_DONE) {
        return feed_head(response, bytes);
    }
    return response->begun ? feed_body(response, bytes) : begin_body(response);
}

/* Ends a response. True if it is the final one, false if it is an interim one. */
static bool end_one(struct fx_http_response *response) {
    if (response->llhttp.status_code >= 200) {
        response->whole = true;
        return true;
    }
    response->interim += response->head.len;
    start_message(response);
    return false;
}

static enum fx_http_response_event bad(const struct fx_http_response *response,
                                       struct fx_err *err) {
    *err = response->failure;
    return FX_HTTP_RESPONSE_BAD;
}

/* Returns the event, if there is one before all bytes are read. */
static enum fx_http_response_event event_of(const struct fx_http_response *response) {
    if (response->piece.len > 0) {
        return FX_HTTP_RESPONSE_PIECE;
    }
    return response->headed && !response->begun && response->llhttp.status_code >= 200
               ? FX_HTTP_RESPONSE_HEAD
               : FX_HTTP_RESPONSE_MORE;
}

enum fx_http_response_event fx_http_response_feed(struct fx_http_response *response,
                                                  struct fx_text *bytes,
                                                  struct fx_err *err) {
    assert(!response->whole && response->failure.code == FX_OK);
    response->piece = (struct fx_text){0};
    while (!response->complete || !end_one(response)) {
        if (bytes->len == 0 && !response->stopped) {
            return FX_HTTP_RESPONSE_MORE;
        }
        response->stopped = false;
        if (!feed_step(response, bytes)) {
            return bad(response, err);
        }
        const enum fx_http_response_event event = event_of(response);
        if (event != FX_HTTP_RESPONSE_MORE) {
            response->stopped = true;
            return event;
        }
    }
    response->persists = response->persists && bytes->len == 0;
    return FX_HTTP_RESPONSE_WHOLE;
}

enum fx_http_response_event fx_http_response_end(struct fx_http_response *response,
                                                 bool truncated, struct fx_err *err) {
    assert(!response->whole && response->failure.code == FX_OK && !response->stopped);
    if (response->headed && !truncated) {
        (void)llhttp_finish(
            &response->llhttp); /* completes a body that ends with the connection */
    }
    if (response->complete) {
        response->whole = true;
        return FX_HTTP_RESPONSE_WHOLE;
    }
    (void)reject_response(response,
                          response->head.len > 0
                              ? "the connection ended in the middle of the answer"
                              : "the connection ended without an answer");
    return bad(response, err);
}

/* ---- results ---- */

void fx_http_response_stream(struct fx_http_response *response) {
    assert(response->headed && !response->begun && response->stopped);
    response->streamed = true;
}

struct fx_text fx_http_response_piece(const struct fx_http_response *response) {
    assert(response->piece.len > 0);
    return response->piece;
}

bool fx_http_response_persists(const struct fx_http_response *response) {
    assert(response->whole);
    return response->persists;
}

unsigned fx_http_response_status(const struct fx_http_response *response) {
    assert(response->headed);
    return response->llhttp.status_code;
}

struct fx_text fx_http_response_head(const struct fx_http_response *response) {
    assert(response->headed);
    return fx_buf_view(&response->head);
}

struct fx_text fx_http_response_body(const struct fx_http_response *response) {
    assert(response->whole);
    return fx_buf_view(&response->body);
}
