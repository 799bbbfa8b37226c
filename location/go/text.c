/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/text.c - quoting for messages about time.
 */
#include "location/go/text.h"

#include <stdio.h>

#define LONGEST_PIECE sizeof "\\xff"

const char *time_quote(struct fx_text text, char out[TIME_QUOTED]) {
    size_t at = 0;
    out[at++] = '"';
    for (size_t i = 0; i < text.len && at + LONGEST_PIECE < TIME_QUOTED - 1; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        if (c < ' ' || c >= 0x80) {
            at += (size_t)snprintf(out + at, LONGEST_PIECE, "\\x%02x", c);
            continue;
        }
        if (c == '"' || c == '\\') {
            out[at++] = '\\';
        }
        out[at++] = (char)c;
    }
    out[at++] = '"';
    out[at] = '\0';
    return out;
}

size_t count_digits_up_to(struct fx_text text, size_t most) {
    const size_t end = text.len < most ? text.len : most;
    size_t n = 0;
    while (n < end && is_digit(text.data[n])) {
        n++;
    }
    return n;
}

size_t count_digits(struct fx_text text) {
    return count_digits_up_to(text, text.len);
}
