/* SPDX-License-Identifier: Apache-2.0
 *
 * base/base64.c - six bits a character.
 */
#include "base/base64.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define NO_DIGIT 64u

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t fx_base64_length(size_t len) {
    return len / 3 * 4 + (len % 3 == 0 ? 0 : 4);
}

/* Writes a group of three bytes, the lower 24 bits of `bits`, as four characters. */
static void encode_group(char to[4], uint32_t bits) {
    to[0] = alphabet[bits >> 18 & 63u];
    to[1] = alphabet[bits >> 12 & 63u];
    to[2] = alphabet[bits >> 6 & 63u];
    to[3] = alphabet[bits & 63u];
}

static uint32_t read_group(const unsigned char *from) {
    return (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | (uint32_t)from[2];
}

/* Reads a group with a single load. The upper 8 bits get the byte before the group. */
static uint32_t read_inner_group(const unsigned char *from) {
    uint32_t bits = 0;
    memcpy(&bits, from - 1, sizeof bits);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    bits = __builtin_bswap32(bits);
#endif
    return bits;
}

/* Number of groups that encode_run() encodes: those that fit a register. */
#define RUN 4u

#ifdef __SSE2__
/* Returns the shift for digits above the bound, and 0 for others. */
static __m128i shift_above(__m128i digits, char bound, char shift) {
    return _mm_and_si128(_mm_cmpgt_epi8(digits, _mm_set1_epi8(bound)),
                         _mm_set1_epi8(shift));
}

/* The alphabet is five runs of characters. */
static __m128i characters_of(__m128i digits) {
    __m128i sum = _mm_add_epi8(digits, _mm_set1_epi8('A'));
    sum = _mm_add_epi8(sum, shift_above(digits, 25, 'a' - 'Z' - 1));
    sum = _mm_add_epi8(sum, shift_above(digits, 51, '0' - 'z' - 1));
    sum = _mm_add_epi8(sum, shift_above(digits, 61, '+' - '9' - 1));
    return _mm_add_epi8(sum, shift_above(digits, 62, '/' - '+' - 1));
}

/* Encodes RUN groups. Reads the byte before the groups, too, and reads all groups before
 * it writes. */
static void encode_run(char *to, const unsigned char *from) {
    const __m128i bits =
        _mm_set_epi32((int)read_inner_group(from + 9), (int)read_inner_group(from + 6),
                      (int)read_inner_group(from + 3), (int)read_inner_group(from));
    const __m128i first = _mm_and_si128(_mm_srli_epi32(bits, 18), _mm_set1_epi32(63));
    const __m128i second =
        _mm_and_si128(_mm_srli_epi32(bits, 4), _mm_set1_epi32(63 << 8));
    const __m128i third =
        _mm_and_si128(_mm_slli_epi32(bits, 10), _mm_set1_epi32(63 << 16));
    const __m128i fourth =
        _mm_and_si128(_mm_slli_epi32(bits, 24), _mm_set1_epi32(63 << 24));
    const __m128i digits =
        _mm_or_si128(_mm_or_si128(first, second), _mm_or_si128(third, fourth));
    _mm_storeu_si128((__m128i *)(void *)to, characters_of(digits));
}
#else
static void encode_run(char *to, const unsigned char *from) {
    for (size_t i = RUN; i > 0; i--) {
        encode_group(to + (i - 1) * 4, read_inner_group(from + (i - 1) * 3));
    }
}
#endif

/* Encodes the last group, of one or two bytes. */
static void encode_rest(char to[4], const unsigned char *from, size_t len) {
    const unsigned char padded[3] = {from[0], len > 1 ? from[1] : 0};
    encode_group(to, read_group(padded));
    to[3] = '=';
    if (len == 1) {
        to[2] = '=';
    }
}

/* Invariant: from the last group to the first, the characters of group g begin at 4g and
 * the bytes still to be read end at 3g, so nothing unread is overwritten. Bytes are read
 * before their characters are written. */
void fx_base64_encode_tail(struct fx_buf *buf, size_t from) {
    if (buf->failed) {
        return;
    }
    assert(from <= buf->len);
    const size_t len = buf->len - from;
    const size_t length = fx_base64_length(len);
    if (fx_buf_reserve(buf, length - len) == NULL) {
        return;
    }
    char *text = buf->data + from;
    const unsigned char *bytes = (const unsigned char *)text;
    const size_t whole = len / 3;
    if (len % 3 != 0) {
        encode_rest(text + whole * 4, bytes + whole * 3, len % 3);
    }
    size_t group = whole;
    for (; group > RUN; group -= RUN) {
        encode_run(text + (group - RUN) * 4, bytes + (group - RUN) * 3);
    }
    for (; group > 1; group--) {
        encode_group(text + (group - 1) * 4, read_inner_group(bytes + (group - 1) * 3));
    }
    if (whole > 0) {
        encode_group(text, read_group(bytes));
    }
    text[length] = '\0';
    buf->len = from + length;
}

void fx_base64_encode(struct fx_buf *buf, struct fx_text bytes) {
    const size_t from = buf->len;
    fx_buf_text(buf, bytes);
    fx_base64_encode_tail(buf, from);
}

static uint32_t digit_of(char c) {
    if (c >= 'A' && c <= 'Z') {
        return (uint32_t)(c - 'A');
    }
    if (c >= 'a' && c <= 'z') {
        return (uint32_t)(c - 'a') + 26u;
    }
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0') + 52u;
    }
    return c == '+' ? 62u : c == '/' ? 63u : NO_DIGIT;
}

