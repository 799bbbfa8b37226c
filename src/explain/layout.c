/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/layout.c - prints rows and sentences in 80 columns.
 */
#include "explain/layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "policy/plain.h"

#define GAP        2u
#define CELL_MAX   70u /* columns of a cell */
#define COLUMN_MAX 36u /* a cell wider than this does not widen the other rows */
#define DEEPER     4u  /* how much further the second line is indented */

/* Appends the beginning of the text, and returns how many columns that takes. */
static size_t add_cut(struct fx_buf *buf, struct fx_text text) {
    size_t width = 0;
    while (text.len > 0) {
        uint32_t rune = 0;
        const size_t length = fx_text_rune(text, &rune);
        width++;
        if (width == CELL_MAX && length < text.len) {
            fx_buf_str(buf, "…");
            break;
        }
        fx_plain_add_rune(buf, rune);
        text = (struct fx_text){text.data + length, text.len - length};
    }
    return width;
}

void fx_rows_add(struct fx_rows *rows, const struct fx_text cells[FX_ROW_CELLS]) {
    if (!FX_VEC_GROW(rows->items, rows->n_items, rows->cap_items)) {
        rows->text.failed = true;
        return;
    }
    struct fx_row *row = &rows->items[rows->n_items++];
    row->below_len = 0;
    for (size_t i = 0; i < FX_ROW_CELLS; i++) {
        row->off[i] = rows->text.len;
        row->width[i] = add_cut(&rows->text, cells[i]);
        row->len[i] = rows->text.len - row->off[i];
    }
}

void fx_rows_add_below(struct fx_rows *rows, struct fx_text lines) {
    if (rows->n_items > 0) {
        struct fx_row *row = &rows->items[rows->n_items - 1];
        row->below_off = rows->text.len;
        row->below_len = lines.len;
        fx_buf_text(&rows->text, lines);
    }
}

/* ---- printing -------------------------------------------------------------------- */

/* The widths of the cells that have a cell after them. */
struct columns {
    size_t width[FX_ROW_CELLS - 1];
};

static struct columns measure(const struct fx_rows *rows, bool is_uniform) {
    struct columns columns = {{0}};
    for (size_t i = 0; i < rows->n_items; i++) {
        for (size_t j = 0; j + 1 < FX_ROW_CELLS; j++) {
            const size_t width = rows->items[i].width[j];
            if (width > columns.width[j] && (is_uniform || width <= COLUMN_MAX)) {
                columns.width[j] = width;
            }
        }
    }
    return columns;
}

static bool fits(const struct fx_row *row, const struct columns *columns, size_t indent) {
    size_t width = indent + row->width[FX_ROW_CELLS - 1];
    for (size_t j = 0; j + 1 < FX_ROW_CELLS; j++) {
        if (row->width[j] > columns->width[j]) {
            return false;
        }
        width += columns->width[j] + (columns->width[j] > 0 ? GAP : 0);
    }
    return width < FX_LAYOUT_WIDTH;
}

static void print_cell(struct fx_buf *buf, const struct fx_rows *rows,
                       const struct fx_row *row, size_t cell) {
    if (!rows->text.failed && row->len[cell] > 0) {
        fx_buf_add(buf, rows->text.data + row->off[cell], row->len[cell]);
    }
}

/* Prints the cells side by side. No blanks after the last cell. */
static void print_line(struct fx_buf *buf, const struct fx_rows *rows,
                       const struct fx_row *row, const struct columns *columns) {
    size_t owed = 0;
    for (size_t j = 0; j < FX_ROW_CELLS; j++) {
        if (row->width[j] > 0) {
            fx_buf_fill(buf, ' ', owed);
            print_cell(buf, rows, row, j);
            owed = 0;
        }
        if (j + 1 < FX_ROW_CELLS && columns->width[j] > 0) {
            owed += columns->width[j] - row->width[j] + GAP;
        }
    }
    fx_buf_char(buf, '\n');
}

static void print_two_lines(struct fx_buf *buf, const struct fx_rows *rows,
                            const struct fx_row *row,
                            const struct fx_rows_layout *layout) {
    bool is_begun = false;
    for (size_t j = 0; j < FX_ROW_CELLS; j++) {
        if (row->width[j] == 0) {
            continue;
        }
        if (j == layout->break_at || (j > layout->break_at && !is_begun)) {
            fx_buf_char(buf, '\n');
            fx_buf_fill(buf, ' ', layout->indent + DEEPER);
            is_begun = true;
        } else if (j > 0) {
            fx_buf_fill(buf, ' ', GAP);
        }
        print_cell(buf, rows, row, j);
    }
    fx_buf_char(buf, '\n');
}

