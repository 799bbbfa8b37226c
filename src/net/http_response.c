/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_response.c - the rules of one response around llhttp: bounds, framing that two
 * readers could understand differently, interim responses.
 */
#include "net/http_response.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include <llhttp.h>

#include "base/buf.h"
#include "net/http_head.h"

#define FIRST_BYTES 65536 /* of a body announced: memory taken on its word */

#define RESPONSE_MAGIC 0x66786872u /* "fxhr" */

struct fx_http_response {
    uint32_t magic;
    llhttp_t llhttp;
    enum fx_http_head_state scan;
    bool to_head, headed, complete, whole;
    bool persists; /* as far as the response itself says */
    size_t max_head, max_body;
    struct fx_buf head, body;
    size_t interim; /* bytes of the heads of 1xx responses */
    size_t framing; /* bytes since the head that are no body */
    struct fx_err failure;
};

static struct fx_http_response *response_of(llhttp_t *llhttp) {
    struct fx_http_response *response = llhttp->data;
    assert(response != NULL && response->magic == RESPONSE_MAGIC);
    return response;
}

/* The first reason stands. Always -1, which stops llhttp. */
static int refuse(struct fx_http_response *response, const char *why) {
    if (response->failure.code == FX_OK) {
        (void)fx_fail(&response->failure, FX_EIO, "%s", why);
    }
    return -1;
}

static int refuse_nomem(struct fx_http_response *response) {
    (void)fx_fail_nomem(&response->failure);
    return -1;
}

static int refuse_size(struct fx_http_response *response, const char *what, size_t max) {
    (void)fx_fail(&response->failure, FX_ELIMIT, "%s is larger than %zu bytes", what,
                  max);
    return -1;
}

