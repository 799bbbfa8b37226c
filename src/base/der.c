/* SPDX-License-Identifier: Apache-2.0
 *
 * der.c - reads values of ASN.1. mbedTLS is not used (see digest.c): its reader accepts
 * lengths that Go refuses.
 */
#include "base/der.h"

#include <stddef.h>

#define LONG_TAG          0x1Fu /* a tag whose number does not fit the byte */
#define LONG_LENGTH       0x80u
#define MOST_LENGTH_BYTES 4u

static unsigned byte_at(struct fx_text text, size_t i) {
    return (unsigned char)text.data[i];
}

/* Removes the length. It has to be minimal. */
static bool take_length(struct fx_text *from, size_t *ret_length) {
    if (from->len == 0) {
        return false;
    }
    const unsigned first = byte_at(*from, 0);
    const size_t n = first & ~LONG_LENGTH;
    size_t length = 0;
    *from = fx_text_rest(*from, 1);
    if ((first & LONG_LENGTH) == 0) {
        *ret_length = first;
        return true;
    }
    if (n == 0 || n > MOST_LENGTH_BYTES || n > from->len || byte_at(*from, 0) == 0) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        length = length << 8 | byte_at(*from, i);
    }
    *from = fx_text_rest(*from, n);
    *ret_length = length;
    return length >= LONG_LENGTH;
}

bool fx_der_take_any(struct fx_text *from, unsigned *ret_tag, struct fx_text *ret_content,
                     struct fx_text *ret_whole) {
    struct fx_text rest = *from;
    size_t length = 0;
    if (rest.len == 0 || (byte_at(rest, 0) & LONG_TAG) == LONG_TAG) {
        return false;
    }
    *ret_tag = byte_at(rest, 0);
    rest = fx_text_rest(rest, 1);
    if (!take_length(&rest, &length) || length > rest.len) {
        return false;
    }
    *ret_content = (struct fx_text){rest.data, length};
    rest = fx_text_rest(rest, length);
    if (ret_whole != NULL) {
        *ret_whole = (struct fx_text){from->data, from->len - rest.len};
    }
    *from = rest;
    return true;
}

bool fx_der_follows(struct fx_text from, unsigned tag) {
    return from.len > 0 && byte_at(from, 0) == tag;
}

bool fx_der_take(struct fx_text *from, unsigned tag, struct fx_text *ret_content) {
    unsigned found = 0;
    return fx_der_follows(*from, tag) && fx_der_take_any(from, &found, ret_content, NULL);
}

bool fx_der_take_optional(struct fx_text *from, unsigned tag,
                          struct fx_text *ret_content) {
    *ret_content = (struct fx_text){NULL, 0};
    return !fx_der_follows(*from, tag) || fx_der_take(from, tag, ret_content);
}

/* Bits that do not belong to the string are 0. */
bool fx_der_take_bits(struct fx_text *from, struct fx_text *ret_bytes,
                      unsigned *ret_unused) {
    struct fx_text content;
    if (!fx_der_take(from, FX_DER_BIT_STRING, &content) || content.len == 0) {
        return false;
    }
    const unsigned unused = byte_at(content, 0);
    const unsigned last = byte_at(content, content.len - 1);
    if (unused > 7 || (content.len == 1 && unused != 0) ||
        (content.len > 1 && (last & ((1u << unused) - 1)) != 0)) {
        return false;
    }
    *ret_bytes = fx_text_rest(content, 1);
    *ret_unused = unused;
    return true;
}

/* An integer is not empty, and has no byte that could be left out. */
static bool is_integer(struct fx_text content) {
    if (content.len < 2) {
        return content.len == 1;
    }
    const bool next_is_negative = (byte_at(content, 1) & 0x80) != 0;
    return byte_at(content, 0) != (next_is_negative ? 0xFF : 0x00);
}

bool fx_der_integer(struct fx_text content, int64_t *ret_integer) {
    if (!is_integer(content) || content.len > sizeof *ret_integer) {
        return false;
    }
    uint64_t bits = (byte_at(content, 0) & 0x80) != 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < content.len; i++) {
        bits = bits << 8 | byte_at(content, i);
    }
    *ret_integer = bits <= INT64_MAX ? (int64_t)bits : -1 - (int64_t)(UINT64_MAX - bits);
    return true;
}

bool fx_der_boolean(struct fx_text content, bool *ret_boolean) {
    if (content.len != 1 || (byte_at(content, 0) != 0 && byte_at(content, 0) != 0xFF)) {
        return false;
    }
    *ret_boolean = byte_at(content, 0) != 0;
    return true;
}

bool fx_der_oid_take(struct fx_text *content, uint32_t *ret_number) {
    uint64_t number = 0;
    for (size_t i = 0; i < content->len && number <= INT32_MAX; i++) {
        const unsigned byte = byte_at(*content, i);
        if (i == 0 && byte == 0x80) { /* a zero in front */
            return false;
        }
        number = number << 7 | (byte & 0x7F);
        if ((byte & 0x80) == 0) {
            *content = fx_text_rest(*content, i + 1);
            *ret_number = (uint32_t)number;
            return number <= INT32_MAX;
        }
    }
    return false;
}

bool fx_der_oid_print(struct fx_buf *buf, struct fx_text content) {
    uint32_t number = 0;
    if (!fx_der_oid_take(&content, &number)) {
        return false;
    }
    const uint32_t root = number < 80 ? number / 40 : 2;
    fx_buf_number(buf, root);
    fx_buf_char(buf, '.');
    fx_buf_number(buf, number - root * 40);
    while (content.len > 0) {
        if (!fx_der_oid_take(&content, &number)) {
            return false;
        }
        fx_buf_char(buf, '.');
        fx_buf_number(buf, number);
    }
    return true;
}

/* Removes a number and the point behind it from the start of the text. */
static uint32_t cut_number(struct fx_text *text) {
    const struct fx_text digits = fx_text_cut(text, '.');
    uint32_t number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        number = number * 10 + fx_digit_of(digits.data[i]);
    }
    return number;
}

bool fx_der_oid_is(struct fx_text content, const char *text) {
    struct fx_text rest = fx_text_of(text);
    uint32_t wanted = cut_number(&rest) * 40;
    uint32_t number = 0;
    for (wanted += cut_number(&rest); fx_der_oid_take(&content, &number);
         wanted = cut_number(&rest)) {
        if (number != wanted || content.len == 0 || rest.len == 0) {
            return number == wanted && content.len == 0 && rest.len == 0;
        }
    }
    return false;
}
