/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_head.h - the lines of a message's head: where they end, whether their framing
 * is the strict one of RFC 9112, and the values of its fields.
 *
 * llhttp reads the same bytes afterwards. What is checked here is what parsers of other
 * houses disagree about (bare CR or LF, folded lines, space before the colon, control
 * characters): a head on which two readers could differ is refused before either acts.
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
    FX_HTTP_HEAD_STATUS_LINE, /* where a response begins */
    FX_HTTP_HEAD_LINE_LF,
    FX_HTTP_HEAD_LINE_START,
    FX_HTTP_HEAD_NAME,
    FX_HTTP_HEAD_VALUE,
    FX_HTTP_HEAD_LAST_LF,
    FX_HTTP_HEAD_DONE,
    FX_HTTP_HEAD_BAD,
};

/* How many bytes are part of empty lines before the request line. */
size_t fx_http_head_skip(enum fx_http_head_state *state, struct fx_text bytes);

/* Goes through `bytes` from `*state` (at first FX_HTTP_HEAD_BEFORE, or STATUS_LINE) on,
 * and returns how many of them belong to the head; fewer than all only in the states DONE
 * and BAD. */
size_t fx_http_head_scan(enum fx_http_head_state *state, struct fx_text bytes);

/* The value of the first field `name` (in any case) of a scanned head, trimmed; data NULL
 * where there is none. `ret_count`, unless NULL, is how many there are. */
struct fx_text fx_http_head_field(struct fx_text head, const char *name,
                                  size_t *ret_count);

/* May a field have this value (RFC 9110 section 5.5)? No line may end in it. */
bool fx_http_is_field_value(const char *value);

/* Same text but for the case of its ASCII messages? */
bool fx_http_equals_nocase(struct fx_text text, const char *word);

#endif
