/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/plain.c - replaces control characters.
 */
#include "policy/plain.h"

#include <stdbool.h>

/* Would it control a terminal, or change the direction of the text after it? */
static bool is_control(uint32_t rune) {
    return rune < 0x20 || (rune >= 0x7F && rune < 0xA0) ||
           (rune >= 0x200E && rune <= 0x200F) || (rune >= 0x2028 && rune <= 0x202E) ||
           (rune >= 0x2066 && rune <= 0x2069);
}

static uint32_t picture_of(uint32_t rune) {
    if (rune == '\t') {
        return ' ';
    }
    if (rune < 0x20) {
        return 0x2400 + rune;
    }
    return rune == 0x7F ? 0x2421 : 0xFFFD;
}

void fx_plain_add_rune(struct fx_buf *buf, uint32_t rune) {
    char utf8[4];
    fx_buf_add(buf, utf8,
               fx_text_encode_rune(is_control(rune) ? picture_of(rune) : rune, utf8));
}

void fx_plain_add(struct fx_buf *buf, struct fx_text text) {
    while (text.len > 0) {
        uint32_t rune = 0;
        const size_t length = fx_text_rune(text, &rune);
        fx_plain_add_rune(buf, rune);
        text = (struct fx_text){text.data + length, text.len - length};
    }
}
