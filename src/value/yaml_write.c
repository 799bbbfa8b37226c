/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_write.c - values as block-style YAML, laid out as kubectl does: two spaces a
 * level, lists not indented under their key, the first line of an item after its `- `.
 */
#include "value/yaml.h"

#include <string.h>

#include "base/budget.h"
#include "value/json.h"
#include "value/number.h"
#include "value/tree.h"
#include "value/yaml_internal.h"

#define INDENT          2
#define UNITS_OF_VALUE  4u
#define BYTES_OF_A_UNIT 4u /* bytes of a string */

/* Longer keys (in bytes) are not written as `key: value`. A reader looks at most 1024
 * runes ahead for the colon, and an escaped byte may take four. */
#define LONGEST_SIMPLE_KEY 128

/* ---- strings ----------------------------------------------------------------------- */

/* The style is chosen as in go-yaml's emitter, so that the output is that of kubectl. But
 * lines are never folded, and runes beyond U+FFFF are not escaped. */

/* Properties of a text that a style cannot show. */
struct traits {
    bool has_break;   /* a line feed */
    bool has_special; /* a rune that only an escape can show */
    bool space_break; /* a space before a line feed */
    bool edge_space;  /* a space or line feed at the start or end */
    bool space_last;
    bool indicator; /* a character that has a meaning in plain scalars */
};

/* Does only an escape show the rune? Control characters, line breaks other than LF, the
 * byte order mark and noncharacters need one. */
static bool is_special(uint32_t rune) {
    return (rune < 0x20 && rune != '\n') || (rune >= 0x7F && rune < 0xA0) ||
           rune == 0x2028 || rune == 0x2029 || rune == 0xFEFF || rune == 0xFFFE ||
           rune == 0xFFFF;
}

static bool is_blank_at(struct fx_text text, size_t at) {
    return at >= text.len || text.data[at] == ' ' || text.data[at] == '\n';
}

/* Has the byte at this position a meaning in a plain scalar? */
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
        const struct fx_text rest = fx_text_rest(text, at);
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

/* Is it a number in base 60, as other readers of YAML 1.1 read it? [-+]? digit [0-9_]* (
 * ':' [0-5]? digit )+ ( '.' [0-9_]* )? */
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
        buf->failed = true; /* without a tag only a lack of memory can fail */
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
        text = fx_text_rest(text, len);
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

/* Writes the header of a block: its indentation, if its first line does not show it; then
 * `-` if it does not end in a line feed, or `+` if it ends in more than one. */
static void write_block_header(struct fx_buf *buf, struct fx_text text) {
    const bool ends = text.data[text.len - 1] == '\n';
    const bool ends_twice = ends && (text.len == 1 || text.data[text.len - 2] == '\n');
    fx_buf_char(buf, '|');
    if (is_blank_at(text, 0)) {
        fx_buf_char(buf, '2');
    }
    fx_buf_str(buf, !ends ? "-" : ends_twice ? "+" : "");
}

/* Writes all lines without the last line feed, which the caller adds. */
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

/* Spends for a string, which is scanned twice, rune by rune, before it is written. */
static bool spend_string(struct fx_buf *buf, struct fx_text text) {
    buf->failed |= !fx_spend(1 + text.len / BYTES_OF_A_UNIT);
    return !buf->failed;
}

/* Appends the string as a value: plain if that reads back as the same string, as a `|`
 * block indented to `column` if it has lines, otherwise quoted. */
