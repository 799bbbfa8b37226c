/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_parse.c - rules for requests in addition to llhttp: limits, ambiguous framing,
 * unsupported features.
 */
#include "net/http_parse.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llhttp.h>

#include "base/buf.h"
#include "base/checked.h"
#include "net/http_head.h"
#include "net/http_server.h"

#define KEEP_BYTES  16384 /* a larger spare buffer is freed */
#define FIRST_BYTES 65536 /* of an announced body: this much is reserved at once */

#define PARSE_MAGIC 0x66786870u /* "fxhp" */

#define CONTRADICTION "transfer coding and length contradict each other"

struct fx_http_parse {
    uint32_t magic;
    llhttp_t llhttp;
    enum fx_http_head_state scan;
    bool headed, whole, expects_continue, keep_alive;
    size_t max_header, max_body;
    struct fx_http_spare *spare; /* borrowed; may be NULL */
    struct fx_buf head, body;
    size_t target_off, target_len; /* the request target, in the head */
    size_t framing; /* bytes after the head that are not part of the body */
    struct fx_http_fault fault;
};

#define VERSION_OF(major, minor, patch) #major "." #minor "." #patch
#define VERSION(major, minor, patch)    VERSION_OF(major, minor, patch)

const char *fx_http_library(void) {
    return "llhttp " VERSION(LLHTTP_VERSION_MAJOR, LLHTTP_VERSION_MINOR,
                             LLHTTP_VERSION_PATCH);
}

/* Stores the fault, unless there already is one. Returns -1, which stops llhttp. */
static int set_fault(struct fx_http_parse *parse, unsigned status, const char *why) {
    if (parse->fault.status == 0) {
        parse->fault = (struct fx_http_fault){status, why};
    }
    return -1;
}

/* ---- spare buffers ---- */

void fx_http_spare_finish(struct fx_http_spare *spare) {
    fx_buf_finish(&spare->head);
    fx_buf_finish(&spare->body);
}

static void take_spare(struct fx_buf *buf, struct fx_buf *spare) {
    if (buf->cap == 0) {
        *buf = *spare;
        *spare = (struct fx_buf){0};
    }
}

static void give_spare(struct fx_buf *buf, struct fx_buf *spare) {
    if (spare->cap == 0 && buf->cap <= KEEP_BYTES) {
        fx_buf_reset(buf);
        *spare = *buf;
        *buf = (struct fx_buf){0};
    }
}

/* ---- callbacks of llhttp ---- */

/* Takes a piece of the target, as the head was fed. */
static int on_url(llhttp_t *llhttp, const char *at, size_t len) {
    struct fx_http_parse *parse = fx_checked(llhttp->data, PARSE_MAGIC);
    if (parse->target_len == 0) {
        parse->target_off = (size_t)(at - parse->head.data);
    }
    parse->target_len += len;
    return 0;
}

/* Checks the length (RFC 9112 section 6): it must be stated in one way, and the coding
 * must be known. */
static int check_length(struct fx_http_parse *parse) {
    size_t n_codings = 0;
    const struct fx_text coding =
        fx_http_head_field(fx_buf_view(&parse->head), "transfer-encoding", &n_codings);
    const bool has_length = (parse->llhttp.flags & F_CONTENT_LENGTH) != 0;
    if (n_codings > 0 && (has_length || parse->llhttp.http_minor == 0)) {
        return set_fault(parse, 400, CONTRADICTION);
    }
    if (n_codings > 1 || (n_codings == 1 && !fx_http_equals_nocase(coding, "chunked"))) {
        return set_fault(parse, 501, "the only transfer coding known is `chunked`");
    }
    if (has_length && parse->llhttp.content_length > parse->max_body) {
        return set_fault(parse, 413, "the body is too large");
    }
    return 0;
}

static int check_expectation(struct fx_http_parse *parse) {
    const struct fx_text expected =
        fx_http_head_field(fx_buf_view(&parse->head), "expect", NULL);
    if (expected.data == NULL || parse->llhttp.http_minor == 0) {
        return 0;
    }
    if (!fx_http_equals_nocase(expected, "100-continue")) {
        return set_fault(parse, 417, "the only expectation known is `100-continue`");
    }
    parse->expects_continue = true;
    return 0;
}

