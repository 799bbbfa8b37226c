/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/url_escape.c - percent signs (RFC 3986 section 2.1).
 */
#include "location/sprig/url_escape.h"

#include <string.h>

#include "location/go/text.h"

#define ESCAPE 3 /* characters of one */

const char *url_quote(struct run *run, struct fx_text text) {
    struct fx_buf *buf = run_scratch(run);
    fx_text_quote_go(buf, text);
    return buf->data == NULL ? "" : buf->data;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_one_of(char c, const char *set) {
    return c != '\0' && strchr(set, c) != NULL;
}

/* Go leaves some alone that the RFC would have escaped, and the other way round. */
static bool must_escape(char c, enum url_part part) {
    if (is_letter(c) || is_digit(c) || is_one_of(c, "-_.~")) {
        return false;
    }
    switch (part) {
    case URL_HOST:
    case URL_ZONE: return !is_one_of(c, "!$&'()*+,;=:[]<>\"");
    case URL_USER: return !is_one_of(c, "$&+,;=");
    case URL_PATH: return !is_one_of(c, "$&+,/:;=@");
    case URL_FRAGMENT: return !is_one_of(c, "$&+,/:;=?@!()*");
    }
    return true;
}

void url_escape(struct fx_buf *buf, struct fx_text text, enum url_part part) {
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (must_escape(c, part)) {
            fx_buf_char(buf, '%');
            fx_buf_hex(buf, (unsigned char)c, 2, true);
        } else {
            fx_buf_char(buf, c);
        }
    }
}

static int digit_of(char c) {
    if (is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that the text's first three characters stand for; negative: none. */
static int byte_at(struct fx_text text) {
    const int high = text.len < ESCAPE ? -1 : digit_of(text.data[1]);
    const int low = text.len < ESCAPE ? -1 : digit_of(text.data[2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* A host escapes only what is not ASCII, and `%`; a zone also what may not stand in it.
 */
static bool may_escape(int byte, enum url_part part) {
    if (part == URL_HOST) {
        return byte >= 0x80 || byte == '%';
    }
    return part != URL_ZONE || byte == '%' || byte == ' ' ||
           !must_escape((char)byte, URL_HOST);
}

static bool check_escape(struct run *run, struct fx_text rest, enum url_part part) {
    const int byte = byte_at(rest);
    if (byte >= 0 && may_escape(byte, part)) {
        return true;
    }
    rest.len = rest.len < ESCAPE ? rest.len : ESCAPE;
    return fx_fail(run->err, FX_EMUTATE, "invalid URL escape %s", url_quote(run, rest));
}

static bool check_char(struct run *run, struct fx_text rest, enum url_part part) {
    const char c = rest.data[0];
    const bool in_host = part == URL_HOST || part == URL_ZONE;
    if (!in_host || (unsigned char)c >= 0x80 || !must_escape(c, part)) {
        return true;
    }
    rest.len = 1;
    return fx_fail(run->err, FX_EMUTATE, "invalid character %s in host name",
                   url_quote(run, rest));
}

/* Counts the escapes. */
static bool check(struct run *run, struct fx_text text, enum url_part part,
                  size_t *ret_escapes) {
    *ret_escapes = 0;
    while (text.len > 0) {
        const bool is_escape = text.data[0] == '%';
        if (!(is_escape ? check_escape(run, text, part) : check_char(run, text, part))) {
            return false;
        }
        *ret_escapes += is_escape ? 1 : 0;
        text = text_behind(text, is_escape ? ESCAPE : 1);
    }
    return true;
}

bool url_unescape(struct run *run, struct fx_text text, enum url_part part,
                  struct fx_text *ret_text) {
    size_t escapes = 0;
    if (!check(run, text, part, &escapes)) {
        return false;
    }
    *ret_text = text;
    if (escapes == 0) {
        return true;
    }
    char *plain = run_alloc(run, text.len);
    if (plain == NULL) {
        return false;
    }
    size_t len = 0;
    while (text.len > 0) {
        const bool is_escape = text.data[0] == '%';
        plain[len++] = (char)(is_escape ? byte_at(text) : text.data[0]);
        text = text_behind(text, is_escape ? ESCAPE : 1);
    }
    *ret_text = (struct fx_text){plain, len};
    return true;
}
