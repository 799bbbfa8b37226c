/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_rows.h - rows of three cells, side by side where they fit into 80 columns,
 * else over two lines; and sentences, wrapped.
 */
#ifndef FX_CLI_EXPLAIN_ROWS_H
#define FX_CLI_EXPLAIN_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/text.h"

#define FX_ROW_CELLS 3u

struct fx_rows {
    struct fx_buf text; /* of all cells */
    struct fx_row {
        size_t off[FX_ROW_CELLS], len[FX_ROW_CELLS]; /* in `text` */
        size_t width[FX_ROW_CELLS];                  /* in columns */
    } *items;
    size_t n_items, cap_items;
    bool failed;
};

void fx_rows_init(struct fx_rows *rows);
void fx_rows_finish(struct fx_rows *rows); /* NULL, zeroed are fine */

/* Adds a row. What is in a cell is made plain (policy/plain.h), and cut where it is long.
 * Failure sticks. */
void fx_rows_add(struct fx_rows *rows, const struct fx_text cells[FX_ROW_CELLS]);

/* How to print. */
struct fx_rows_layout {
    size_t indent;
    size_t break_at; /* the cell that begins the second line */
    bool is_uniform; /* where one row needs two lines, all have two */
};

/* Appends the rows, each with a line end. Failure sticks in `buf`. */
void fx_rows_print(struct fx_buf *buf, const struct fx_rows *rows,
                   const struct fx_rows_layout *layout);

/* Appends the words in lines of 80 columns, each behind `indent` blanks. */
void fx_rows_fill(struct fx_buf *buf, struct fx_text words, size_t indent);

#endif
