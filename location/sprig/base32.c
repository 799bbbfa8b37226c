/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/base32.c - five bits a character, eight characters a group.
 */
#include "location/sprig/base32.h"

#include <stdint.h>

#define GROUP       8 /* characters */
#define GROUP_BYTES 5
#define NO_DIGIT    32u

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/* How many characters tell so many bytes. */
static size_t characters_of(size_t bytes) {
    return (bytes * 8 + 4) / 5;
}

void base32_encode(struct fx_buf *buf, struct fx_text bytes) {
    for (size_t at = 0; at < bytes.len; at += GROUP_BYTES) {
        const size_t n = bytes.len - at < GROUP_BYTES ? bytes.len - at : GROUP_BYTES;
        uint64_t bits = 0;
        for (size_t i = 0; i < GROUP_BYTES; i++) {
            bits = bits << 8 | (i < n ? (uint8_t)bytes.data[at + i] : 0u);
        }
        for (size_t i = 0; i < GROUP; i++) {
            const char digit = alphabet[bits >> (35 - 5 * i) & 31u];
            fx_buf_char(buf, (char)(i < characters_of(n) ? digit : '='));
        }
    }
}

static unsigned digit_of(char c) {
    if (c >= 'A' && c <= 'Z') {
        return (unsigned)(c - 'A');
    }
    return c >= '2' && c <= '7' ? (unsigned)(c - '2') + 26u : NO_DIGIT;
}

/* The text without its line ends. */
struct cursor {
    struct fx_text rest;
    size_t taken; /* characters, line ends not counted */
    size_t left;
};

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

static struct cursor start(struct fx_text text) {
    struct cursor cursor = {.rest = text};
    for (size_t i = 0; i < text.len; i++) {
        cursor.left += is_line_end(text.data[i]) ? 0 : 1;
    }
    return cursor;
}

/* There is one. */
static char take_char(struct cursor *cursor) {
    char c = '\n';
    while (is_line_end(c)) {
        c = cursor->rest.data[0];
        cursor->rest.data++;
        cursor->rest.len--;
    }
    cursor->taken++;
    cursor->left--;
    return c;
}

static void add_bytes(struct fx_buf *buf, uint64_t bits, size_t digits) {
    bits <<= 5 * (GROUP - digits);
    for (size_t i = 0; i < digits * 5 / 8; i++) {
        fx_buf_char(buf, (char)(uint8_t)(bits >> (32 - 8 * i)));
    }
}

/* The rest of the padding behind so many digits and one `=`. */
static bool take_padding(struct cursor *cursor, size_t digits, size_t *ret_fault) {
    const size_t missing = GROUP - 1 - digits;
    const size_t first = cursor->taken - 1;
    if (cursor->left < missing) {
        *ret_fault = cursor->taken + cursor->left;
        return false;
    }
    for (size_t i = 0; i < missing; i++) {
        if (take_char(cursor) != '=') {
            *ret_fault = cursor->taken - 2;
            return false;
        }
    }
    *ret_fault = first;
    return digits != 3 && digits != 6; /* which tell no whole number of bytes */
}

/* One group; the last one may be padded. */
static bool take_group(struct fx_buf *buf, struct cursor *cursor, bool *ret_last,
                       size_t *ret_fault) {
    uint64_t bits = 0;
    for (size_t digits = 0; digits < GROUP; digits++) {
        if (cursor->left == 0) {
            *ret_fault = cursor->taken - digits;
            return false;
        }
        const char c = take_char(cursor);
        if (c == '=' && digits >= 2 && cursor->left < GROUP) {
            *ret_last = true;
            add_bytes(buf, bits, digits);
            return take_padding(cursor, digits, ret_fault);
        }
        const unsigned digit = digit_of(c);
        if (digit == NO_DIGIT) {
            *ret_fault = cursor->taken - 1;
            return false;
        }
        bits = bits << 5 | digit;
    }
    add_bytes(buf, bits, GROUP);
    return true;
}

/* Up to seven characters behind padding are not looked at, as Go does not. */
bool base32_decode(struct fx_buf *buf, struct fx_text text, size_t *ret_fault) {
    struct cursor cursor = start(text);
    bool last = false;
    while (cursor.left > 0 && !last) {
        if (!take_group(buf, &cursor, &last, ret_fault)) {
            return false;
        }
    }
    return true;
}