static bool all_fit(const struct fx_rows *rows, const struct columns *columns,
                    size_t indent) {
    for (size_t i = 0; i < rows->n_items; i++) {
        if (!fits(&rows->items[i], columns, indent)) {
            return false;
        }
    }
    return true;
}

void fx_rows_print_take(struct fx_buf *buf, struct fx_rows *rows,
                        const struct fx_rows_layout *layout) {
    const struct columns columns = measure(rows, layout->is_uniform);
    const bool all = !layout->is_uniform || all_fit(rows, &columns, layout->indent);
    for (size_t i = 0; i < rows->n_items; i++) {
        const struct fx_row *row = &rows->items[i];
        fx_buf_fill(buf, ' ', layout->indent);
        if (all && fits(row, &columns, layout->indent)) {
            print_line(buf, rows, row, &columns);
        } else {
            print_two_lines(buf, rows, row, layout);
        }
        if (!rows->text.failed && row->below_len > 0) {
            fx_buf_add(buf, rows->text.data + row->below_off, row->below_len);
        }
    }
    fx_buf_finish_part(buf, &rows->text);
    free(rows->items);
    *rows = (struct fx_rows){.items = NULL};
}

/* ---- sentences ------------------------------------------------------------------- */

size_t fx_layout_columns(struct fx_text text) {
    size_t n = 0;
    while (text.len > 0) {
        uint32_t rune = 0;
        const size_t len = fx_text_rune(text, &rune);
        text = (struct fx_text){text.data + len, text.len - len};
        n++;
    }
    return n;
}

/* The bytes of the word that fit into so many columns. */
static size_t fitting(struct fx_text word, size_t columns) {
    size_t at = 0;
    for (size_t i = 0; i < columns && at < word.len; i++) {
        uint32_t rune = 0;
        at += fx_text_rune(fx_text_rest(word, at), &rune);
    }
    return at;
}

static void begin_line(struct fx_buf *buf, size_t indent) {
    fx_buf_char(buf, '\n');
    fx_buf_fill(buf, ' ', indent);
}

/* Appends a word that is longer than a line, in pieces. Returns the column after it. */
static size_t add_pieces(struct fx_buf *buf, struct fx_text word, size_t column,
                         size_t indent) {
    for (;;) {
        const size_t len = fitting(word, FX_LAYOUT_WIDTH - 1 - column);
        fx_plain_add(buf, (struct fx_text){word.data, len});
        if (len == word.len) {
            return column + fx_layout_columns(word);
        }
        word = fx_text_rest(word, len);
        begin_line(buf, indent);
        column = indent;
    }
}

static void wrap(struct fx_buf *buf, struct fx_text words, size_t column, size_t indent,
                 bool cuts) {
    size_t at = column;
    bool has_word = column > indent;
    while (words.len > 0) {
        size_t len = 0;
        while (len < words.len && words.data[len] != ' ' && words.data[len] != '\n') {
            len++;
        }
        const struct fx_text word = {words.data, len};
        const size_t width = fx_layout_columns(word);
        if (has_word && at + 1 + width >= FX_LAYOUT_WIDTH) {
            begin_line(buf, indent);
            at = indent;
        } else if (has_word) {
            fx_buf_char(buf, ' ');
            at++;
        }
        has_word = has_word || len > 0;
        if (cuts && at + width >= FX_LAYOUT_WIDTH && indent + 1 < FX_LAYOUT_WIDTH) {
            at = add_pieces(buf, word, at, indent);
        } else {
            fx_plain_add(buf, word);
            at += width;
        }
        const size_t taken = len < words.len ? len + 1 : len;
        words = (struct fx_text){words.data + taken, words.len - taken};
    }
    fx_buf_char(buf, '\n');
}

void fx_layout_wrap(struct fx_buf *buf, struct fx_text words, size_t column,
                    size_t indent) {
    wrap(buf, words, column, indent, false);
}

void fx_layout_wrap_values(struct fx_buf *buf, struct fx_text words, size_t column,
                           size_t indent) {
    wrap(buf, words, column, indent, true);
}
