/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_head.h - the lines of a message's head: where they end, whether their framing
 * is strictly that of RFC 9112, and the values of fields.
 *
 * llhttp parses the same bytes afterwards. The checks here concern parts that parsers
 * read in different ways (bare CR or LF, folded lines, space before the colon, control
 * characters): an ambiguous head is rejected before it is used.
 */
#ifndef FX_NET_HTTP_HEAD_H
#define FX_NET_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/text.h"

enum fx_http_head_state {
    FX_HTTP_HEAD_BEFORE, /* empty lines before a request are skipped (section 2.2) */
    FX_HTTP_HEAD_BEFORE_LF,
    FX_HTTP_HEAD_REQUEST_LINE,
    FX_HTTP_HEAD_STATUS_LINE, /* the start of a response */
    FX_HTTP_HEAD_LINE_LF,
    FX_HTTP_HEAD_LINE_START,
    FX_HTTP_HEAD_NAME,
    FX_HTTP_HEAD_VALUE,
    FX_HTTP_HEAD_LAST_LF,
    FX_HTTP_HEAD_DONE,
    FX_HTTP_HEAD_BAD,
};

/* Returns how many bytes belong to empty lines before the request line. */
size_t fx_http_head_skip(enum fx_http_head_state *state, struct fx_text bytes);

/* Scans `bytes`, starting in `*state` (at first FX_HTTP_HEAD_BEFORE, or STATUS_LINE).
 * Returns how many bytes belong to the head. These are all of them, except in the states
 * DONE and BAD. */
size_t fx_http_head_scan(enum fx_http_head_state *state, struct fx_text bytes);

/* Returns the value of the first field `name` (case-insensitive) of a scanned head,
 * trimmed; data is NULL if there is none. *ret_count is the number of such fields;
 * `ret_count` may be NULL. */
struct fx_text fx_http_head_field(struct fx_text head, const char *name,
                                  size_t *ret_count);

/* Is this a valid field value (RFC 9110 section 5.5)? It cannot contain a line end. */
bool fx_http_is_field_value(const char *value);

/* Returns the reason phrase of a status code (RFC 9110 section 15); "Unknown" for codes
 * that are not used here. */
const char *fx_http_status_phrase(unsigned status);

/* Are they equal, ignoring the case of ASCII letters? */
bool fx_http_equals_nocase(struct fx_text text, const char *word);

#endif
