/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/layout.h - text in 80 columns: rows of three cells, on one line if they fit,
 * else on two; and wrapped sentences.
 */
#ifndef FX_EXPLAIN_LAYOUT_H
#define FX_EXPLAIN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/text.h"

#define FX_LAYOUT_WIDTH 80u
#define FX_ROW_CELLS    3u

/* Zeroed: no rows. */
struct fx_rows {
    struct fx_buf text; /* of all cells */
    struct fx_row {
        size_t off[FX_ROW_CELLS], len[FX_ROW_CELLS]; /* in `text` */
        size_t width[FX_ROW_CELLS];                  /* in columns */
        size_t below_off, below_len;                 /* lines below it, in `text` */
    } *items;
    size_t n_items, cap_items;
};

/* Adds a row. The text of a cell is made plain (policy/plain.h), and cut at 70 columns.
 * Failure sticks in the text of `rows`. */
void fx_rows_add(struct fx_rows *rows, const struct fx_text cells[FX_ROW_CELLS]);

/* Adds lines, with their line ends, below the last row. Failure sticks as above. */
void fx_rows_add_below(struct fx_rows *rows, struct fx_text lines);

/* The layout of rows. */
struct fx_rows_layout {
    size_t indent;
    size_t break_at; /* the cell that begins the second line */
    bool is_uniform; /* if one row needs two lines, all rows take two */
};

/* Appends the rows, each with a line end, and empties `rows`. Failure sticks in `buf`. */
void fx_rows_print_take(struct fx_buf *buf, struct fx_rows *rows,
                        const struct fx_rows_layout *layout);

/* ---- sentences ------------------------------------------------------------------- */

/* The width of the text in columns: one for each rune. */
size_t fx_layout_columns(struct fx_text text);

/* Appends the text as plain text (policy/plain.h), in lines of FX_LAYOUT_WIDTH columns,
 * and a line end. The first line continues at `column`, where the caller has stopped;
 * each further line begins with `indent` blanks. */
void fx_layout_wrap(struct fx_buf *buf, struct fx_text words, size_t column,
                    size_t indent);

/* The same for texts with values, whose words may be longer than a line: these are cut
 * into lines. */
void fx_layout_wrap_values(struct fx_buf *buf, struct fx_text words, size_t column,
                           size_t indent);

#endif
