/* SPDX-License-Identifier: Apache-2.0
 *
 * base/base64_fuzz.c - any bytes become text that reads as those bytes, and that a second
 * encoder, bit by bit, writes too; any text is refused whole, or reads as bytes that
 * become such a text again.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base64.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fx_text text_of(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

/* The character of the six bits from `bit` on, the first of them the highest. */
static char character_at(struct fx_text bytes, size_t bit) {
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned value = 0;
    for (size_t i = bit; i < bit + 6; i++) {
        const unsigned byte = i / 8 < bytes.len ? (unsigned char)bytes.data[i / 8] : 0;
        value = value << 1 | (byte >> (7 - i % 8) & 1u);
    }
    return alphabet[value];
}

static void check_text(struct fx_text text, struct fx_text bytes) {
    assert(text.len == fx_base64_length(bytes.len) && text.len % 4 == 0);
    for (size_t i = 0; i < text.len; i++) {
        const bool is_padding = i * 6 >= bytes.len * 8;
        assert(text.data[i] == (is_padding ? '=' : character_at(bytes, i * 6)));
    }
}

/* Behind something that stays as it is. */
static void check_encoding(struct fx_text bytes) {
    struct fx_buf text, back;
    fx_buf_init(&text, 0);
    fx_buf_init(&back, 0);
    fx_buf_str(&text, "kept");
    fx_base64_encode(&text, bytes);
    assert(!text.failed && memcmp(text.data, "kept", 4) == 0);
    const struct fx_text encoded = {text.data + 4, text.len - 4};
    check_text(encoded, bytes);
    const bool ok = fx_base64_decode(&back, encoded);
    assert(ok && fx_text_equal(text_of(&back), bytes));
    fx_buf_finish(&text);
    fx_buf_finish(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    check_encoding(text);
    if (fx_base64_decode(&bytes, text)) {
        check_encoding(text_of(&bytes));
        assert(bytes.len <= size / 4 * 3);
    } else {
        assert(bytes.len == 0 && !bytes.failed);
        assert(fx_base64_find_fault(text) <= size);
    }
    fx_buf_finish(&bytes);
    return 0;
}
