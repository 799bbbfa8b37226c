/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json.h - reading JSON (RFC 8259) as Kubernetes does, and writing it as Go does.
 */
#ifndef FX_VALUE_JSON_H
#define FX_VALUE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_marks;

struct fx_json_part;

/* Reads one JSON text. Of duplicate keys the last one counts. Numbers: value/number.h. A
 * lone surrogate escape and malformed UTF-8 in strings become U+FFFD, as in Go; \u0000 is
 * kept. Nesting is bounded by FX_LIMIT_JSON_DEPTH, the memory of the nodes by
 * FX_LIMIT_JSON_MEMORY. White space may surround the value; anything else after it is an
 * error.
 *
 * `marks` (may be NULL) receives the position of every node except singletons; on failure
 * it does not change. Returns a new reference, or NULL with FX_ESYNTAX (message of Go's
 * encoding/json; off: the byte), FX_ELIMIT or FX_ENOMEM. */
json_t *fx_json_read(struct fx_text text, struct fx_marks *marks,
                     struct fx_err *err) FX_MUST_USE;

/* The same, but only this part of the value becomes nodes (value/json_part.h; NULL: the
 * whole value); the rest is only checked. */
json_t *fx_json_read_part(struct fx_text text, const struct fx_json_part *part,
                          struct fx_marks *marks, struct fx_err *err) FX_MUST_USE;

/* The style of the output. 0 is compact. */
enum fx_json_style {
    FX_JSON_COMPACT = 0,
    FX_JSON_INDENT =
        1, /* one line for each member, indented by four spaces, as kubectl -o json */
    FX_JSON_HTML = 2,      /* < > & U+2028 U+2029 escaped, as Go's encoding/json */
    FX_JSON_SORT_KEYS = 4, /* bytewise, as Go writes maps */
};

/* Appends the value. A failure (no memory, over the limit, or the thread's budget
 * exceeded: base/budget.h) is kept in `buf`. */
void fx_json_write(struct fx_buf *buf, const json_t *value, unsigned style);

/* Appends a JSON string. Malformed UTF-8 becomes U+FFFD. */
void fx_json_write_string(struct fx_buf *buf, struct fx_text text, unsigned style);

#endif
