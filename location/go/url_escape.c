/* SPDX-License-Identifier: Apache-2.0
 *
 * url_escape.c - the escapes of URLs.
 */
#include "location/go/url_escape.h"

/* Go escapes other characters than the RFC. */
bool fx_go_url_must_escape(char c, enum fx_go_url_part part) {
    if (fx_is_letter(c) || fx_is_digit(c) || fx_is_one_of(c, "-_.~")) {
        return false;
    }
    switch (part) {
    case FX_GO_URL_HOST:
    case FX_GO_URL_ZONE: return !fx_is_one_of(c, "!$&'()*+,;=:[]<>\"");
    case FX_GO_URL_USER: return !fx_is_one_of(c, "$&+,;=");
    case FX_GO_URL_PATH: return !fx_is_one_of(c, "$&+,/:;=@");
    case FX_GO_URL_FRAGMENT: return !fx_is_one_of(c, "$&+,/:;=?@!()*");
    }
    return true;
}

void fx_go_url_escape(struct fx_buf *buf, struct fx_text text, enum fx_go_url_part part) {
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (fx_go_url_must_escape(c, part)) {
            fx_buf_char(buf, '%');
            fx_buf_hex(buf, (unsigned char)c, 2, true);
        } else {
            fx_buf_char(buf, c);
        }
    }
}

int fx_go_url_escaped_byte(struct fx_text text) {
    const bool is_short = text.len < FX_GO_URL_ESCAPE;
    const unsigned high = is_short ? FX_NO_DIGIT : fx_digit_of(text.data[1]);
    const unsigned low = is_short ? FX_NO_DIGIT : fx_digit_of(text.data[2]);
    return high > 15 || low > 15 ? -1 : (int)(high * 16 + low);
}

bool fx_go_url_fail(struct fx_err *err, const char *before, struct fx_text text,
                    const char *after) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, before);
    fx_text_quote_in_error(&buf, text);
    fx_buf_str(&buf, after);
    return fx_buf_fail(&buf, err, FX_EMUTATE);
}

/* A host may escape only bytes beyond ASCII and `%`; a zone also characters that it
 * must not contain. */
static bool may_escape(int byte, enum fx_go_url_part part) {
    if (part == FX_GO_URL_HOST) {
        return byte >= 0x80 || byte == '%';
    }
    return part != FX_GO_URL_ZONE || byte == '%' || byte == ' ' ||
           !fx_go_url_must_escape((char)byte, FX_GO_URL_HOST);
}

static bool check_escape(struct fx_text rest, enum fx_go_url_part part,
                         struct fx_err *err) {
    const int byte = fx_go_url_escaped_byte(rest);
    if (byte >= 0 && may_escape(byte, part)) {
        return true;
    }
    rest.len = rest.len < FX_GO_URL_ESCAPE ? rest.len : FX_GO_URL_ESCAPE;
    return fx_go_url_fail(err, "invalid URL escape ", rest, "");
}

static bool check_char(struct fx_text rest, enum fx_go_url_part part,
                       struct fx_err *err) {
    const char c = rest.data[0];
    const bool in_host = part == FX_GO_URL_HOST || part == FX_GO_URL_ZONE;
    if (!in_host || (unsigned char)c >= 0x80 || !fx_go_url_must_escape(c, part)) {
        return true;
    }
    rest.len = 1;
    return fx_go_url_fail(err, "invalid character ", rest, " in host name");
}

/* Checks the text and counts its escapes. */
static bool check(struct fx_text text, enum fx_go_url_part part, size_t *ret_escapes,
                  struct fx_err *err) {
    *ret_escapes = 0;
    while (text.len > 0) {
        const bool is_escape = text.data[0] == '%';
        if (!(is_escape ? check_escape(text, part, err) : check_char(text, part, err))) {
            return false;
        }
        *ret_escapes += is_escape ? 1 : 0;
        text = fx_text_rest(text, is_escape ? FX_GO_URL_ESCAPE : 1);
    }
    return true;
}

bool fx_go_url_unescape(struct fx_text text, enum fx_go_url_part part, char **room,
                        struct fx_text *ret_text, struct fx_err *err) {
    size_t escapes = 0;
    if (!check(text, part, &escapes, err)) {
        return false;
    }
    *ret_text = text;
    if (escapes == 0 || *room == NULL) {
        return true;
    }
    char *plain = *room;
    size_t len = 0;
    while (text.len > 0) {
        const bool is_escape = text.data[0] == '%';
        plain[len++] = (char)(is_escape ? fx_go_url_escaped_byte(text) : text.data[0]);
        text = fx_text_rest(text, is_escape ? FX_GO_URL_ESCAPE : 1);
    }
    *room += len;
    *ret_text = (struct fx_text){plain, len};
    return true;
}
