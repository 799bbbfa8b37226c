/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_printer.h - private: what the parts of the text of an explanation share.
 */
#ifndef FX_CLI_EXPLAIN_PRINTER_H
#define FX_CLI_EXPLAIN_PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"
#include "cli/explain_report.h"
#include "cli/explain_rows.h"

#define FX_PRINTER_BOLD   "\033[1m"
#define FX_PRINTER_CYAN   "\033[36m"
#define FX_PRINTER_RED    "\033[1;31m"
#define FX_PRINTER_NORMAL "\033[0m"

/* What is being printed, and where. */
struct fx_printer {
    struct fx_buf *buf;
    const struct fx_explanation *explanation;
    bool colour, all;
};

void fx_printer_colour(const struct fx_printer *printer, const char *colour);

/* Appends an empty line, and the words in that colour. */
void fx_printer_heading(const struct fx_printer *printer, const char *colour,
                        const char *words);

/* Appends a place in the object, and finishes its text. */
void fx_printer_place(const struct fx_printer *printer, struct fx_buf *place);

/* Appends "1 field", "2 fields". */
void fx_printer_count(struct fx_buf *buf, size_t count, const char *one,
                      const char *many);

/* The texts of one row while it is made. The last one says where a policy stands. */
struct fx_cells {
    struct fx_buf texts[FX_ROW_CELLS];
};

void fx_cells_init(struct fx_cells *cells);
void fx_cells_end(struct fx_cells *cells, struct fx_rows *rows); /* adds the row */

void fx_cells_origin(struct fx_buf *buf, const struct fx_origin *origin);
void fx_cells_value(const struct fx_printer *printer, struct fx_buf *buf, json_t *value);

/* "pass 1  Assign/a" in `cell`, and where that policy stands in the last one; `before`:
 * the value before the step. */
void fx_cells_who(const struct fx_printer *printer, struct fx_cells *cells, size_t cell,
                  const struct fx_field_step *step, const json_t *before);

/* The parts in files of their own. */
void fx_printer_failure(const struct fx_printer *printer);
void fx_printer_cycle(const struct fx_printer *printer);
void fx_printer_idlers(const struct fx_printer *printer);
void fx_printer_refusals(const struct fx_printer *printer);

#endif
