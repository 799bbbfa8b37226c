/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/fill.c - filling lines, word by word.
 */
#include "cli/fill.h"

#include "policy/plain.h"

size_t fx_fill_columns(struct fx_text text) {
    size_t n = 0;
    while (text.len > 0) {
        uint32_t rune = 0;
        const size_t len = fx_text_rune(text, &rune);
        text = (struct fx_text){text.data + len, text.len - len};
        n++;
    }
    return n;
}

void fx_fill(struct fx_buf *buf, struct fx_text words, size_t column, size_t indent) {
    size_t at = column;
    while (words.len > 0) {
        size_t len = 0;
        while (len < words.len && words.data[len] != ' ' && words.data[len] != '\n') {
            len++;
        }
        const struct fx_text word = {words.data, len};
        const size_t width = fx_fill_columns(word);
        if (at > indent && at + 1 + width >= FX_FILL_WIDTH) {
            fx_buf_char(buf, '\n');
            fx_buf_fill(buf, ' ', indent);
            at = indent;
        } else if (at > indent) {
            fx_buf_char(buf, ' ');
            at++;
        }
        fx_plain_add(buf, word);
        at += width;
        const size_t taken = len < words.len ? len + 1 : len;
        words = (struct fx_text){words.data + taken, words.len - taken};
    }
    fx_buf_char(buf, '\n');
}