static struct fx_text text_of(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

/* ---- what llhttp calls ---- */

/* RFC 9112 section 6: one way to say the length, and only codings we know. */
static int check_length(struct fx_http_response *response) {
    size_t n_codings = 0;
    const struct fx_text coding =
        fx_http_head_field(text_of(&response->head), "transfer-encoding", &n_codings);
    const bool has_length = (response->llhttp.flags & F_CONTENT_LENGTH) != 0;
    if (n_codings > 0 && (has_length || response->llhttp.http_minor == 0)) {
        return refuse(response, "transfer coding and length contradict each other");
    }
    if (n_codings > 1 || (n_codings == 1 && !fx_http_same(coding, "chunked"))) {
        return refuse(response,
                      "the answer has a transfer coding that was not asked for");
    }
    if (has_length && !response->to_head &&
        response->llhttp.content_length > response->max_body) {
        return refuse_size(response, "the answer", response->max_body);
    }
    return 0;
}

/* Returns 1 where no body follows, whatever the fields say. */
static int on_headers_complete(llhttp_t *llhttp) {
    struct fx_http_response *response = response_of(llhttp);
    if (llhttp->http_major != 1 || llhttp->http_minor > 1) {
        return refuse(response, "the answer is neither HTTP/1.1 nor HTTP/1.0");
    }
    if (response->scan != FX_HTTP_HEAD_DONE || llhttp->status_code < 100 ||
        llhttp->status_code > 999) {
        return refuse(response, "the answer is malformed");
    }
    if (llhttp->status_code == 101) {
        return refuse(response, "the answer goes on in another protocol");
    }
    llhttp->upgrade = 0;
    if (check_length(response) != 0) {
        return -1;
    }
    response->headed = true;
    if (response->to_head || llhttp->status_code < 200 || llhttp->status_code == 204 ||
        llhttp->status_code == 304) {
        return 1;
    }
    const uint64_t length = llhttp->content_length;
    if (length > 0 && length <= FIRST_BYTES &&
        fx_buf_reserve(&response->body, (size_t)length) == NULL) {
        return refuse_nomem(response);
    }
    return 0;
}

static int on_body(llhttp_t *llhttp, const char *at, size_t len) {
    struct fx_http_response *response = response_of(llhttp);
    if (len > response->max_body - response->body.len) {
        return refuse_size(response, "the answer", response->max_body);
    }
    fx_buf_add(&response->body, at, len);
    return response->body.failed ? refuse_nomem(response) : 0;
}

static int on_message_complete(llhttp_t *llhttp) {
    struct fx_http_response *response = response_of(llhttp);
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

/* Ready for a response, the first one or that behind an interim one. */
static void begin(struct fx_http_response *response) {
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
    begin(response);
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

/* Lets llhttp read; returns how many bytes belong to this response. False: refused. */
static bool execute(struct fx_http_response *response, struct fx_text bytes,
                    size_t *ret_used) {
    const llhttp_errno_t rc = llhttp_execute(&response->llhttp, bytes.data, bytes.len);
    *ret_used = bytes.len;
    if (rc == HPE_OK) {
        return true;
    }
    *ret_used = (size_t)(llhttp_get_error_pos(&response->llhttp) - bytes.data);
    if (rc == HPE_PAUSED && response->complete) {
        return true;
    }
    (void)refuse(response, "the answer is malformed");
    return false;
}

/* Adds the head's next bytes to it, and lets llhttp read them there. */
static bool read_head(struct fx_http_response *response, struct fx_text part) {
    const size_t at = response->head.len;
    fx_buf_add(&response->head, part.data, part.len);
    if (response->head.failed) {
        (void)refuse_nomem(response);
        return false;
    }
    size_t used = 0;
    return execute(response, (struct fx_text){response->head.data + at, part.len}, &used);
}

/* What comes out must not depend on how the bytes were split: llhttp sees every byte
 * before the one at fault, and a bound is met at the byte that goes over it. */
static bool feed_head(struct fx_http_response *response, struct fx_text bytes,
                      size_t *ret_used) {
    const size_t room = response->max_head - response->interim - response->head.len;
    if (room == 0) {
        (void)refuse_size(response, "the answer's head", response->max_head);
        return false;
    }
    struct fx_text part = {bytes.data, bytes.len < room ? bytes.len : room};
    part.len = fx_http_head_scan(&response->scan, part);
    *ret_used = part.len;
    const bool bad = response->scan == FX_HTTP_HEAD_BAD;
    part.len -= bad ? 1 : 0;
    if (part.len > 0 && !read_head(response, part)) {
        return false;
    }
    if (bad || (response->scan == FX_HTTP_HEAD_DONE && !response->headed)) {
        (void)refuse(response, "the answer is malformed");
        return false;
    }
    return true;
}

/* Chunk sizes, extensions and trailers are bounded like head and body together. The words
 * are those of a large body, for which of the two is met first may depend on the split.
 */
static bool feed_body(struct fx_http_response *response, struct fx_text bytes,
                      size_t *ret_used) {
    const size_t before = response->body.len;
    const bool ok = execute(response, bytes, ret_used);
    response->framing += *ret_used - (response->body.len - before);
    if (response->framing > response->max_head + response->max_body) {
        (void)refuse_size(response, "the answer", response->max_body);
        return false;
    }
    return ok;
}

/* A response is complete: the one we wait for, or one before it? */
static void end_one(struct fx_http_response *response) {
    if (response->llhttp.status_code >= 200) {
        response->whole = true;
        return;
    }
    response->interim += response->head.len;
    begin(response);
}

static enum fx_http_response_event bad(const struct fx_http_response *response,
                                       struct fx_err *err) {
    *err = response->failure;
    return FX_HTTP_RESPONSE_BAD;
}

enum fx_http_response_event fx_http_response_feed(struct fx_http_response *response,
                                                  struct fx_text bytes,
                                                  struct fx_err *err) {
    assert(!response->whole && response->failure.code == FX_OK);
    size_t at = 0;
    while (at < bytes.len) {
        const struct fx_text rest = {bytes.data + at, bytes.len - at};
        size_t used = 0;
        const bool ok = response->scan == FX_HTTP_HEAD_DONE
                            ? feed_body(response, rest, &used)
                            : feed_head(response, rest, &used);
        if (!ok) {
            return bad(response, err);
        }
        at += used;
        if (response->complete) {
            end_one(response);
        }
        if (response->whole) {
            response->persists = response->persists && at == bytes.len;
            return FX_HTTP_RESPONSE_WHOLE;
        }
    }
    return FX_HTTP_RESPONSE_MORE;
}

enum fx_http_response_event fx_http_response_end(struct fx_http_response *response,
                                                 bool cut, struct fx_err *err) {
    assert(!response->whole && response->failure.code == FX_OK);
    if (response->headed && !cut) {
        (void)llhttp_finish(
            &response->llhttp); /* completes a body that the end delimits */
    }
    if (response->complete) {
        response->whole = true;
        return FX_HTTP_RESPONSE_WHOLE;
    }
    (void)refuse(response, response->head.len > 0
                               ? "the connection ended in the middle of the answer"
                               : "the connection ended without an answer");
    return bad(response, err);
}

/* ---- results ---- */

bool fx_http_response_persists(const struct fx_http_response *response) {
    assert(response->whole);
    return response->persists;
}

unsigned fx_http_response_status(const struct fx_http_response *response) {
    assert(response->whole);
    return response->llhttp.status_code;
}

struct fx_text fx_http_response_body(const struct fx_http_response *response) {
    assert(response->whole);
    return text_of(&response->body);
}
