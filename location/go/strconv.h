/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/strconv.h - numbers and quoted texts as Go's package strconv reads them.
 */
#ifndef FX_LOCATION_GO_STRCONV_H
#define FX_LOCATION_GO_STRCONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* What reading a number came to. */
enum fx_go_number {
    FX_GO_NUMBER,
    FX_GO_SYNTAX, /* the text is no number */
    FX_GO_RANGE,  /* the number is too large */
    FX_GO_NOMEM,
};

/* strconv.ParseUint and ParseInt with 64 bits. `base` is 8, 10, or 0: then the prefix
 * says it (`0x`, `0o`, `0b`, `0`), and `_` may stand between digits. Writes the nearest
 * number for FX_GO_RANGE, 0 for FX_GO_SYNTAX. */
enum fx_go_number fx_go_parse_uint(struct fx_text text, unsigned base,
                                   uint64_t *ret_number) FX_MUST_USE;
enum fx_go_number fx_go_parse_int(struct fx_text text, unsigned base,
                                  int64_t *ret_number);

/* Texts up to this length need no memory. */
#define FX_GO_SHORT_NUMBER 1000u

/* strconv.ParseFloat with 64 bits: `1e3`, `1_000`, `0x1p4`, `inf`, `NaN`, with a sign or
 * without. Writes nothing but for FX_GO_NUMBER. */
enum fx_go_number fx_go_parse_float(struct fx_text text, double *ret_number) FX_MUST_USE;

/* Takes one character, or one escape, off the text between quotes, which is not empty
 * (strconv.UnquoteChar). *ret_is_byte: it is that byte rather than that rune. False where
 * an escape is none. */
bool fx_go_unquote_rune(struct fx_text *text, char quote, uint32_t *ret_rune,
                        bool *ret_is_byte) FX_MUST_USE;

/* Writes what the text between quotes means to `out`, which has room for as many bytes:
 * between single or double quotes escapes stand for what they mean, between backquotes
 * there are none, and CR is dropped. False where an escape is none: *ret_len is then the
 * offset of its backslash, else the length of the result. */
bool fx_go_unquote(struct fx_text text, char quote, char *out,
                   size_t *ret_len) FX_MUST_USE;

#endif
