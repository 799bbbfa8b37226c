/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_string.c - reads the strings of a JSON text. A string without escapes that
 * is valid UTF-8, as nearly all strings are, is a span of the text; others are unescaped
 * into the scratch buffer.
 */
#include "value/json_internal.h"

#define REPLACEMENT 0xFFFDu

/* Moves on to the first byte that cannot be copied unchanged: the quote, a backslash, a
 * control character, malformed UTF-8, or the end. */
static inline void scan_plain(struct fx_json_reader *r) {
    for (;;) {
        r->at = fx_json_past_plain(r->at, r->end, true);
        if (r->at == r->end || (unsigned char)*r->at < 0x80) {
            return;
        }
        uint32_t rune = 0;
        const struct fx_text rest = {r->at, (size_t)(r->end - r->at)};
        const size_t length = fx_text_rune(rest, &rune);
        if (length == 1) {
            return;
        }
        r->at += length;
    }
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Reads the four digits after \u. */
static bool read_hex(struct fx_json_reader *r, uint32_t *ret_unit) {
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        const int digit = r->at < r->end ? hex_value(*r->at) : -1;
        if (digit < 0) {
            return fx_json_fail_inside(r, "in \\u hexadecimal character escape");
        }
        unit = unit << 4 | (uint32_t)digit;
    }
    *ret_unit = unit;
    return true;
}

/* Reads `\uDC00`…`\uDFFF` if it comes next. Otherwise does not move. */
static bool take_low_surrogate(struct fx_json_reader *r, uint32_t *ret_unit) {
    if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u') {
        return false;
    }
    uint32_t unit = 0;
    for (int i = 2; i < 6; i++) {
        const int digit = hex_value(r->at[i]);
        if (digit < 0) {
            return false;
        }
        unit = unit << 4 | (uint32_t)digit;
    }
    if (unit < 0xDC00 || unit > 0xDFFF) {
        return false;
    }
    r->at += 6;
    *ret_unit = unit;
    return true;
}

static bool read_unicode_escape(struct fx_json_reader *r) {
    uint32_t rune = 0;
    uint32_t low = 0;
    if (!read_hex(r, &rune)) {
        return false;
    }
    if (rune >= 0xD800 && rune <= 0xDFFF) {
        const bool pair = rune <= 0xDBFF && take_low_surrogate(r, &low);
        rune = pair ? 0x10000 + ((rune - 0xD800) << 10) + (low - 0xDC00) : REPLACEMENT;
    }
    char utf8[4];
    fx_buf_add(&r->scratch, utf8, fx_text_encode_rune(rune, utf8));
    return true;
}

/* Reads the rest of an escape, after its backslash. */
static bool read_escape(struct fx_json_reader *r) {
    char plain = 0;
    switch (fx_json_peek(r)) {
    case 'b': plain = '\b'; break;
    case 'f': plain = '\f'; break;
    case 'n': plain = '\n'; break;
    case 'r': plain = '\r'; break;
    case 't': plain = '\t'; break;
    case '"':
    case '\\':
    case '/': plain = *r->at; break;
    case 'u': r->at++; return read_unicode_escape(r);
    default: return fx_json_fail_inside(r, "in string escape code");
    }
    r->at++;
    fx_buf_char(&r->scratch, plain);
    return true;
}

/* Unescapes the rest of a string into the scratch buffer. The bytes from `from` to the
 * current position are scanned but not yet copied. */
static bool unescape_rest(struct fx_json_reader *r, const char *from,
                          struct fx_json_span *ret_span) {
    const size_t off = r->scratch.len;
    for (;; scan_plain(r)) {
        fx_buf_add(&r->scratch, from, (size_t)(r->at - from));
        const int c = fx_json_peek(r);
        if (c == '"') {
            break;
        }
        if (c < 0x20) {
            return fx_json_fail_here(r, "in string literal");
        }
        r->at++;
        if (c != '\\') {
            fx_buf_str(&r->scratch, "\xEF\xBF\xBD"); /* U+FFFD */
        } else if (!read_escape(r)) {
            return false;
        }
        from = r->at;
    }
    r->at++;
    *ret_span = (struct fx_json_span){.off = off, .len = r->scratch.len - off};
    return !r->scratch.failed || fx_fail_nomem(r->err);
}

bool fx_json_read_rest(struct fx_json_reader *r, const char *from, const char *at,
                       struct fx_json_span *ret_span) {
    r->at = at;
    scan_plain(r);
    if (fx_json_peek(r) != '"') {
        return unescape_rest(r, from, ret_span);
    }
    *ret_span = (struct fx_json_span){.data = from, .len = (size_t)(r->at - from)};
    r->at++;
    return true;
}
