/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/format_text.c - strings: %s %q %x, truncated to the precision and
 * padded to the width; and quoting, where it differs from fx_text_quote_go().
 */
#include "location/gotemplate/format.h"

#include <limits.h>

#include "base/text.h"

/* ---- quotes ------------------------------------------------------------------------ */

#define LAST_RUNE 0x10FFFFu
#define NO_RUNE   0xFFFDu

static bool is_rune(uint32_t rune) {
    return rune <= LAST_RUNE && !(rune >= 0xD800 && rune <= 0xDFFF);
}

void format_rune(struct fx_buf *buf, uint32_t rune) {
    char bytes[4];
    const size_t len = fx_text_encode_rune(is_rune(rune) ? rune : NO_RUNE, bytes);
    fx_buf_add(buf, bytes, len);
}

/* Appends the rune as it is written within quotes. */
static void add_escaped(struct fx_buf *buf, uint32_t rune) {
    char bytes[4];
    const size_t len = fx_text_encode_rune(rune, bytes);
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    fx_text_quote_go(&quoted, (struct fx_text){bytes, len});
    fx_buf_fail_as(buf, &quoted);
    if (!quoted.failed) {
        fx_buf_add(buf, quoted.data + 1, quoted.len - 2);
    }
    fx_buf_finish(&quoted);
}

static void add_number(struct fx_buf *buf, uint32_t rune) {
    if (rune < 0x10000) {
        fx_buf_str(buf, "\\u");
        fx_buf_hex(buf, rune, 4, false);
    } else {
        fx_buf_str(buf, "\\U");
        fx_buf_hex(buf, rune, 8, false);
    }
}

void format_quote_rune(struct fx_buf *buf, uint32_t rune, bool ascii) {
    const uint32_t shown = is_rune(rune) ? rune : NO_RUNE;
    fx_buf_char(buf, '\'');
    if (shown == '\'') {
        fx_buf_str(buf, "\\'");
    } else if (shown == '"') {
        fx_buf_char(buf, '"');
    } else if (ascii && shown >= 0x80) {
        add_number(buf, shown);
    } else {
        add_escaped(buf, shown);
    }
    fx_buf_char(buf, '\'');
}

