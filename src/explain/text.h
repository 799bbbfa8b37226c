/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/text.h - shared by the files that print a report as text. Private to this room.
 */
#ifndef FX_EXPLAIN_TEXT_H
#define FX_EXPLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"
#include "explain/layout.h"
#include "explain/report.h"

#define FX_PRINTER_BOLD   "\033[1m"
#define FX_PRINTER_CYAN   "\033[36m"
#define FX_PRINTER_RED    "\033[1;31m"
#define FX_PRINTER_NORMAL "\033[0m"

/* The report to print, and the buffer for the text. */
struct fx_printer {
    struct fx_buf *buf;
    const struct fx_explanation *explanation;
    bool colour, all;
};

/* Appends an empty line, and the text in the given colour. */
void fx_printer_heading(const struct fx_printer *printer, const char *colour,
                        const char *words);

/* Appends "1 field", "2 fields". */
void fx_printer_count(struct fx_buf *buf, size_t count, const char *one,
                      const char *many);

/* The texts of a row that is being made. The last text is the file and line of a policy.
 * Zeroed: empty. */
struct fx_cells {
    struct fx_buf texts[FX_ROW_CELLS];
};

/* Adds the row, and frees the cells. */
void fx_cells_end(struct fx_cells *cells, struct fx_rows *rows);

void fx_cells_origin(struct fx_buf *buf, const struct fx_origin *origin);

/* Appends the lines below a step that say what its value was computed from
 * (text_cause.c). */
void fx_print_causes(struct fx_buf *buf, const struct fx_explain_field_step *step);

/* The parts of the report in text_inactive.c: the mutators that did not act, those whose
 * failures are ignored, the validators that denied the object. */
void fx_printer_inactive(const struct fx_printer *printer);
void fx_printer_ignored(const struct fx_printer *printer);
void fx_printer_violations(const struct fx_printer *printer);

#endif
