/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_binary.c - the content of a `!!binary` scalar: base64 (RFC 4648 section 4,
 * padded), line breaks ignored. What is no UTF-8 in it becomes U+FFFD, as in JSON.
 */
#include "value/yaml_resolve.h"

static int sextet(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Appends the bytes of a group of four characters, `n` of them not padding. */
static void add_group(struct fx_buf *bytes, uint32_t bits, size_t n) {
    for (size_t i = 0; i + 1 < n; i++) {
        fx_buf_char(bytes, (char)(bits >> (16 - 8 * i) & 0xFFu));
    }
}

static bool decode(struct fx_text text, struct fx_buf *bytes) {
    uint32_t bits = 0;
    size_t n = 0;       /* characters of this group */
    size_t padding = 0; /* those of them that are '=' */
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (c == '\n' || c == '\r') {
            continue;
        }
        const int value = c == '=' && n >= 2 ? 0 : sextet(c);
        if (value < 0 || (padding > 0 && (c != '=' || n == 0))) {
            return false;
        }
        padding += c == '=';
        bits = bits << 6 | (uint32_t)value;
        if (++n == 4) {
            add_group(bytes, bits, n - padding);
            bits = 0;
            n = 0;
        }
    }
    return n == 0;
}

bool fx_yaml_binary(struct fx_text text, struct fx_buf *bytes) {
    struct fx_buf raw;
    fx_buf_init(&raw, 0);
    const bool ok = decode(text, &raw);
    struct fx_text rest = {raw.data, raw.len};
    while (ok && rest.len > 0) {
        uint32_t rune = 0;
        const size_t len = fx_text_rune(rest, &rune);
        char encoded[4];
        fx_buf_add(bytes, encoded, fx_text_encode_rune(rune, encoded));
        rest.data += len;
        rest.len -= len;
    }
    bytes->failed = bytes->failed || raw.failed;
    fx_buf_finish(&raw);
    return ok;
}