static void write_string(struct fx_buf *buf, struct fx_text text, size_t column) {
    if (!spend_string(buf, text)) {
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

/* Appends the string as a key, in one line. `<<` is quoted, because otherwise it would
 * merge. */
static void write_key(struct fx_buf *buf, struct fx_text text) {
    if (!spend_string(buf, text)) {
        return;
    }
    struct traits traits = inspect(text);
    traits.indicator |= fx_text_is(text, "<<");
    write_line(buf, text, &traits);
}

/* ---- values ------------------------------------------------------------------------ */

/* Recursion is as deep as the value. `column` is the column of the value's lines. */
static void write_block(struct fx_buf *buf, const json_t *value, size_t column);

static bool is_block(const json_t *value) {
    return json_array_size(value) > 0 || json_object_size(value) > 0;
}

static void write_scalar(struct fx_buf *buf, const json_t *value, size_t column) {
    if (!fx_spend(UNITS_OF_VALUE)) {
        buf->failed = true;
        return;
    }
    switch (json_typeof(value)) {
    case JSON_NULL: fx_buf_str(buf, "null"); break;
    case JSON_TRUE:
    case JSON_FALSE: fx_buf_str(buf, json_is_true(value) ? "true" : "false"); break;
    case JSON_INTEGER:
    case JSON_REAL: fx_number_add(buf, value); break;
    case JSON_STRING: write_string(buf, fx_tree_text(value), column); break;
    case JSON_ARRAY: fx_buf_str(buf, "[]"); break;
    case JSON_OBJECT: fx_buf_str(buf, "{}"); break;
    }
}

/* Writes the value after a key's colon: on the same line, or, for collections, on lines
 * of its own. */
static void write_under_key(struct fx_buf *buf, const json_t *value, size_t column) {
    if (!is_block(value)) {
        fx_buf_char(buf, ' ');
        write_scalar(buf, value, column + INDENT);
        fx_buf_char(buf, '\n');
        return;
    }
    const size_t inner = json_is_array(value) ? column : column + INDENT;
    fx_buf_char(buf, '\n');
    fx_buf_fill(buf, ' ', inner);
    write_block(buf, value, inner);
}

/* Writes the value after an indicator (`-` or `:`) and a space. A collection begins
 * on this line. */
static void write_behind_indicator(struct fx_buf *buf, const json_t *value,
                                   size_t column) {
    if (is_block(value)) {
        write_block(buf, value, column + INDENT);
        return;
    }
    write_scalar(buf, value, column + INDENT);
    fx_buf_char(buf, '\n');
}

static void write_list(struct fx_buf *buf, const json_t *list, size_t column) {
    for (size_t i = 0; i < json_array_size(list) && !buf->failed; i++) {
        fx_buf_fill(buf, ' ', i == 0 ? 0 : column);
        fx_buf_str(buf, "- ");
        write_behind_indicator(buf, json_array_get(list, i), column);
    }
}

/* Writes a key and its value. A key that is too long for `key: value` begins with `?
 * `. */
static void write_pair(struct fx_buf *buf, struct fx_text key, const json_t *value,
                       size_t column) {
    const bool is_long = key.len > LONGEST_SIMPLE_KEY;
    fx_buf_str(buf, is_long ? "? " : "");
    write_key(buf, key);
    if (!is_long) {
        fx_buf_char(buf, ':');
        write_under_key(buf, value, column);
        return;
    }
    fx_buf_char(buf, '\n');
    fx_buf_fill(buf, ' ', column);
    fx_buf_str(buf, ": ");
    write_behind_indicator(buf, value, column);
}

static void write_mapping(struct fx_buf *buf, const json_t *mapping, size_t column) {
    void *at = fx_node_first(mapping);
    for (size_t indent = 0; at != NULL && !buf->failed; indent = column) {
        fx_buf_fill(buf, ' ', indent);
        write_pair(buf, fx_node_key(at), json_object_iter_value(at), column);
        at = fx_node_next(mapping, at);
    }
}

/* Spends for the indentation of each line of a list or mapping. */
static bool spend_block(struct fx_buf *buf, const json_t *value, size_t column) {
    const size_t n = json_array_size(value) + json_object_size(value);
    buf->failed |= !fx_spend(UNITS_OF_VALUE + n * (1 + column / FX_BUDGET_BYTES));
    return !buf->failed;
}

static void write_block(struct fx_buf *buf, const json_t *value, size_t column) {
    if (!spend_block(buf, value, column)) {
        return;
    }
    if (json_is_array(value)) {
        write_list(buf, value, column);
    } else {
        write_mapping(buf, value, column);
    }
}

void fx_yaml_write(struct fx_buf *buf, const json_t *value) {
    if (is_block(value)) {
        write_block(buf, value, 0);
        return;
    }
    write_scalar(buf, value, INDENT);
    fx_buf_char(buf, '\n');
}

static bool has_line_end(struct fx_text text) {
    return text.len > 0 && memchr(text.data, '\n', text.len) != NULL;
}

void fx_value_print(struct fx_buf *buf, const json_t *value) {
    if (value == NULL) {
        fx_buf_str(buf, "(absent)");
    } else if (json_is_object(value) || json_is_array(value) ||
               has_line_end(fx_tree_text(value))) {
        fx_json_write(buf, value, FX_JSON_COMPACT);
    } else {
        fx_yaml_write(buf, value);
        if (!buf->failed && buf->len > 0 && buf->data[buf->len - 1] == '\n') {
            buf->len--; /* removes the line end of the YAML document */
            buf->data[buf->len] = '\0';
        }
    }
}
