/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/escape.c - html, js, urlquery.
 */
#include "location/gotemplate/escape.h"

#include <string.h>

static const char *html_escape(char c) {
    switch (c) {
    case '"': return "&#34;";
    case '\'': return "&#39;";
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '\0': return "\xEF\xBF\xBD";
    default: return NULL;
    }
}

void escape_html(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        const char *escape = html_escape(text.data[i]);
        if (escape != NULL) {
            fx_buf_str(buf, escape);
        } else {
            fx_buf_char(buf, text.data[i]);
        }
    }
}

/* What prints stands for itself also between Go's quotes. */
static bool is_printable(struct fx_text rune, struct fx_buf *quoted) {
    fx_buf_reset(quoted);
    fx_text_quote_go(quoted, rune);
    return quoted->failed || quoted->len == rune.len + 2;
}

static void add_js_ascii(struct fx_buf *buf, char c) {
    if (c == '\\' || c == '\'' || c == '"') {
        fx_buf_char(buf, '\\');
        fx_buf_char(buf, c);
    } else if ((unsigned char)c < ' ' || (c != '\0' && strchr("<>&=", c) != NULL)) {
        fx_buf_str(buf, "\\u");
        fx_buf_hex(buf, (unsigned char)c, 4, true);
    } else {
        fx_buf_char(buf, c);
    }
}

void escape_js(struct fx_buf *buf, struct fx_text text) {
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    for (size_t at = 0; at < text.len;) {
        const struct fx_text rest = {text.data + at, text.len - at};
        uint32_t rune = 0;
        const size_t len = fx_text_rune(rest, &rune);
        at += len;
        if (rune < 0x80) {
            add_js_ascii(buf, (char)rune);
        } else if (is_printable((struct fx_text){rest.data, len}, &quoted)) {
            fx_buf_add(buf, rest.data, len);
        } else {
            fx_buf_str(buf, "\\u");
            fx_buf_hex(buf, rune, 4, true);
        }
    }
    buf->failed = buf->failed || quoted.failed;
    fx_buf_finish(&quoted);
}

static bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-_.~", c) != NULL);
}

void escape_query(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (is_unreserved(c)) {
            fx_buf_char(buf, c);
        } else if (c == ' ') {
            fx_buf_char(buf, '+');
        } else {
            fx_buf_char(buf, '%');
            fx_buf_hex(buf, (unsigned char)c, 2, true);
        }
    }
}
