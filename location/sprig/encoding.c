/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/encoding.c - Sprig's Encoding, Hashes and Paths. Paths follow Go's
 * package path. The os… functions use the separator of the system, which is `/` here,
 * too.
 */
#include "location/sprig/functions.h"

#include <stdint.h>
#include <string.h>

#include "base/base64.h"
#include "base/digest.h"
#include "location/go/path.h"

/* ---- base32: five bits a character, eight characters a group ----------------------- */

#define GROUP       8 /* characters */
#define GROUP_BYTES 5
#define NO_DIGIT    32u

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/* Returns the number of characters that encode `bytes` bytes. */
static size_t characters_of(size_t bytes) {
    return (bytes * 8 + 4) / 5;
}

static void base32_encode(struct fx_buf *buf, struct fx_text bytes) {
    for (size_t at = 0; at < bytes.len; at += GROUP_BYTES) {
        const size_t n = bytes.len - at < GROUP_BYTES ? bytes.len - at : GROUP_BYTES;
        uint64_t bits = 0;
        for (size_t i = 0; i < GROUP_BYTES; i++) {
            bits = bits << 8 | (i < n ? (uint8_t)bytes.data[at + i] : 0u);
        }
        for (size_t i = 0; i < GROUP; i++) {
            const char digit = alphabet[bits >> (35 - 5 * i) & 31u];
            fx_buf_char(buf, (char)(i < characters_of(n) ? digit : '='));
        }
    }
}

static unsigned digit_of(char c) {
    if (c >= 'A' && c <= 'Z') {
        return (unsigned)(c - 'A');
    }
    return c >= '2' && c <= '7' ? (unsigned)(c - '2') + 26u : NO_DIGIT;
}

/* Reads a text without its line ends. */
struct base32_cursor {
    struct fx_text rest;
    size_t taken; /* characters, without line ends */
    size_t left;
};

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

static struct base32_cursor base32_start(struct fx_text text) {
    struct base32_cursor cursor = {.rest = text};
    for (size_t i = 0; i < text.len; i++) {
        cursor.left += is_line_end(text.data[i]) ? 0 : 1;
    }
    return cursor;
}

/* Takes the next character, which must exist. */
static char take_char(struct base32_cursor *cursor) {
    char c = '\n';
    while (is_line_end(c)) {
        c = cursor->rest.data[0];
        cursor->rest.data++;
        cursor->rest.len--;
    }
    cursor->taken++;
    cursor->left--;
    return c;
}

static void add_bytes(struct fx_buf *buf, uint64_t bits, size_t digits) {
    bits <<= 5 * (GROUP - digits);
    for (size_t i = 0; i < digits * 5 / 8; i++) {
        fx_buf_char(buf, (char)(uint8_t)(bits >> (32 - 8 * i)));
    }
}

/* Takes the rest of the padding, after `digits` digits and one `=`. */
static bool take_padding(struct base32_cursor *cursor, size_t digits, size_t *ret_fault) {
    const size_t missing = GROUP - 1 - digits;
    const size_t first = cursor->taken - 1;
    if (cursor->left < missing) {
        *ret_fault = cursor->taken + cursor->left;
        return false;
    }
    for (size_t i = 0; i < missing; i++) {
        if (take_char(cursor) != '=') {
            *ret_fault = cursor->taken - 2;
            return false;
        }
    }
    *ret_fault = first;
    return digits != 3 && digits != 6; /* these do not encode a whole number of bytes */
}

/* Takes one group; the last one may be padded. */
static bool take_group(struct fx_buf *buf, struct base32_cursor *cursor, bool *ret_last,
                       size_t *ret_fault) {
    uint64_t bits = 0;
    for (size_t digits = 0; digits < GROUP; digits++) {
        if (cursor->left == 0) {
            *ret_fault = cursor->taken - digits;
            return false;
        }
        const char c = take_char(cursor);
        if (c == '=' && digits >= 2 && cursor->left < GROUP) {
            *ret_last = true;
            add_bytes(buf, bits, digits);
            return take_padding(cursor, digits, ret_fault);
        }
        const unsigned digit = digit_of(c);
        if (digit == NO_DIGIT) {
            *ret_fault = cursor->taken - 1;
            return false;
        }
        bits = bits << 5 | digit;
    }
    add_bytes(buf, bits, GROUP);
    return true;
}

/* Decodes a text. Up to seven characters after the padding are ignored, as in Go. */
static bool base32_decode(struct fx_buf *buf, struct fx_text text, size_t *ret_fault) {
    struct base32_cursor cursor = base32_start(text);
    bool last = false;
    while (cursor.left > 0 && !last) {
        if (!take_group(buf, &cursor, &last, ret_fault)) {
            return false;
        }
    }
    return true;
}

/* ---- base64 and base32 ------------------------------------------------------------- */

static bool call_b64enc(struct template_call *call) {
    fx_base64_encode(run_scratch(call->run), call->arguments[0].string);
    return run_take_scratch(call->run, call->ret);
}

/* Returns the error message as the result, as Sprig does. */
static bool give_fault(struct template_call *call, const char *encoding, size_t at) {
    struct fx_buf *buf = run_scratch(call->run);
    fx_buf_printf(buf, "illegal %s data at input byte %zu", encoding, at);
    return run_take_scratch(call->run, call->ret);
}

