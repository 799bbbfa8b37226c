/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image_check.c - matchers for the three patterns of image
 * references. All their characters are ASCII, and none of them needs to look back.
 */
#include "mutators/gatekeeper/image_check.h"

#define TAG_MAX    128u /* behind the colon */
#define DIGEST_MIN 32u  /* hexadecimal digits */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_letter(char c) {
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter_or_digit(char c) {
    return is_letter(c) || is_digit(c);
}

/* [a-z0-9] */
static bool is_in_path(char c) {
    return is_lower(c) || is_digit(c);
}

static bool is_hyphen(char c) {
    return c == '-';
}

/* \w */
static bool is_word(char c) {
    return is_letter_or_digit(c) || c == '_';
}

/* [\w.-] */
static bool is_in_name(char c) {
    return is_word(c) || c == '.' || c == '-';
}

/* The character there; NUL, which no pattern has, behind the end. */
static char at(struct fx_text text, size_t off) {
    if (off < text.len) {
        return text.data[off];
    }
    return '\0';
}

/* How many characters of the class stand there in a row. */
static size_t run(struct fx_text text, size_t off, bool (*is)(char c)) {
    size_t end = off;
    while (end < text.len && is(text.data[end])) {
        end++;
    }
    return end - off;
}

/* \w[\w\-_]*\.[\w\-_\.]*[\w]: only such characters, a \w at both ends, and a dot. */
static bool is_host(struct fx_text text) {
    if (text.len == 0 || !is_word(text.data[0]) || !is_word(text.data[text.len - 1])) {
        return false;
    }
    return run(text, 0, is_in_name) == text.len && fx_text_contains(text, FX_TEXT("."));
}

/* (^\w[\w\-_]*\.[\w\-_\.]*[\w](:\d+)?$)|(^localhost(:\d+)?$) */
bool fx_image_is_domain(struct fx_text text) {
    const struct fx_text host = {text.data, run(text, 0, is_in_name)};
    if (!is_host(host) && !fx_text_is(host, "localhost")) {
        return false;
    }
    if (host.len == text.len) {
        return true;
    }
    const size_t port = run(text, host.len + 1, is_digit);
    return at(text, host.len) == ':' && port > 0 && host.len + 1 + port == text.len;
}

/* [._/]|__|[-]*, where something stands between two segments. */
static size_t separator(struct fx_text text, size_t off) {
    switch (at(text, off)) {
    case '_': return at(text, off + 1) == '_' ? 2 : 1;
    case '.':
    case '/': return 1;
    default: return run(text, off, is_hyphen);
    }
}

/* The whole text is the match of ^[a-z0-9]+(?:(?:(?:[._/]|__|[-]*)[a-z0-9]+)+)? */
bool fx_image_is_path(struct fx_text text) {
    size_t off = 0;
    for (;;) {
        const size_t segment = run(text, off, is_in_path);
        if (segment == 0) {
            return false;
        }
        off += segment;
        if (off == text.len) {
            return true;
        }
        off += separator(text, off);
    }
}

/* ^:[\w][\w.-]{0,127}$ */
static bool is_tag(struct fx_text text) {
    return at(text, 0) == ':' && is_word(at(text, 1)) && text.len <= TAG_MAX + 1 &&
           run(text, 1, is_in_name) == text.len - 1;
}

static bool joins_components(char c) {
    return c == '-' || c == '_' || c == '+' || c == '.';
}

/* ^@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*[:][0-9A-Fa-f]{32,}$ */
static bool is_digest(struct fx_text text) {
    if (at(text, 0) != '@') {
        return false;
    }
    size_t off = 0;
    do {
        off++;
        if (!is_letter(at(text, off))) {
            return false;
        }
        off += run(text, off, is_letter_or_digit);
    } while (joins_components(at(text, off)));
    if (at(text, off) != ':') {
        return false;
    }
    const size_t digits = run(text, off + 1, is_hex);
    return digits >= DIGEST_MIN && off + 1 + digits == text.len;
}

bool fx_image_is_tag(struct fx_text text) {
    return is_tag(text) || is_digest(text);
}
