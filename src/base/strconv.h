/* SPDX-License-Identifier: Apache-2.0
 *
 * base/strconv.h - parsing of numbers and quoted texts, as in Go's package
 * strconv.
 */
#ifndef FX_BASE_STRCONV_H
#define FX_BASE_STRCONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* The result of parsing a number. */
enum fx_go_number {
    FX_GO_NUMBER,
    FX_GO_SYNTAX, /* the text is not a number */
    FX_GO_RANGE,  /* the number is too large */
    FX_GO_NOMEM,
};

/* strconv.ParseUint and ParseInt with 64 bits. `base` is 8, 10, or 0, where the prefix
 * gives the base (`0x`, `0o`, `0b`, `0`) and `_` may separate digits. *ret_number is
 * the nearest number for FX_GO_RANGE and 0 for FX_GO_SYNTAX. */
enum fx_go_number fx_go_parse_uint(struct fx_text text, unsigned base,
                                   uint64_t *ret_number) FX_MUST_USE;
enum fx_go_number fx_go_parse_int(struct fx_text text, unsigned base,
                                  int64_t *ret_number);

/* Texts up to this length are parsed without allocation. */
#define FX_GO_SHORT_NUMBER 1000u

/* strconv.ParseFloat with 64 bits: `1e3`, `1_000`, `0x1p4`, `inf`, `NaN`, with or
 * without a sign. *ret_number is set only for FX_GO_NUMBER. */
enum fx_go_number fx_go_parse_float(struct fx_text text, double *ret_number) FX_MUST_USE;

/* Removes one character or escape from the start of a quoted text, which is not empty
 * (strconv.UnquoteChar). If *ret_is_byte is true, *ret_rune is a byte and not a rune.
 * False for an invalid escape. */
bool fx_go_unquote_rune(struct fx_text *text, char quote, uint32_t *ret_rune,
                        bool *ret_is_byte) FX_MUST_USE;

/* Unquotes the text between the quotes into `out`, which has room for text.len bytes.
 * Between single or double quotes escapes are decoded; between backquotes there are none,
 * and CR is dropped. On success *ret_len is the length of the result. False for an
 * invalid escape: then *ret_len is the offset of its backslash. */
bool fx_go_unquote(struct fx_text text, char quote, char *out,
                   size_t *ret_len) FX_MUST_USE;

#endif
