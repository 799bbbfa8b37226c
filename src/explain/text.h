/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/text.h - private: what the parts of the text of a report share.
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

/* What is printed, and where to. */
struct fx_printer {
    struct fx_buf *buf;
    const struct fx_explanation *explanation;
    bool colour, all;
};

void fx_printer_colour(const struct fx_printer *printer, const char *colour);

/* Appends an empty line, and the words in that colour. */
void fx_printer_heading(const struct fx_printer *printer, const char *colour,
                        const char *words);

/* Appends the path of a field, and finishes `path`. */
void fx_printer_field(const struct fx_printer *printer, struct fx_buf *path);

/* Appends "1 field", "2 fields". */
void fx_printer_count(struct fx_buf *buf, size_t count, const char *one,
                      const char *many);

/* The texts of one row while it is made. The last one is the file and line of a policy.
 */
struct fx_cells {
    struct fx_buf texts[FX_ROW_CELLS];
};

void fx_cells_init(struct fx_cells *cells);
void fx_cells_end(struct fx_cells *cells, struct fx_rows *rows); /* adds the row */

void fx_cells_origin(struct fx_buf *buf, const struct fx_origin *origin);
void fx_cells_value(const struct fx_printer *printer, struct fx_buf *buf, json_t *value);

/* Writes "pass 1  Assign/a" into `cell`, and the file and line of the policy into the
 * last one. `before` is the value before the step. */
void fx_cells_who(const struct fx_printer *printer, struct fx_cells *cells, size_t cell,
                  const struct fx_field_step *step, const json_t *before);

/* The parts of the report: what failed (text_failure.c), the cycle, the mutators that did
 * not act (text_inactive.c), the validators that denied the object. */
void fx_printer_failure(const struct fx_printer *printer);
void fx_printer_cycle(const struct fx_printer *printer);
void fx_printer_inactive(const struct fx_printer *printer);
void fx_printer_violations(const struct fx_printer *printer);

#endif