static int check_host(struct fx_http_parse *parse) {
    size_t n_hosts = 0;
    (void)fx_http_head_field(fx_buf_view(&parse->head), "host", &n_hosts);
    if (n_hosts > 1 || (n_hosts == 0 && parse->llhttp.http_minor > 0)) {
        return set_fault(parse, 400, "exactly one `Host` is needed");
    }
    return 0;
}

/* Refuses a compressed body, which would be taken for malformed JSON. */
static int check_coding(struct fx_http_parse *parse) {
    size_t n_codings = 0;
    const struct fx_text coding =
        fx_http_head_field(fx_buf_view(&parse->head), "content-encoding", &n_codings);
    if (n_codings > 1 || (n_codings == 1 && !fx_http_equals_nocase(coding, "identity"))) {
        return set_fault(parse, 415, "a body with a content coding is not read");
    }
    return 0;
}

/* Is the protocol HTTP? llhttp also accepts others with this syntax: RTSP/1.0,
 * ICE/1.0. */
static bool is_http(const struct fx_http_parse *parse) {
    struct fx_text rest = fx_buf_view(&parse->head);
    const size_t behind = parse->target_off + parse->target_len;
    rest.data += behind;
    rest.len -= behind;
    return fx_text_starts(rest, FX_TEXT(" HTTP/"));
}

static int on_headers_complete(llhttp_t *llhttp) {
    struct fx_http_parse *parse = fx_checked(llhttp->data, PARSE_MAGIC);
    if (llhttp->http_major != 1 || llhttp->http_minor > 1 || !is_http(parse)) {
        return set_fault(parse, 505, "only HTTP/1.1 and HTTP/1.0 are known");
    }
    if (parse->scan != FX_HTTP_HEAD_DONE) {
        return set_fault(parse, 400, "the head ends too early");
    }
    /* No other protocol is offered, so `Upgrade` and CONNECT are treated as usual
     * requests. */
    llhttp->upgrade = 0;
    if (check_host(parse) != 0 || check_length(parse) != 0 || check_coding(parse) != 0 ||
        check_expectation(parse) != 0) {
        return -1;
    }
    if (parse->spare != NULL) {
        take_spare(&parse->body, &parse->spare->body);
    }
    if (llhttp->content_length > 0 && llhttp->content_length <= FIRST_BYTES &&
        fx_buf_reserve(&parse->body, (size_t)llhttp->content_length) == NULL) {
        return set_fault(parse, 503, "out of memory");
    }
    parse->headed = true;
    return 0;
}

static int on_body(llhttp_t *llhttp, const char *at, size_t len) {
    struct fx_http_parse *parse = fx_checked(llhttp->data, PARSE_MAGIC);
    if (len > parse->max_body - parse->body.len) {
        return set_fault(parse, 413, "the body is too large");
    }
    fx_buf_add(&parse->body, at, len);
    return parse->body.failed ? set_fault(parse, 503, "out of memory") : 0;
}

/* A chunk that is too large is rejected before its bytes come, as a Content-Length is. */
static int on_chunk_header(llhttp_t *llhttp) {
    struct fx_http_parse *parse = fx_checked(llhttp->data, PARSE_MAGIC);
    return llhttp->content_length > parse->max_body - parse->body.len
               ? set_fault(parse, 413, "the body is too large")
               : 0;
}

