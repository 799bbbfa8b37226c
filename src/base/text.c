/* SPDX-License-Identifier: Apache-2.0
 *
 * base/text.c - comparing, decoding and quoting UTF-8.
 */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/runes.h"

#define REPLACEMENT 0xFFFDu

struct fx_text fx_text_of(const char *string) {
    return (struct fx_text){string, string == NULL ? 0 : strlen(string)};
}

char *fx_text_dup(struct fx_text text) {
    char *copy = malloc(text.len + 1);
    if (copy != NULL) {
        if (text.len > 0) {
            memcpy(copy, text.data, text.len);
        }
        copy[text.len] = '\0';
    }
    return copy;
}

bool fx_text_equal(struct fx_text a, struct fx_text b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool fx_text_is(struct fx_text text, const char *string) {
    return fx_text_equal(text, fx_text_of(string));
}

int fx_text_compare(struct fx_text a, struct fx_text b) {
    const size_t common = a.len < b.len ? a.len : b.len;
    const int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    if (order != 0) {
        return order;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool fx_text_starts(struct fx_text text, struct fx_text part) {
    return part.len <= text.len &&
           fx_text_equal((struct fx_text){text.data, part.len}, part);
}

bool fx_text_ends(struct fx_text text, struct fx_text part) {
    return part.len == 0 ||
           (part.len <= text.len &&
            memcmp(text.data + text.len - part.len, part.data, part.len) == 0);
}

bool fx_text_contains(struct fx_text text, struct fx_text part) {
    if (part.len == 0) {
        return true;
    }
    for (size_t at = 0; part.len <= text.len - at; at++) {
        const char *hit = memchr(text.data + at, part.data[0], text.len - at);
        if (hit == NULL) {
            return false;
        }
        at = (size_t)(hit - text.data);
        if (fx_text_starts((struct fx_text){hit, text.len - at}, part)) {
            return true;
        }
    }
    return false;
}

bool fx_is_one_of(char c, const char *set) {
    return c != '\0' && strchr(set, c) != NULL;
}

size_t fx_text_count_digits(struct fx_text text, size_t most) {
    const size_t end = text.len < most ? text.len : most;
    size_t n = 0;
    while (n < end && fx_is_digit(text.data[n])) {
        n++;
    }
    return n;
}

bool fx_text_is_digits(struct fx_text text) {
    return fx_text_count_digits(text, text.len) == text.len;
}

bool fx_text_take(struct fx_text *text, char wanted) {
    const bool is_there = text->len > 0 && text->data[0] == wanted;
    *text = fx_text_rest(*text, is_there ? 1 : 0);
    return is_there;
}

bool fx_text_take_number(struct fx_text *text, size_t least, size_t most,
                         int *ret_number) {
    const size_t n = fx_text_count_digits(*text, most);
    if (n < least) {
        return false;
    }
    *ret_number = 0;
    for (size_t i = 0; i < n; i++) {
        *ret_number = *ret_number * 10 + (text->data[i] - '0');
    }
    *text = fx_text_rest(*text, n);
    return true;
}

/* Reads a lead byte. Returns how many bytes follow; *ret_bits are its payload bits, and
 * *ret_least is the smallest rune that needs so many bytes. */
static size_t lead_shape(unsigned char lead, uint32_t *ret_bits, uint32_t *ret_least) {
    if (lead >= 0xC2 && lead <= 0xDF) {
        *ret_bits = lead & 0x1Fu;
        *ret_least = 0x80;
        return 1;
    }
    if ((lead & 0xF0) == 0xE0) {
        *ret_bits = lead & 0x0Fu;
        *ret_least = 0x800;
        return 2;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        *ret_bits = lead & 0x07u;
        *ret_least = 0x10000;
        return 3;
    }
    return 0;
}

/* Returns the length of the well-formed rune at the start of `text`, or 0. */
static size_t decode(struct fx_text text, uint32_t *ret_rune) {
    const unsigned char lead = (unsigned char)text.data[0];
    if (lead < 0x80) {
        *ret_rune = lead;
        return 1;
    }
    uint32_t rune = 0;
    uint32_t least = 0;
    const size_t follow = lead_shape(lead, &rune, &least);
    if (follow == 0 || text.len <= follow) {
        return 0;
    }
    for (size_t i = 1; i <= follow; i++) {
        const unsigned char byte = (unsigned char)text.data[i];
        if ((byte & 0xC0) != 0x80) {
            return 0;
        }
        rune = rune << 6 | (byte & 0x3Fu);
    }
    if (rune < least || rune > 0x10FFFF || (rune >= 0xD800 && rune <= 0xDFFF)) {
        return 0;
    }
    *ret_rune = rune;
    return follow + 1;
}

struct fx_text fx_text_cut(struct fx_text *rest, char separator) {
    const char *end = rest->len == 0 ? NULL : memchr(rest->data, separator, rest->len);
    const size_t len = end == NULL ? rest->len : (size_t)(end - rest->data);
    const struct fx_text before = {rest->data, len};
    const size_t used = end == NULL ? len : len + 1;
    *rest =
        (struct fx_text){used == 0 ? rest->data : rest->data + used, rest->len - used};
    return before;
}

size_t fx_text_rune(struct fx_text text, uint32_t *ret_rune) {
    const size_t length = decode(text, ret_rune);
    if (length == 0) {
        *ret_rune = REPLACEMENT;
        return 1;
    }
    return length;
}

bool fx_text_is_utf8(struct fx_text text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t rune = 0;
        const size_t length =
            decode((struct fx_text){text.data + at, text.len - at}, &rune);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

size_t fx_text_encode_rune(uint32_t rune, char out[4]) {
    if (rune < 0x80) {
        out[0] = (char)rune;
        return 1;
    }
    if (rune < 0x800) {
        out[0] = (char)(0xC0 | rune >> 6);
        out[1] = (char)(0x80 | (rune & 0x3F));
        return 2;
    }
    if (rune < 0x10000) {
        out[0] = (char)(0xE0 | rune >> 12);
        out[1] = (char)(0x80 | (rune >> 6 & 0x3F));
        out[2] = (char)(0x80 | (rune & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | rune >> 18);
    out[1] = (char)(0x80 | (rune >> 12 & 0x3F));
    out[2] = (char)(0x80 | (rune >> 6 & 0x3F));
    out[3] = (char)(0x80 | (rune & 0x3F));
    return 4;
}

size_t fx_text_rune_floor(const char *text, size_t at) {
    while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80) {
        at--;
    }
    return at;
}

/* Returns how many bytes of white space the text starts with. */
static size_t space_at_start(struct fx_text text) {
    size_t at = 0;
    while (at < text.len) {
        uint32_t rune = 0;
        const size_t length =
            fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
        if (!fx_rune_is_space(rune)) {
            break;
        }
        at += length;
    }
    return at;
}

struct fx_text fx_text_trim_space(struct fx_text text) {
    const size_t start = space_at_start(text);
    size_t end = text.len;
    while (end > start) {
        const size_t last = fx_text_rune_floor(text.data, end - 1);
        uint32_t rune = 0;
        const size_t length =
            fx_text_rune((struct fx_text){text.data + last, end - last}, &rune);
        if (last + length != end || !fx_rune_is_space(rune)) {
            break;
        }
        end = last;
    }
    return (struct fx_text){text.data == NULL ? NULL : text.data + start, end - start};
}

/* Returns the letter of the rune's short escape in Go, or 0. */
static char short_escape(uint32_t rune) {
    switch (rune) {
    case '\a': return 'a';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\v': return 'v';
    case '"': return '"';
    case '\\': return '\\';
    default: return 0;
    }
}

void fx_text_quote_go(struct fx_buf *buf, struct fx_text text) {
    fx_buf_char(buf, '"');
    for (size_t at = 0; at < text.len;) {
        const struct fx_text rest = {text.data + at, text.len - at};
        uint32_t rune = 0;
        const size_t length = fx_text_rune(rest, &rune);
        const bool malformed = length == 1 && (unsigned char)rest.data[0] >= 0x80;
        if (malformed) {
            fx_buf_str(buf, "\\x");
            fx_buf_hex(buf, (unsigned char)rest.data[0], 2, false);
        } else if (short_escape(rune) != 0) {
            fx_buf_char(buf, '\\');
            fx_buf_char(buf, short_escape(rune));
        } else if (fx_rune_is_printable(rune)) {
            fx_buf_add(buf, rest.data, length);
        } else if (rune < 0x80) {
            fx_buf_str(buf, "\\x");
            fx_buf_hex(buf, rune, 2, false);
        } else if (rune < 0x10000) {
            fx_buf_str(buf, "\\u");
            fx_buf_hex(buf, rune, 4, false);
        } else {
            fx_buf_str(buf, "\\U");
            fx_buf_hex(buf, rune, 8, false);
        }
        at += length;
    }
    fx_buf_char(buf, '"');
}

#define QUOTED_BYTES_OF_UNIT 2u /* unprintable characters become several */

void fx_text_quote_in_error(struct fx_buf *buf, struct fx_text text) {
    const struct fx_text shown = {text.data,
                                  text.len < FX_ERR_TEXT ? text.len : FX_ERR_TEXT};
    if (fx_spend(shown.len / QUOTED_BYTES_OF_UNIT)) {
        fx_text_quote_go(buf, shown);
    } else {
        fx_buf_str(buf, "\"\""); /* nobody reads it: the budget is exceeded */
    }
}

void fx_text_repair(struct fx_buf *buf, struct fx_text text) {
    while (text.len > 0 && !buf->failed) {
        char out[4];
        uint32_t rune = 0;
        const size_t len = fx_text_rune(text, &rune);
        fx_buf_add(buf, out, fx_text_encode_rune(rune, out));
        text = fx_text_rest(text, len);
    }
}
