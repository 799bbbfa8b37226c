/* SPDX-License-Identifier: Apache-2.0
 *
 * base/text_fuzz.c - any bytes, rune by rune: what is well-formed is written back as it
 * stood; and what Go's %q makes of them is printable, and reads as the same bytes.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Is it well-formed, rune by rune? */
static bool check_runes(struct fx_text text) {
    bool is_utf8 = true;
    for (size_t at = 0; at < text.len;) {
        const struct fx_text rest = {text.data + at, text.len - at};
        uint32_t rune = 0;
        char back[4];
        const size_t length = fx_text_rune(rest, &rune);
        assert(length >= 1 && length <= 4 && length <= rest.len);
        assert(rune <= 0x10FFFF && (rune < 0xD800 || rune > 0xDFFF));
        if (length == 1 && (unsigned char)rest.data[0] >= 0x80) {
            assert(rune == 0xFFFD);
            is_utf8 = false;
        } else {
            assert(fx_text_encode_rune(rune, back) == length);
            assert(memcmp(back, rest.data, length) == 0);
        }
        at += length;
    }
    return is_utf8;
}

static unsigned hex_of(char c) {
    const char *const digits = "0123456789abcdef";
    const char *found = c == '\0' ? NULL : strchr(digits, c);
    assert(found != NULL);
    return (unsigned)(found - digits);
}

/* Reads what stands behind a backslash, and gives its length. */
static size_t unescape(struct fx_buf *buf, const char *at) {
    static const char letters[] = "abfnrtv\"\\";
    static const char meanings[] = "\a\b\f\n\r\t\v\"\\";
    const char *letter = strchr(letters, at[0]);
    if (letter != NULL) {
        fx_buf_char(buf, meanings[letter - letters]);
        return 1;
    }
    assert(at[0] == 'x' || at[0] == 'u' || at[0] == 'U');
    const size_t digits = at[0] == 'x' ? 2 : at[0] == 'u' ? 4 : 8;
    uint32_t value = 0;
    for (size_t i = 1; i <= digits; i++) {
        value = value << 4 | hex_of(at[i]);
    }
    char utf8[4] = {(char)value};
    fx_buf_add(buf, utf8, at[0] == 'x' ? 1 : fx_text_encode_rune(value, utf8));
    return 1 + digits;
}

static void check_quoting(struct fx_text text) {
    struct fx_buf quoted, back;
    fx_buf_init(&quoted, 0);
    fx_buf_init(&back, 0);
    fx_text_quote_go(&quoted, text);
    assert(!quoted.failed && quoted.len >= 2 && quoted.len <= 2 + 4 * text.len);
    assert(fx_text_is_utf8((struct fx_text){quoted.data, quoted.len}));
    assert(quoted.data[0] == '"' && quoted.data[quoted.len - 1] == '"');
    for (size_t at = 1; at < quoted.len - 1; at++) {
        assert((unsigned char)quoted.data[at] >= 0x20 && quoted.data[at] != '"');
        if (quoted.data[at] == '\\') {
            at += unescape(&back, quoted.data + at + 1);
        } else {
            fx_buf_char(&back, quoted.data[at]);
        }
    }
    assert(fx_text_equal((struct fx_text){back.data, back.len}, text));
    fx_buf_finish(&quoted);
    fx_buf_finish(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    assert(check_runes(text) == fx_text_is_utf8(text));
    check_quoting(text);
    return 0;
}
