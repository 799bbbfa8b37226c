/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_string.c - which style a string is written in, and each of the styles. The
 * choice follows go-yaml's emitter, so that files look as kubectl writes them; unlike it,
 * lines are never folded and runes beyond U+FFFF stay readable.
 */
#include "value/yaml_string.h"

#include <stdbool.h>
#include <string.h>

#include "base/budget.h"
#include "value/yaml_resolve.h"

#define BYTES_OF_A_UNIT 4u

/* What a text holds that a style cannot show. */
struct traits {
    bool has_break;   /* a line feed */
    bool has_special; /* only an escape can show it */
    bool space_break; /* a space before a line feed */
    bool edge_space;  /* a space or line feed comes first or last */
    bool space_last;
    bool indicator; /* something that means more than itself outside quotes */
};

/* Written by an escape only: control characters, line breaks other than LF, the byte
 * order mark, what is no character. */
static bool is_special(uint32_t rune) {
    return (rune < 0x20 && rune != '\n') || (rune >= 0x7F && rune < 0xA0) ||
           rune == 0x2028 || rune == 0x2029 || rune == 0xFEFF || rune == 0xFFFE ||
           rune == 0xFFFF;
}

static bool is_blank_at(struct fx_text text, size_t at) {
    return at >= text.len || text.data[at] == ' ' || text.data[at] == '\n';
}

/* Does a plain scalar that holds this byte here mean something else? */
static bool is_indicator(struct fx_text text, size_t at) {
    const char c = text.data[at];
    if (c == ':' && is_blank_at(text, at + 1)) {
        return true;
    }
    if (at > 0) {
        return c == '#' && is_blank_at(text, at - 1);
    }
    if (c == '-' || c == '?') {
        return is_blank_at(text, 1);
    }
    return strchr("#,[]{}&*!|>'\"%@`", c) != NULL;
}

static struct traits inspect(struct fx_text text) {
    struct traits traits = {.indicator = fx_text_starts(text, FX_TEXT("---")) ||
                                         fx_text_starts(text, FX_TEXT("..."))};
    char before = '\0';
    for (size_t at = 0; at < text.len;) {
        const struct fx_text rest = {text.data + at, text.len - at};
        uint32_t rune = 0;
        const size_t len = fx_text_rune(rest, &rune);
        const char c = text.data[at];
        traits.has_special |= is_special(rune) || (rune == 0xFFFD && len == 1);
        traits.has_break |= c == '\n';
        traits.space_break |= c == '\n' && before == ' ';
        traits.indicator |= is_indicator(text, at);
        before = c;
        at += len;
    }
    traits.space_last = before == ' ';
    traits.edge_space =
        text.len > 0 && (is_blank_at(text, 0) || before == ' ' || before == '\n');
    return traits;
}

/* The number of seconds in base 60 that other readers of YAML 1.1 still know:
 * [-+]? digit [0-9_]* ( ':' [0-5]? digit )+ ( '.' [0-9_]* )? */
static bool is_base60(struct fx_text text) {
    size_t at = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+') ? 1 : 0;
    if (at == text.len || !fx_is_digit(text.data[at])) {
        return false;
    }
    while (at < text.len && (fx_is_digit(text.data[at]) || text.data[at] == '_')) {
        at++;
    }
    size_t n_parts = 0;
    while (at + 1 < text.len && text.data[at] == ':' && fx_is_digit(text.data[at + 1])) {
        const bool two = at + 2 < text.len && fx_is_digit(text.data[at + 2]);
        if (two && text.data[at + 1] > '5') {
            return false;
        }
        at += two ? 3 : 2;
        n_parts++;
    }
    if (at < text.len && text.data[at] == '.') {
        at++;
        while (at < text.len && (fx_is_digit(text.data[at]) || text.data[at] == '_')) {
            at++;
        }
    }
    return n_parts > 0 && at == text.len;
}

/* Would the text, unquoted, be read as something other than a string? */
static bool is_resolved(struct fx_buf *buf, struct fx_text text) {
    struct fx_yaml_scalar scalar;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_yaml_resolve(FX_TEXT(""), text, &scalar, &err)) {
        buf->failed = true; /* without a tag nothing but memory can fail */
        return true;
    }
    return scalar.kind != FX_YAML_STRING || is_base60(text);
}

