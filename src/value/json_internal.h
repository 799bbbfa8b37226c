/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_internal.h - shared by the files of the JSON reader and writer; private to
 * this room.
 */
#ifndef FX_VALUE_JSON_INTERNAL_H
#define FX_VALUE_JSON_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <jansson.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/buf.h"
#include "value/json.h"

/* ---- plain bytes ------------------------------------------------------------------- */

/* These functions find bytes that stand for themselves in a JSON string; they check as
 * many bytes at a time as fit a register. With -U__SSE2__ the code for machines without
 * SSE2 is built. */

/* Is the byte no control character, quote or backslash? Bytes from 0x80 on are parts of
 * runes. */
static inline bool fx_json_is_plain(char c) {
    return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

/* fx_json_count_plain() returns how many of the FX_JSON_RUN bytes, from the first one on,
 * are plain (with `ascii`, plain and ASCII). fx_json_count_usual() returns how many are
 * plain, ASCII, and neither blank nor `!`, as most bytes of strings are; it needs fewer
 * instructions. */
#ifdef __SSE2__
#define FX_JSON_RUN 16

static inline unsigned fx_json_count_plain(const char *at, bool ascii) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    const __m128i limit = _mm_set1_epi8(0x1F);
    /* A signed comparison takes bytes from 0x80 on for negative numbers. */
    const __m128i others = ascii ? _mm_cmpgt_epi8(_mm_set1_epi8(0x20), bytes)
                                 : _mm_cmpeq_epi8(_mm_min_epu8(bytes, limit), bytes);
    const __m128i hits = _mm_or_si128(_mm_or_si128(quotes, slashes), others);
    const unsigned mask = (unsigned)_mm_movemask_epi8(hits);
    return (unsigned)__builtin_ctz(mask | 1u << FX_JSON_RUN);
}

static inline unsigned fx_json_count_usual(const char *at) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i high = _mm_cmpgt_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    const unsigned usual = (unsigned)_mm_movemask_epi8(_mm_andnot_si128(slashes, high));
    return (unsigned)__builtin_ctz(~usual);
}
#else
#define FX_JSON_RUN 8

#define FX_JSON_ONES UINT64_C(0x0101010101010101)
#define FX_JSON_TOPS UINT64_C(0x8080808080808080)

/* Returns the bytes of a run as a word, whose lowest byte is the first one. */
static inline uint64_t fx_json_run(const char *at) {
    uint64_t word = 0;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Returns the number of bytes before the first one whose top bit is set. */
static inline unsigned fx_json_first_top(uint64_t word) {
    const uint64_t hits = word & FX_JSON_TOPS;
    return hits == 0 ? FX_JSON_RUN : (unsigned)__builtin_ctzll(hits) / 8;
}

/* The usual test of a word for bytes below n: subtraction borrows from the top bits. A
 * borrow makes only bytes wrong that come after a byte that is not plain. */
static inline unsigned fx_json_count_plain(const char *at, bool ascii) {
    const uint64_t word = fx_json_run(at);
    const uint64_t quote = word ^ FX_JSON_ONES * '"';
    const uint64_t slash = word ^ FX_JSON_ONES * '\\';
    const uint64_t below = ((word - FX_JSON_ONES * 0x20) & ~word) |
                           ((quote - FX_JSON_ONES) & ~quote) |
                           ((slash - FX_JSON_ONES) & ~slash);
    return fx_json_first_top(below | (ascii ? word : 0));
}

static inline unsigned fx_json_count_usual(const char *at) {
    const uint64_t word = fx_json_run(at);
    const uint64_t slash = word ^ FX_JSON_ONES * '\\';
    return fx_json_first_top(word | (word - FX_JSON_ONES * ('"' + 1)) |
                             (slash - FX_JSON_ONES));
}
#endif

/* Returns the end of the plain bytes from `at` on, at most `end`. */
static inline const char *fx_json_past_plain(const char *at, const char *end,
                                             bool ascii) {
    while (end - at >= FX_JSON_RUN) {
        const unsigned n = fx_json_count_plain(at, ascii);
        if (n < FX_JSON_RUN) {
            return at + n;
        }
        at += FX_JSON_RUN;
    }
    while (at < end && fx_json_is_plain(*at) && (!ascii || (signed char)*at >= 0)) {
        at++;
    }
    return at;
}

/* ---- the reader -------------------------------------------------------------------- */

/* The bytes of a string: in the text if `data` is not NULL, otherwise in the scratch
 * buffer from `off` on. */
struct fx_json_span {
    const char *data;
    size_t off, len;
};

/* Returns the next character, or -1 at the end. */
static inline int fx_json_peek(const struct fx_json_reader *r) {
    return r->at < r->end ? (unsigned char)*r->at : -1;
}

/* Both fail at the current position. fx_json_fail_here() is for positions between tokens
 * and in a string: there the end of the text is "unexpected end of JSON input".
 * fx_json_fail_inside() is for positions in a number, a literal or an escape: there the
 * end counts as a blank. Always false. */
bool fx_json_fail_here(struct fx_json_reader *r, const char *context);
bool fx_json_fail_inside(struct fx_json_reader *r, const char *context);

/* Reads the rest of a string and its last quote. Its bytes begin at `from`; those up to
 * `at` are known to be plain. */
bool fx_json_read_rest(struct fx_json_reader *r, const char *from, const char *at,
                       struct fx_json_span *ret_span) FX_MUST_USE;

/* string := '"' ( plain | '\' escape )* '"', from its first quote on. Bytes in the
 * scratch buffer stay there until fx_json_pop(). Nearly all strings end within a run. */
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

/* Returns the bytes, which are valid until the next string is read. */
static inline struct fx_text fx_json_span_text(const struct fx_json_reader *r,
                                               struct fx_json_span span) {
    const char *data = span.data != NULL ? span.data : r->scratch.data + span.off;
    return (struct fx_text){data, span.len};
}

/* Removes the span's bytes from the scratch buffer. Those above them are already
 * removed. */
static inline void fx_json_pop(struct fx_json_reader *r, struct fx_json_span span) {
    if (span.data == NULL) {
        r->scratch.len = span.off;
    }
}

/* Returns the end of the value that begins at `at` (after blanks, if any), if
 * fx_json_read() would accept it, at most `levels` deep. `end` is the end of the whole
 * text, without trailing blanks. NULL if only reading can find the end: if there is an
 * error, or a number may be too large, or the text does not end in `}`. */
const char *fx_json_skip(const char *at, const char *end, unsigned levels);

/* ---- the writer, also used by the patch writer ------------------------------------- */

/* Appends the value as a value that is `depth` levels within another. */
void fx_json_write_nested(struct fx_buf *buf, const json_t *value, unsigned style,
                          unsigned depth);

/* Appends a line end and the indentation for `depth`, if the style has lines. */
void fx_json_write_break(struct fx_buf *buf, unsigned style, unsigned depth);

/* Appends ":" or ": ", depending on the style. */
void fx_json_write_colon(struct fx_buf *buf, unsigned style);

#endif
