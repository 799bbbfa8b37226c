/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_tokens.h - what the files of the JSON reader share; private to this room.
 */
#ifndef FX_VALUE_JSON_TOKENS_H
#define FX_VALUE_JSON_TOKENS_H

#include "value/json_plain.h"
#include "value/json_reader.h"

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

/* A string's bytes begin at `from`, and up to `at` they stand for themselves: reads on,
 * past the last quote. */
bool fx_json_read_rest(struct fx_json_reader *r, const char *from, const char *at,
                       struct fx_json_span *ret_span) FX_MUST_USE;

/* string := '"' ( plain | '\' escape )* '"', from its first quote on. Bytes in the
 * scratch stay there until fx_json_pop(). Nearly all strings end within a run. */
FX_MUST_USE static inline bool fx_json_read_string(struct fx_json_reader *r,
                                                   struct fx_json_span *ret_span) {
    const char *from = r->at + 1;
    if (r->end - from <= FX_JSON_RUN) {
        return fx_json_read_rest(r, from, from, ret_span);
    }
    const char *at = from + fx_json_count_usual(from);
    if (*at != '"') {
        return fx_json_read_rest(r, from, at, ret_span);
    }
    *ret_span = (struct fx_json_span){.data = from, .len = (size_t)(at - from)};
    r->at = at + 1;
    return true;
}

/* The bytes, until the next string is read. */
static inline struct fx_text fx_json_span_text(const struct fx_json_reader *r,
                                               struct fx_json_span span) {
    const char *data = span.data != NULL ? span.data : r->scratch.data + span.off;
    return (struct fx_text){data, span.len};
}

/* Gives the span's bytes on the scratch back; all above them are given back already. */
static inline void fx_json_pop(struct fx_json_reader *r, struct fx_json_span span) {
    if (span.data == NULL) {
        r->scratch.len = span.off;
    }
}

#endif