static const struct {
    uint32_t rune;
    const char *text;
} escapes[] = {{'"', "\\\""},   {'\\', "\\\\"}, {0x00, "\\0"}, {0x07, "\\a"},
               {0x08, "\\b"},   {0x09, "\\t"},  {0x0A, "\\n"}, {0x0B, "\\v"},
               {0x0C, "\\f"},   {0x0D, "\\r"},  {0x1B, "\\e"}, {0x85, "\\N"},
               {0x2028, "\\L"}, {0x2029, "\\P"}};

static void write_escaped(struct fx_buf *buf, uint32_t rune) {
    for (size_t i = 0; i < FX_COUNT(escapes); i++) {
        if (escapes[i].rune == rune) {
            fx_buf_str(buf, escapes[i].text);
            return;
        }
    }
    if (is_special(rune)) {
        fx_buf_str(buf, rune > 0xFF ? "\\u" : "\\x");
        fx_buf_hex(buf, rune, rune > 0xFF ? 4 : 2, true);
        return;
    }
    char encoded[4];
    fx_buf_add(buf, encoded, fx_text_encode_rune(rune, encoded));
}

static void write_double(struct fx_buf *buf, struct fx_text text) {
    fx_buf_char(buf, '"');
    while (text.len > 0 && !buf->failed) {
        uint32_t rune = 0;
        const size_t len = fx_text_rune(text, &rune);
        write_escaped(buf, rune);
        text.data += len;
        text.len -= len;
    }
    fx_buf_char(buf, '"');
}

static void write_single(struct fx_buf *buf, struct fx_text text) {
    fx_buf_char(buf, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'') {
            fx_buf_char(buf, '\'');
        }
        fx_buf_char(buf, text.data[i]);
    }
    fx_buf_char(buf, '\'');
}

/* The header of a block: how far it is indented, where its first line cannot tell, and
 * whether its last line feeds are none (-), one, or more (+). */
static void write_block_header(struct fx_buf *buf, struct fx_text text) {
    const bool ends = text.data[text.len - 1] == '\n';
    const bool ends_twice = ends && (text.len == 1 || text.data[text.len - 2] == '\n');
    fx_buf_char(buf, '|');
    if (is_blank_at(text, 0)) {
        fx_buf_char(buf, '2');
    }
    fx_buf_str(buf, !ends ? "-" : ends_twice ? "+" : "");
}

/* All lines but for the last line feed, which whoever writes the value adds. */
static void write_literal(struct fx_buf *buf, struct fx_text text, size_t column) {
    write_block_header(buf, text);
    size_t at = 0;
    while (at < text.len) {
        const char *end = memchr(text.data + at, '\n', text.len - at);
        const size_t len = end == NULL ? text.len - at : (size_t)(end - text.data) - at;
        fx_buf_char(buf, '\n');
        fx_buf_fill(buf, ' ', len == 0 ? 0 : column);
        fx_buf_add(buf, text.data + at, len);
        at += len + 1;
    }
}

static void write_line(struct fx_buf *buf, struct fx_text text,
                       const struct traits *traits) {
    if (traits->has_special || traits->has_break || is_resolved(buf, text)) {
        write_double(buf, text);
    } else if (traits->edge_space || traits->indicator) {
        write_single(buf, text);
    } else {
        fx_buf_text(buf, text);
    }
}

/* A string is looked through twice, rune by rune, before it is written. */
static bool spend(struct fx_buf *buf, struct fx_text text) {
    buf->failed |= !fx_spend(1 + text.len / BYTES_OF_A_UNIT);
    return !buf->failed;
}

void fx_yaml_write_string(struct fx_buf *buf, struct fx_text text, size_t column) {
    if (!spend(buf, text)) {
        return;
    }
    const struct traits traits = inspect(text);
    if (traits.has_break && !traits.has_special && !traits.space_break &&
        !traits.space_last) {
        write_literal(buf, text, column);
    } else {
        write_line(buf, text, &traits);
    }
}

/* `<<` would merge. */
void fx_yaml_write_key(struct fx_buf *buf, struct fx_text text) {
    if (!spend(buf, text)) {
        return;
    }
    struct traits traits = inspect(text);
    traits.indicator |= fx_text_is(text, "<<");
    write_line(buf, text, &traits);
}
