/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/faults.c - what is wrong with an expression, and where.
 */

#include <string.h>

#include "base/budget.h"
#include "location/cel/ast.h"

/* The largest line that is shown below a message, as in cel-go. */
#define MOST_LINE_BYTES 16384u

void fx_cel_faults_add(struct fx_cel_faults *faults, uint32_t at, const char *fmt, ...) {
    va_list args;
    struct fx_buf text;
    if (faults->n >= FX_CEL_MOST_FAULTS) {
        return;
    }
    fx_buf_init(&text, 0);
    va_start(args, fmt);
    fx_buf_vprintf(&text, fmt, args);
    va_end(args);
    char *message = text.failed ? NULL : fx_arena_copy(faults->arena, fx_buf_view(&text));
    fx_buf_finish(&text);
    if (message == NULL ||
        !FX_ARENA_GROW(faults->arena, faults->items, faults->n, faults->cap)) {
        faults->failed = true;
        return;
    }
    faults->items[faults->n++] = (struct fx_cel_fault){.at = at, .message = message};
}

/* Returns the place of a position in their order: none comes first, then that of what
 * could not be parsed. */
static uint64_t order_of(uint32_t at) {
    return at == FX_CEL_NOWHERE ? 0 : at == FX_CEL_UNPARSED ? 1 : (uint64_t)at + 2;
}

static bool is_before(const struct fx_cel_fault *a, const struct fx_cel_fault *b) {
    return order_of(a->at) < order_of(b->at);
}

/* By insertion: there are FX_CEL_MOST_FAULTS at most. */
void fx_cel_faults_sort(struct fx_cel_faults *faults) {
    for (size_t i = 1; i < faults->n; i++) {
        const struct fx_cel_fault fault = faults->items[i];
        size_t to = i;
        for (; to > 0 && is_before(&fault, &faults->items[to - 1]); to--) {
            faults->items[to] = faults->items[to - 1];
        }
        faults->items[to] = fault;
    }
}

/* Returns the offset of the line that has byte `at`, and counts the lines before it. */
static size_t line_start(struct fx_text source, size_t at, long *ret_before) {
    const size_t end = at < source.len ? at : source.len;
    const char *newline = NULL;
    size_t start = 0;
    *ret_before = 0;
    while (start < end &&
           (newline = memchr(source.data + start, '\n', end - start)) != NULL) {
        start = (size_t)(newline - source.data) + 1;
        ++*ret_before;
    }
    return start;
}

/* Returns the number of bytes of the character at `at`. */
static size_t character_len(struct fx_text source, size_t at) {
    uint32_t rune = 0;
    return (unsigned char)source.data[at] < 0x80
               ? 1
               : fx_text_rune(fx_text_rest(source, at), &rune);
}

void fx_cel_position(struct fx_text source, uint32_t at, long *ret_line,
                     long *ret_column) {
    *ret_line = at == FX_CEL_UNPARSED ? 1 : -1;
    *ret_column = 0;
    if (at == FX_CEL_NOWHERE || at == FX_CEL_UNPARSED ||
        !fx_spend(at / FX_BUDGET_BYTES + 1)) {
        return;
    }
    long before = 0;
    size_t to = line_start(source, at, &before);
    *ret_line = before + 1;
    *ret_column = source.len == 0 ? 0 : 1; /* in an empty text the end is column 0 */
    while (to < at && to < source.len) {
        to += character_len(source, to);
        ++*ret_column;
    }
}

/* Appends the text with blanks for its tabs. */
static void print_without_tabs(struct fx_text text, struct fx_buf *buf) {
    while (text.len > 0) {
        const size_t len = text.len;
        const struct fx_text part = fx_text_cut(&text, '\t');
        fx_buf_text(buf, part);
        if (part.len < len) {
            fx_buf_char(buf, ' ');
        }
    }
}

/* Appends the line that has byte `at`, and below it a dot for each character before
 * `at`, a wide one for each beyond ASCII, and a caret. */
static void print_line(struct fx_text source, size_t at, struct fx_buf *buf) {
    long before = 0;
    struct fx_text rest = fx_text_rest(source, line_start(source, at, &before));
    const struct fx_text line = fx_text_cut(&rest, '\n');
    const size_t column = at - (size_t)(line.data - source.data);
    size_t to = 0;
    if (line.len > MOST_LINE_BYTES || !fx_spend(line.len / FX_BUDGET_BYTES)) {
        return;
    }
    fx_buf_str(buf, "\n | ");
    print_without_tabs(line, buf);
    fx_buf_str(buf, "\n | ");
    while (to < column && to < line.len) {
        const size_t bytes = character_len(line, to);
        fx_buf_str(buf, bytes > 1 ? "\xEF\xBC\x8E" : ".");
        to += bytes;
    }
    const bool is_wide = to < line.len && character_len(line, to) > 1;
    fx_buf_str(buf, is_wide ? "\xEF\xBC\xBE" : "^");
}

void fx_cel_faults_print(const struct fx_cel_faults *faults, struct fx_text source,
                         struct fx_buf *buf) {
    for (size_t i = 0; i < faults->n; i++) {
        const struct fx_cel_fault *fault = &faults->items[i];
        long line = 0;
        long column = 0;
        fx_cel_position(source, fault->at, &line, &column);
        fx_buf_printf(buf, "%sERROR: <input>:%ld:%ld: %s", i == 0 ? "" : "\n", line,
                      column, fault->message);
        if (fault->at != FX_CEL_NOWHERE) {
            print_line(source, fault->at == FX_CEL_UNPARSED ? 0 : fault->at, buf);
        }
    }
}
