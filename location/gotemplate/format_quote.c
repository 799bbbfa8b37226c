/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/format_quote.c - Go's quoted runes and strings: fx_text_quote_go(),
 * and what it does not do.
 */
#include "base/text.h"
#include "location/gotemplate/format.h"

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

/* Appends the rune as it stands within quotes, without them. */
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
