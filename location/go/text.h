/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/text.h - small helpers for parsing texts.
 */
#ifndef FX_LOCATION_GO_TEXT_H
#define FX_LOCATION_GO_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define TIME_QUOTED 512

/* Quotes as Go's package time does in its messages, with \x.. for all that is not
 * ASCII. A text that is too long for `out` is truncated. Returns `out`. */
const char *time_quote(struct fx_text text, char out[TIME_QUOTED]);

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Returns the first byte of the text, or NUL. */
static inline char first_of(struct fx_text text) {
    return (char)(text.len > 0 ? text.data[0] : '\0');
}

/* Returns the text without its first `n` bytes. `n` is at most its length. */
static inline struct fx_text text_behind(struct fx_text text, size_t n) {
    return n == 0 ? text : (struct fx_text){text.data + n, text.len - n};
}

/* Returns the number of digits at the start of the text. */
size_t count_digits(struct fx_text text);

/* The same, up to `most`; no byte after them is read. */
size_t count_digits_up_to(struct fx_text text, size_t most);

#endif
