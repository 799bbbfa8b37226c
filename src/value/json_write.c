/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_write.c - jansson nodes to JSON text, exactly as Go's encoding/json.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "value/json.h"
#include "value/json_internal.h"
#include "value/number.h"
#include "value/tree.h"

#define INDENT           4
#define BYTES_OF_A_UNIT  4u /* of a string, whose bytes may need escapes */
#define UNITS_OF_VALUE   2u
#define BLANKS_OF_A_UNIT 256u
#define UNITS_OF_SORT    2u  /* for an object with sorted keys, and for each key */
#define SHORT_STRING     32u /* shorter ones are paid for with their value */

/* Can the byte be written unchanged? Bytes from 0x80 on are checked as runes. */
static bool is_plain(unsigned char c, unsigned style) {
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') {
        return false;
    }
    return (style & FX_JSON_HTML) == 0 || (c != '<' && c != '>' && c != '&');
}

static char short_escape(unsigned char c) {
    switch (c) {
    case '"':
    case '\\': return (char)c;
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
    }
}

static void write_ascii(struct fx_buf *buf, unsigned char c) {
    const char letter = short_escape(c);
    if (letter != 0) {
        const char escape[2] = {'\\', letter};
        fx_buf_add(buf, escape, sizeof escape);
    } else {
        fx_buf_str(buf, "\\u");
        fx_buf_hex(buf, c, 4, false);
    }
}

/* Writes the rune at the start of `rest` and returns its length in `rest`. */
static size_t write_rune(struct fx_buf *buf, struct fx_text rest, unsigned style) {
    uint32_t rune = 0;
    const size_t length = fx_text_rune(rest, &rune);
    const bool separator = rune == 0x2028 || rune == 0x2029;
    if (separator && (style & FX_JSON_HTML) != 0) {
        fx_buf_str(buf, "\\u");
        fx_buf_hex(buf, rune, 4, false);
    } else {
        char utf8[4];
        fx_buf_add(buf, utf8, fx_text_encode_rune(rune, utf8));
    }
    return length;
}

/* Returns the end of the run of plain bytes from `at` on. */
static size_t plain_end(struct fx_text text, size_t at, unsigned style) {
    unsigned n = (style & FX_JSON_HTML) == 0 ? FX_JSON_RUN : 0;
    while (n == FX_JSON_RUN && text.len - at >= FX_JSON_RUN) {
        n = fx_json_count_plain(text.data + at, true);
        at += n;
    }
    while (at < text.len && is_plain((unsigned char)text.data[at], style)) {
        at++;
    }
    return at;
}

/* Writes a string without escapes, as nearly all are. Copies the bytes first, and writes
 * NULs after them, at which the check of the copy ends without comparing lengths. False
 * if a byte is not plain, or there is no room. */
static bool write_plain(struct fx_buf *buf, struct fx_text text, unsigned style) {
    const size_t more = text.len + 2 + FX_JSON_RUN;
    const size_t room = buf->max == 0 || buf->cap < buf->max ? buf->cap : buf->max;
    if ((style & FX_JSON_HTML) != 0 || buf->failed || room - buf->len <= more) {
        return false;
    }
    char *const to = buf->data + buf->len + 1;
    if (text.len > 0) {
        memcpy(to, text.data, text.len);
    }
    memset(to + text.len, 0, FX_JSON_RUN);
    size_t at = 0;
    unsigned n = FX_JSON_RUN;
    while (n == FX_JSON_RUN) {
        n = fx_json_count_plain(to + at, true);
        at += n;
    }
    if (at < text.len) {
        to[-1] = '\0';
        return false;
    }
    to[-1] = '"';
    to[text.len] = '"';
    buf->len += text.len + 2;
    return true;
}

/* A separate function, so that short strings need no stack for it. */
__attribute__((noinline)) static bool spend_long(struct fx_buf *buf, size_t bytes) {
    buf->failed |= !fx_spend(bytes / BYTES_OF_A_UNIT);
    return !buf->failed;
}

void fx_json_write_string(struct fx_buf *buf, struct fx_text text, unsigned style) {
    if (text.len > SHORT_STRING && !spend_long(buf, text.len)) {
        return;
    }
    if (write_plain(buf, text, style)) {
        return;
    }
    size_t at = plain_end(text, 0, style);
    fx_buf_char(buf, '"');
    fx_buf_add(buf, text.data, at);
    while (at < text.len) {
        const struct fx_text rest = {text.data + at, text.len - at};
        if ((unsigned char)rest.data[0] >= 0x80) {
            at += write_rune(buf, rest, style);
        } else {
            write_ascii(buf, (unsigned char)rest.data[0]);
            at++;
        }
        const size_t end = plain_end(text, at, style);
        fx_buf_add(buf, text.data + at, end - at);
        at = end;
    }
    fx_buf_char(buf, '"');
}

