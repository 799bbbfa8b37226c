/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/text.h - what reading durations and dates shares.
 */
#ifndef FX_LOCATION_GO_TEXT_H
#define FX_LOCATION_GO_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define TIME_QUOTED 512

/* Quotes as Go's package time does in its messages: all that is not ASCII as \x.. A text
 * that is too long for `out` is cut. Returns `out`. */
const char *time_quote(struct fx_text text, char out[TIME_QUOTED]);

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The first byte of the text, or NUL. */
static inline char first_of(struct fx_text text) {
    return (char)(text.len > 0 ? text.data[0] : '\0');
}

/* What is left without the first `n` bytes, of which there are so many. */
static inline struct fx_text text_behind(struct fx_text text, size_t n) {
    return n == 0 ? text : (struct fx_text){text.data + n, text.len - n};
}

/* How many digits the text begins with. */
size_t count_digits(struct fx_text text);

/* The same, but no more than `most`: no byte behind them is looked at. */
size_t count_digits_up_to(struct fx_text text, size_t most);

#endif