static bool call_b64dec(struct template_call *call) {
    const struct fx_text text = call->arguments[0].string;
    struct fx_buf *buf = run_scratch(call->run);
    if (fx_base64_decode(buf, text) || buf->failed) {
        return run_take_scratch(call->run, call->ret);
    }
    return give_fault(call, "base64", fx_base64_find_fault(text));
}

static bool call_b32enc(struct template_call *call) {
    base32_encode(run_scratch(call->run), call->arguments[0].string);
    return run_take_scratch(call->run, call->ret);
}

static bool call_b32dec(struct template_call *call) {
    size_t fault = 0;
    if (base32_decode(run_scratch(call->run), call->arguments[0].string, &fault)) {
        return run_take_scratch(call->run, call->ret);
    }
    return give_fault(call, "base32", fault);
}

/* ---- digests ----------------------------------------------------------------------- */

static bool give_hex(struct template_call *call, const uint8_t *digest, size_t len) {
    struct fx_buf *buf = run_scratch(call->run);
    for (size_t i = 0; i < len; i++) {
        fx_buf_hex(buf, digest[i], 2, false);
    }
    return run_take_scratch(call->run, call->ret);
}

static bool call_sha1sum(struct template_call *call) {
    uint8_t digest[FX_SHA1_BYTES];
    fx_sha1(call->arguments[0].string, digest);
    return give_hex(call, digest, sizeof digest);
}

static bool call_sha256sum(struct template_call *call) {
    uint8_t digest[FX_SHA256_BYTES];
    fx_sha256(call->arguments[0].string, digest);
    return give_hex(call, digest, sizeof digest);
}

static bool call_adler32sum(struct template_call *call) {
    struct fx_buf *buf = run_scratch(call->run);
    fx_buf_number(buf, fx_adler32(call->arguments[0].string));
    return run_take_scratch(call->run, call->ret);
}

/* ---- paths ------------------------------------------------------------------------- */

/* Returns the length of the path up to and including its last slash. */
static size_t length_of_dir(struct fx_text path) {
    size_t len = path.len;
    while (len > 0 && path.data[len - 1] != '/') {
        len--;
    }
    return len;
}

static bool is_abs(struct fx_text path) {
    return path.len > 0 && path.data[0] == '/';
}

static bool call_is_abs(struct template_call *call) {
    return return_bool(call, is_abs(call->arguments[0].string));
}

/* Returns the last element, without trailing slashes. */
static bool call_base(struct template_call *call) {
    struct fx_text path = call->arguments[0].string;
    const bool empty = path.len == 0;
    while (path.len > 0 && path.data[path.len - 1] == '/') {
        path.len--;
    }
    const size_t from = length_of_dir(path);
    if (path.len == 0) {
        *call->ret = value_string(empty ? FX_TEXT(".") : FX_TEXT("/"));
    } else {
        *call->ret = value_string((struct fx_text){path.data + from, path.len - from});
    }
    return true;
}

/* Returns the extension of the last element, from its last point. */
static bool call_ext(struct template_call *call) {
    const struct fx_text path = call->arguments[0].string;
    size_t at = path.len;
    struct fx_text ext = {"", 0};
    while (at > 0 && path.data[at - 1] != '/' && ext.len == 0) {
        at--;
        if (path.data[at] == '.') {
            ext = (struct fx_text){path.data + at, path.len - at};
        }
    }
    return return_text(call, ext);
}

/* Returns the shortest equivalent path. */
static bool clean(struct template_call *call, struct fx_text path) {
    char *room = run_alloc(call->run, path.len + 1);
    if (room == NULL) {
        return false;
    }
    *call->ret = value_string(fx_go_path_clean(path, room));
    return true;
}

static bool call_clean(struct template_call *call) {
    return clean(call, call->arguments[0].string);
}

static bool call_dir(struct template_call *call) {
    const struct fx_text path = call->arguments[0].string;
    return clean(call, (struct fx_text){path.data, length_of_dir(path)});
}

const struct function functions_encoding[] = {
    FUNCTION("b64enc", call_b64enc, 1, STRING),
    FUNCTION("b64dec", call_b64dec, 2, STRING),
    FUNCTION("b32enc", call_b32enc, 2, STRING),
    FUNCTION("b32dec", call_b32dec, 2, STRING),
    FUNCTION("sha1sum", call_sha1sum, 2, STRING),
    FUNCTION("sha256sum", call_sha256sum, 4, STRING),
    FUNCTION("adler32sum", call_adler32sum, 1, STRING),
    FUNCTION("base", call_base, 1, STRING),
    FUNCTION("osBase", call_base, 1, STRING),
    FUNCTION("dir", call_dir, 1, STRING),
    FUNCTION("osDir", call_dir, 1, STRING),
    FUNCTION("clean", call_clean, 1, STRING),
    FUNCTION("osClean", call_clean, 1, STRING),
    FUNCTION("ext", call_ext, 1, STRING),
    FUNCTION("osExt", call_ext, 1, STRING),
    FUNCTION("isAbs", call_is_abs, 1, STRING),
    FUNCTION("osIsAbs", call_is_abs, 1, STRING),
    {.name = NULL},
};