void fx_json_write_break(struct fx_buf *buf, unsigned style, unsigned depth) {
    if ((style & FX_JSON_INDENT) != 0) {
        const size_t width = (size_t)INDENT * depth;
        buf->failed |= width >= BLANKS_OF_A_UNIT && !fx_spend(width / BLANKS_OF_A_UNIT);
        fx_buf_char(buf, '\n');
        fx_buf_fill(buf, ' ', width);
    }
}

void fx_json_write_colon(struct fx_buf *buf, unsigned style) {
    fx_buf_str(buf, (style & FX_JSON_INDENT) != 0 ? ": " : ":");
}

static void write_member(struct fx_buf *buf, void *iter, unsigned style, unsigned depth) {
    fx_json_write_break(buf, style, depth);
    fx_json_write_string(buf, fx_node_key(iter), style);
    fx_json_write_colon(buf, style);
    fx_json_write_nested(buf, json_object_iter_value(iter), style, depth);
}

static int by_key(const void *a, const void *b) {
    void *const *left = a;
    void *const *right = b;
    return fx_text_compare(fx_node_key(*left), fx_node_key(*right));
}

static void write_sorted(struct fx_buf *buf, const json_t *object, unsigned style,
                         unsigned depth) {
    void **members = calloc(json_object_size(object), sizeof *members);
    if (members == NULL) {
        buf->failed = true;
        return;
    }
    size_t count = 0;
    for (void *i = fx_node_first(object); i != NULL; i = fx_node_next(object, i)) {
        members[count++] = i;
    }
    buf->failed |= !fx_spend(UNITS_OF_SORT + count);
    qsort(members, count, sizeof *members, by_key);
    for (size_t i = 0; i < count && !buf->failed; i++) {
        if (i > 0) {
            fx_buf_char(buf, ',');
        }
        write_member(buf, members[i], style, depth);
    }
    free(members);
}

static void write_in_order(struct fx_buf *buf, const json_t *object, unsigned style,
                           unsigned depth) {
    bool first = true;
    void *iter = fx_node_first(object);
    for (; iter != NULL && !buf->failed; iter = fx_node_next(object, iter)) {
        if (!first) {
            fx_buf_char(buf, ',');
        }
        first = false;
        write_member(buf, iter, style, depth);
    }
}

static void write_object(struct fx_buf *buf, const json_t *object, unsigned style,
                         unsigned depth) {
    if (json_object_size(object) == 0) {
        fx_buf_str(buf, "{}");
        return;
    }
    fx_buf_char(buf, '{');
    if ((style & FX_JSON_SORT_KEYS) != 0) {
        write_sorted(buf, object, style, depth + 1);
    } else {
        write_in_order(buf, object, style, depth + 1);
    }
    fx_json_write_break(buf, style, depth);
    fx_buf_char(buf, '}');
}

static void write_array(struct fx_buf *buf, const json_t *array, unsigned style,
                        unsigned depth) {
    if (json_array_size(array) == 0) {
        fx_buf_str(buf, "[]");
        return;
    }
    fx_buf_char(buf, '[');
    for (size_t i = 0; i < json_array_size(array) && !buf->failed; i++) {
        if (i > 0) {
            fx_buf_char(buf, ',');
        }
        fx_json_write_break(buf, style, depth + 1);
        fx_json_write_nested(buf, json_array_get(array, i), style, depth + 1);
    }
    fx_json_write_break(buf, style, depth);
    fx_buf_char(buf, ']');
}

void fx_json_write_nested(struct fx_buf *buf, const json_t *value, unsigned style,
                          unsigned depth) {
    assert(value != NULL);
    if (!fx_spend(UNITS_OF_VALUE)) {
        buf->failed = true;
        return;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT: write_object(buf, value, style, depth); break;
    case JSON_ARRAY: write_array(buf, value, style, depth); break;
    case JSON_STRING: fx_json_write_string(buf, fx_tree_text(value), style); break;
    case JSON_INTEGER:
    case JSON_REAL: fx_number_add(buf, value); break;
    case JSON_TRUE: fx_buf_str(buf, "true"); break;
    case JSON_FALSE: fx_buf_str(buf, "false"); break;
    case JSON_NULL: fx_buf_str(buf, "null"); break;
    }
}

void fx_json_write(struct fx_buf *buf, const json_t *value, unsigned style) {
    fx_json_write_nested(buf, value, style, 0);
}