/* Returns the next character that is not a line end, or NUL at the end of the text. */
static char next_char(struct fx_text text, size_t *at) {
    while (*at < text.len) {
        const char c = text.data[(*at)++];
        if (c != '\n' && c != '\r') {
            return (char)(c == '\0' ? ' ' : c); /* a NUL in the text does not end it */
        }
    }
    return '\0';
}

/* group := digit digit ( digit digit | digit "=" | "=" "=" ), the last two forms only at
 * the end of the text. Returns the number of its bytes, or 0 if the group is invalid. */
static size_t decode_group(const char group[4], unsigned char bytes[3]) {
    uint32_t bits = 0;
    size_t digits = 0;
    while (digits < 4 && digit_of(group[digits]) != NO_DIGIT) {
        bits = bits << 6 | digit_of(group[digits]);
        digits++;
    }
    if (digits < 2) {
        return 0;
    }
    for (size_t i = digits; i < 4; i++) {
        if (group[i] != '=') {
            return 0;
        }
        bits <<= 6;
    }
    bytes[0] = (unsigned char)(bits >> 16);
    bytes[1] = (unsigned char)(bits >> 8 & 255u);
    bytes[2] = (unsigned char)(bits & 255u);
    return digits - 1;
}

static bool decode_all(struct fx_buf *buf, struct fx_text text) {
    bool ended = false;
    size_t at = 0;
    for (char c = next_char(text, &at); c != '\0'; c = next_char(text, &at)) {
        char group[4] = {c, 0, 0, 0};
        for (size_t i = 1; i < 4; i++) {
            group[i] = next_char(text, &at);
        }
        unsigned char bytes[3];
        const size_t len = decode_group(group, bytes);
        if (len == 0 || ended) {
            return false;
        }
        ended = len < 3;
        fx_buf_add(buf, bytes, len);
    }
    return !buf->failed;
}

bool fx_base64_decode(struct fx_buf *buf, struct fx_text text) {
    const size_t before = buf->len;
    if (decode_all(buf, text)) {
        return true;
    }
    if (buf->len > before) {
        buf->len = before;
        buf->data[before] = '\0';
    }
    return false;
}

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

static size_t skip_line_ends(struct fx_text text, size_t at) {
    while (at < text.len && is_line_end(text.data[at])) {
        at++;
    }
    return at;
}

/* Finds the fault in the padding, whose first `=` is before `at`, after `digits` digits
 * of its group. */
static size_t find_fault_of_padding(struct fx_text text, size_t at, size_t digits) {
    if (digits < 2) {
        return at - 1;
    }
    if (digits == 2) {
        at = skip_line_ends(text, at);
        if (at == text.len) {
            return at;
        }
        if (text.data[at] != '=') {
            return at - 1;
        }
        at++;
    }
    return skip_line_ends(text, at); /* the first byte after the padding */
}

size_t fx_base64_find_fault(struct fx_text text) {
    size_t digits = 0; /* digits of the current group */
    for (size_t at = 0; at < text.len; at++) {
        const char c = text.data[at];
        if (c == '=') {
            return find_fault_of_padding(text, at + 1, digits);
        }
        const bool is_digit = digit_of(c) != NO_DIGIT;
        if (!is_digit && !is_line_end(c)) {
            return at;
        }
        digits = (digits + (is_digit ? 1 : 0)) % 4;
    }
    return text.len - digits;
}
