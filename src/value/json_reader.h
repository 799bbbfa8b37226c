/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_reader.h - the JSON reader's state, which its two files share; private to
 * this room.
 */
#ifndef FX_VALUE_JSON_READER_H
#define FX_VALUE_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "value/marks.h"

struct fx_json_part;

struct fx_json_reader {
    const char *start, *at, *end;
    unsigned depth;
    size_t memory; /* that nodes may still take */
    /* Strings with escapes, a stack: a key lies below the strings of its value. */
    struct fx_buf scratch;
    const struct fx_json_part *part; /* wanted of what is read next; NULL: all of it */
    bool omits;                      /* what is read is checked, and no nodes are made */
    struct fx_marks *marks;          /* or NULL */
    const char *counted;             /* how far `line` and `column` have been counted */
    uint32_t line, column;
    struct fx_err *err;
};

/* The bytes of a string: within the text where data is not NULL, else in the scratch
 * from `off`. */
struct fx_json_span {
    const char *data;
    size_t off, len;
};

/* -1 at the end. */
static inline int fx_json_peek(const struct fx_json_reader *r) {
    return r->at < r->end ? (unsigned char)*r->at : -1;
}

/* Fail at the place reached: between tokens and within a string, where the end of the
 * text is "unexpected end of JSON input"; and within a number, a literal or an escape,
 * where it counts as a blank. Always false. */
bool fx_json_fail_here(struct fx_json_reader *r, const char *context);
bool fx_json_fail_inside(struct fx_json_reader *r, const char *context);

/* string := '"' ( plain | '\' escape )* '"', from its first quote on. Bytes in the
 * scratch stay there until fx_json_pop(). */
bool fx_json_read_string(struct fx_json_reader *r,
                         struct fx_json_span *ret_span) FX_MUST_USE;

/* The bytes, until the next string is read. */
struct fx_text fx_json_span_text(const struct fx_json_reader *r,
                                 struct fx_json_span span);

/* Gives the span's bytes on the scratch back; all above them are given back already. */
void fx_json_pop(struct fx_json_reader *r, struct fx_json_span span);

#endif