static int on_message_complete(llhttp_t *llhttp) {
    struct fx_http_parse *parse = fx_checked(llhttp->data, PARSE_MAGIC);
    parse->whole = true;
    parse->keep_alive = llhttp_should_keep_alive(llhttp) != 0;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_url = on_url,
    .on_headers_complete = on_headers_complete,
    .on_chunk_header = on_chunk_header,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

/* ---- feeding ---- */

struct fx_http_parse *fx_http_parse_create(size_t max_header, size_t max_body,
                                           struct fx_http_spare *spare) {
    struct fx_http_parse *parse = calloc(1, sizeof *parse);
    if (parse == NULL) {
        return NULL;
    }
    parse->magic = PARSE_MAGIC;
    parse->max_header = max_header;
    parse->max_body = max_body;
    parse->spare = spare;
    llhttp_init(&parse->llhttp, HTTP_REQUEST, &settings);
    parse->llhttp.data = parse;
    return parse;
}

static void free_request(struct fx_http_parse *parse) {
    if (parse->spare != NULL) {
        give_spare(&parse->head, &parse->spare->head);
        give_spare(&parse->body, &parse->spare->body);
    }
    fx_buf_finish(&parse->head);
    fx_buf_finish(&parse->body);
}

void fx_http_parse_destroy(struct fx_http_parse *parse) {
    if (parse == NULL) {
        return;
    }
    free_request(parse);
    parse->magic = 0;
    free(parse);
}

bool fx_http_parse_begun(const struct fx_http_parse *parse) {
    return parse->scan > FX_HTTP_HEAD_BEFORE_LF;
}

size_t fx_http_parse_held(const struct fx_http_parse *parse) {
    const bool holds = parse != NULL && fx_http_parse_begun(parse);
    return holds ? parse->head.cap + parse->body.cap : 0;
}

static enum fx_http_event bad(struct fx_http_parse *parse, unsigned status,
                              const char *why) {
    (void)set_fault(parse, status, why);
    return FX_HTTP_BAD;
}

/* Rejects a request in which llhttp found an error. */
static enum fx_http_event reject_syntax(struct fx_http_parse *parse, llhttp_errno_t rc) {
    if (rc == HPE_INVALID_VERSION || rc == HPE_PAUSED_H2_UPGRADE) {
        return bad(parse, 505, "only HTTP/1.1 and HTTP/1.0 are known");
    }
    if (rc != HPE_INVALID_TRANSFER_ENCODING) {
        return bad(parse, 400, "malformed request");
    }
    return (parse->llhttp.flags & F_CONTENT_LENGTH) != 0 /* from llhttp 9 on */
               ? bad(parse, 400, CONTRADICTION)
               : bad(parse, 501, "the only transfer coding known is `chunked`");
}

/* Passes bytes to llhttp; *ret_used of them belong to this request. */
static enum fx_http_event feed_llhttp(struct fx_http_parse *parse, struct fx_text bytes,
                                      size_t *ret_used) {
    const llhttp_errno_t rc = llhttp_execute(&parse->llhttp, bytes.data, bytes.len);
    *ret_used = bytes.len;
    if (rc == HPE_OK) {
        return FX_HTTP_MORE;
    }
    *ret_used = (size_t)(llhttp_get_error_pos(&parse->llhttp) - bytes.data);
    return rc == HPE_PAUSED && parse->whole ? FX_HTTP_WHOLE : reject_syntax(parse, rc);
}

/* Appends bytes to the head, and passes them to llhttp. */
static enum fx_http_event read_head(struct fx_http_parse *parse, struct fx_text part) {
    const size_t at = parse->head.len;
    if (parse->spare != NULL) {
        take_spare(&parse->head, &parse->spare->head);
    }
    fx_buf_add(&parse->head, part.data, part.len);
    if (parse->head.failed) {
        return bad(parse, 503, "out of memory");
    }
    size_t used = 0;
    return feed_llhttp(parse, (struct fx_text){parse->head.data + at, part.len}, &used);
}

/* Called when the scan has found the end of the head. If llhttp has not, the request is
 * malformed. */
static enum fx_http_event end_head(struct fx_http_parse *parse) {
    if (!parse->headed) {
        return bad(parse, 400, "malformed request");
    }
    if (parse->whole) {
        return FX_HTTP_WHOLE;
    }
    return parse->expects_continue ? FX_HTTP_CONTINUE : FX_HTTP_MORE;
}

/* Feeds the head. The result must not depend on how the bytes are split: llhttp gets
 * every byte before the invalid one, and the byte that is over a limit exceeds it. */
static enum fx_http_event feed_head(struct fx_http_parse *parse, struct fx_text bytes,
                                    size_t *ret_used) {
    const size_t skipped = fx_http_head_skip(&parse->scan, bytes);
    struct fx_text part = {bytes.data + skipped, bytes.len - skipped};
    *ret_used = skipped;
    if (part.len == 0) {
        return FX_HTTP_MORE;
    }
    const size_t room = parse->max_header - parse->head.len;
    if (room == 0) {
        return bad(parse, parse->scan == FX_HTTP_HEAD_REQUEST_LINE ? 414 : 431,
                   "the head is too large");
    }
    part.len = part.len < room ? part.len : room;
    part.len = fx_http_head_scan(&parse->scan, part);
    *ret_used += part.len;
    const bool is_bad = parse->scan == FX_HTTP_HEAD_BAD;
    part.len -= is_bad ? 1 : 0;
    if (part.len > 0 && read_head(parse, part) == FX_HTTP_BAD) {
        return FX_HTTP_BAD;
    }
    if (is_bad) {
        return bad(parse, 400, "malformed request");
    }
    return parse->scan == FX_HTTP_HEAD_DONE ? end_head(parse) : FX_HTTP_MORE;
}

/* Feeds the body. The sum of chunk sizes, extensions and trailers is limited by
 * `max_header` + `max_body`. */
static enum fx_http_event feed_body(struct fx_http_parse *parse, struct fx_text bytes,
                                    size_t *ret_used) {
    const size_t before = parse->body.len;
    const enum fx_http_event event = feed_llhttp(parse, bytes, ret_used);
    parse->framing += *ret_used - (parse->body.len - before);
    if (parse->framing > parse->max_header + parse->max_body) {
        parse->fault = (struct fx_http_fault){413, "the chunks' framing is too large"};
        return FX_HTTP_BAD;
    }
    return event;
}

enum fx_http_event fx_http_parse_feed(struct fx_http_parse *parse, struct fx_text bytes,
                                      size_t *ret_used) {
    assert(!parse->whole && parse->fault.status == 0);
    enum fx_http_event event = FX_HTTP_MORE;
    *ret_used = 0;
    while (event == FX_HTTP_MORE && *ret_used < bytes.len) {
        const struct fx_text rest = {bytes.data + *ret_used, bytes.len - *ret_used};
        size_t used = 0;
        event = parse->scan == FX_HTTP_HEAD_DONE ? feed_body(parse, rest, &used)
                                                 : feed_head(parse, rest, &used);
        *ret_used += used;
    }
    return event;
}

/* ---- results ---- */

/* Removes scheme and authority of an absolute-form target (RFC 9112 section 3.2.2). An
 * origin-form target begins with a slash, and other forms have no `://`. */
static struct fx_text without_authority(struct fx_text target) {
    size_t at = 0;
    while (at < target.len && strchr("/?:", target.data[at]) == NULL) {
        at++;
    }
    if (target.len - at < 3 || memcmp(target.data + at, "://", 3) != 0) {
        return target;
    }
    at += 3;
    while (at < target.len && strchr("/?#", target.data[at]) == NULL) {
        at++;
    }
    return (struct fx_text){target.data + at, target.len - at};
}

static void split_target(struct fx_text target, struct fx_http_request *request) {
    const struct fx_text local = without_authority(target);
    const char *mark = local.len == 0 ? NULL : memchr(local.data, '?', local.len);
    request->path = local;
    if (mark != NULL) {
        request->path.len = (size_t)(mark - local.data);
        request->query = (struct fx_text){mark + 1, local.len - request->path.len - 1};
    }
    if (request->path.len == 0) {
        request->path = FX_TEXT("/");
    }
}

struct fx_http_request fx_http_parse_request(const struct fx_http_parse *parse) {
    assert(parse->whole);
    const char *method = llhttp_method_name((llhttp_method_t)parse->llhttp.method);
    struct fx_http_request request = {
        .method = fx_text_of(method),
        .body = fx_buf_view(&parse->body),
        .head = fx_buf_view(&parse->head),
        .is_head = parse->llhttp.method == HTTP_HEAD,
        .keep_alive = parse->keep_alive,
        .is_1_0 = parse->llhttp.http_minor == 0,
    };
    split_target(
        (struct fx_text){parse->head.data + parse->target_off, parse->target_len},
        &request);
    return request;
}

struct fx_http_fault fx_http_parse_fault(const struct fx_http_parse *parse) {
    assert(parse->fault.status != 0);
    return parse->fault;
}

void fx_http_parse_next(struct fx_http_parse *parse) {
    assert(parse->whole && parse->fault.status == 0);
    free_request(parse);
    parse->scan = FX_HTTP_HEAD_BEFORE;
    parse->headed = parse->whole = parse->expects_continue = parse->keep_alive = false;
    parse->target_off = parse->target_len = parse->framing = 0;
    llhttp_reset(&parse->llhttp);
}