static bool is_ascii(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.data[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

void format_quote(struct fx_buf *buf, struct fx_text text, bool ascii) {
    if (!ascii || is_ascii(text)) {
        fx_text_quote_go(buf, text);
        return;
    }
    fx_buf_char(buf, '"');
    for (size_t at = 0; at < text.len;) {
        uint32_t rune = 0;
        const struct fx_text rest = {text.data + at, text.len - at};
        const size_t len = fx_text_rune(rest, &rune);
        if (rune < 0x80) {
            add_escaped(buf, rune);
        } else if (len == 1) { /* no UTF-8 */
            fx_buf_str(buf, "\\x");
            fx_buf_hex(buf, (unsigned char)rest.data[0], 2, false);
        } else {
            add_number(buf, rune);
        }
        at += len;
    }
    fx_buf_char(buf, '"');
}

/* ---- strings ----------------------------------------------------------------------- */

void format_fill(struct format_printer *p, int count) {
    if (count > 0) {
        fx_buf_fill(p->out, p->format.zero ? '0' : ' ', (size_t)count);
    }
}

/* Counts runes; each malformed byte counts as one. */
static size_t count_runes(struct fx_text text) {
    size_t n = 0;
    for (size_t at = 0; at < text.len; n++) {
        uint32_t rune = 0;
        at += fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
    }
    return n;
}

void format_padded(struct format_printer *p, struct fx_text text) {
    const struct format *format = &p->format;
    if (!format->has_width || format->width == 0) {
        fx_buf_text(p->out, text);
        return;
    }
    const size_t n = count_runes(text);
    const int missing = n >= (size_t)format->width ? 0 : format->width - (int)n;
    if (!format->minus) {
        format_fill(p, missing);
    }
    fx_buf_text(p->out, text);
    if (format->minus) {
        format_fill(p, missing);
    }
}

void format_padded_blank(struct format_printer *p, struct fx_text text) {
    const bool zero = p->format.zero;
    p->format.zero = false;
    format_padded(p, text);
    p->format.zero = zero;
}

/* Returns as many runes as the precision allows. */
static struct fx_text cut(const struct format *format, struct fx_text text) {
    if (!format->has_precision) {
        return text;
    }
    size_t at = 0;
    for (int n = format->precision; n > 0 && at < text.len; n--) {
        uint32_t rune = 0;
        at += fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
    }
    return (struct fx_text){text.data, at};
}

/* True for a text that can be written between backquotes: one line, no control
 * character but tab, no backquote. */
static bool can_backquote(struct fx_text text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t rune = 0;
        const size_t len =
            fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
        if (rune == '`' || rune == 0x7F || (rune < ' ' && rune != '\t') ||
            rune == 0xFEFF || (rune == 0xFFFD && len == 1)) {
            return false;
        }
        at += len;
    }
    return true;
}

static void add_quoted(struct format_printer *p, struct fx_text text) {
    const struct fx_text shown = cut(&p->format, text);
    struct fx_buf quoted;
    fx_buf_init(&quoted, p->out->max);
    if (p->format.sharp && can_backquote(shown)) {
        fx_buf_char(&quoted, '`');
        fx_buf_text(&quoted, shown);
        fx_buf_char(&quoted, '`');
    } else {
        format_quote(&quoted, shown, p->format.plus);
    }
    fx_buf_fail_as(p->out, &quoted);
    if (!quoted.failed) {
        format_padded(p, (struct fx_text){quoted.data, quoted.len});
    }
    fx_buf_finish(&quoted);
}

/* Returns the length of the hexadecimal form of `n` > 0 bytes. */
static size_t hex_length(const struct format *format, size_t n) {
    if (!format->space) {
        return 2 * n + (format->sharp ? 2 : 0);
    }
    return (format->sharp ? 4 : 2) * n + n - 1;
}

static void add_hex_bytes(struct format_printer *p, struct fx_text text,
                          const char *digits) {
    const char prefix[2] = {'0', digits[16]};
    for (size_t i = 0; i < text.len && !p->out->failed; i++) {
        if (p->format.space && i > 0) {
            fx_buf_char(p->out, ' ');
        }
        if (p->format.sharp && (p->format.space || i == 0)) {
            fx_buf_add(p->out, prefix, 2);
        }
        const unsigned char byte = (unsigned char)text.data[i];
        const char pair[2] = {digits[byte >> 4], digits[byte & 15]};
        fx_buf_add(p->out, pair, 2);
    }
}

/* Byte by byte; the precision counts bytes. */
static void add_hex(struct format_printer *p, struct fx_text text, const char *digits) {
    const struct format *format = &p->format;
    if (format->has_precision && (size_t)format->precision < text.len) {
        text.len = (size_t)format->precision;
    }
    const size_t len = text.len == 0 ? 0 : hex_length(format, text.len);
    const int missing =
        !format->has_width || len >= (size_t)format->width ? 0 : format->width - (int)len;
    if (!format->minus || text.len == 0) {
        format_fill(p, missing);
    }
    add_hex_bytes(p, text, digits);
    if (format->minus && text.len > 0) {
        format_fill(p, missing);
    }
}

bool format_string(struct format_printer *p, struct fx_text text, uint32_t verb) {
    switch (verb) {
    case 'v':
        if (p->format.sharp_v) {
            add_quoted(p, text);
            return true;
        }
        format_padded(p, cut(&p->format, text));
        return true;
    case 's': format_padded(p, cut(&p->format, text)); return true;
    case 'q': add_quoted(p, text); return true;
    case 'x': add_hex(p, text, "0123456789abcdefx"); return true;
    case 'X': add_hex(p, text, "0123456789ABCDEFX"); return true;
    default: return false;
    }
}
