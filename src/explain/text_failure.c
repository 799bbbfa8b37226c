/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/text_failure.c - why a mutation failed, and the cycle of one that does not
 * converge.
 */
#include "explain/names.h"
#include "explain/text.h"
#include "policy/plain.h"

#define MAX_CYCLE_FIELDS 5u /* shown at most, without --all */

static void print_paragraph(struct fx_buf *buf, struct fx_text words) {
    fx_buf_fill(buf, ' ', 2);
    fx_layout_wrap(buf, words, 2, 2);
}

/* ---- failures -------------------------------------------------------------------- */

void fx_printer_failure(const struct fx_printer *printer) {
    const struct fx_explanation *explanation = printer->explanation;
    const struct fx_outcome *outcome = explanation->input.outcome;
    const struct fx_mutator *failed = outcome == NULL ? NULL : outcome->failed;
    struct fx_buf *buf = printer->buf;
    fx_printer_heading(printer, FX_PRINTER_RED, "failed");
    if (failed != NULL) {
        fx_buf_printf(buf, ": %s/", failed->kind);
        fx_plain_add(buf, fx_text_of(failed->full_name));
    }
    if (failed != NULL && failed->origin.file != NULL) {
        fx_buf_str(buf, "  ");
        fx_plain_add(buf, fx_text_of(failed->origin.file));
        fx_buf_printf(buf, ":%u", (unsigned)failed->origin.line);
    }
    fx_buf_char(buf, '\n');
    print_paragraph(buf, fx_text_of(explanation->input.failure->msg));
}

/* ---- no fixed point -------------------------------------------------------------- */

static void add_cycle_step(const struct fx_printer *printer, struct fx_rows *rows,
                           const struct fx_trace_change *change) {
    const struct fx_field_step step = {change->mutator, change->pass, change->to};
    struct fx_cells cells;
    fx_cells_init(&cells);
    fx_cells_who(printer, &cells, 0, &step, change->from);
    fx_cells_value(printer, &cells.texts[1], change->from);
    fx_buf_str(&cells.texts[1], " → ");
    fx_cells_value(printer, &cells.texts[1], change->to);
    fx_cells_end(&cells, rows);
}

static void print_cycle_field(const struct fx_printer *printer,
                              const struct fx_cycle_field *turn) {
    static const struct fx_rows_layout layout = {2, 1, true};
    struct fx_buf *buf = printer->buf;
    struct fx_buf path = {0};
    struct fx_rows rows;
    fx_print_pointer(&path, printer->explanation->fields.object, turn->path);
    fx_buf_char(buf, '\n');
    fx_printer_field(printer, &path);
    if (turn->period == 0) {
        fx_buf_str(buf, ", a new value in each pass\n");
    } else if (turn->period == 1) {
        fx_buf_str(buf, ", again in each pass\n");
    } else {
        fx_buf_printf(buf, ", again every %u passes\n", (unsigned)turn->period);
    }
    fx_rows_init(&rows);
    for (size_t i = 0; i < turn->n_changes; i++) {
        add_cycle_step(printer, &rows, &turn->changes[i]);
    }
    fx_rows_print(buf, &rows, &layout);
    fx_rows_finish(&rows);
}

static void print_cycle_fields(const struct fx_printer *printer,
                               const struct fx_outcome *outcome) {
    const size_t shown = printer->all || outcome->n_cycle_fields < MAX_CYCLE_FIELDS
                             ? outcome->n_cycle_fields
                             : MAX_CYCLE_FIELDS;
    fx_printer_heading(printer, FX_PRINTER_RED, "the cycle");
    fx_buf_str(printer->buf,
               outcome->n_cycle_fields > 1 ? ", the shortest first\n" : "\n");
    for (size_t i = 0; i < shown; i++) {
        print_cycle_field(printer, &outcome->cycle_fields[i]);
    }
    if (shown < outcome->n_cycle_fields) {
        fx_buf_char(printer->buf, '\n');
        fx_printer_count(printer->buf, outcome->n_cycle_fields - shown, "field",
                         "fields");
        fx_buf_str(printer->buf, " more (--all shows them)\n");
    }
    fx_buf_char(printer->buf, '\n');
    print_paragraph(printer->buf,
                    FX_TEXT("Each changes what another wrote. Make one stop matching or "
                            "applying once the other has acted, make both write the same "
                            "value, or remove one."));
}

/* Without a known cycle (too few passes, or too little memory): what the last pass
 * changed. */
static void print_contenders(const struct fx_printer *printer,
                             const struct fx_outcome *outcome) {
    static const struct fx_rows_layout layout = {2, 1, true};
    struct fx_rows rows;
    fx_printer_heading(printer, FX_PRINTER_RED, "the last pass");
    fx_buf_str(printer->buf, " still changed something\n");
    fx_rows_init(&rows);
    for (size_t i = 0; i < outcome->n_cycle; i++) {
        const struct fx_cycle_mutator *contender = &outcome->cycle[i];
        const struct fx_field_step step = {contender->mutator, outcome->iterations, NULL};
        struct fx_cells cells;
        fx_cells_init(&cells);
        fx_cells_who(printer, &cells, 0, &step, NULL);
        fx_print_pointer(&cells.texts[1], printer->explanation->fields.object,
                         contender->path);
        fx_cells_end(&cells, &rows);
    }
    fx_rows_print(printer->buf, &rows, &layout);
    fx_rows_finish(&rows);
    fx_buf_char(printer->buf, '\n');
    print_paragraph(
        printer->buf,
        FX_TEXT("The limit is one pass more than there are mutators. No cycle "
                "was found: with more passes the object may converge."));
}

void fx_printer_cycle(const struct fx_printer *printer) {
    const struct fx_outcome *outcome = printer->explanation->input.outcome;
    if (outcome->n_cycle_fields > 0) {
        print_cycle_fields(printer, outcome);
    } else {
        print_contenders(printer, outcome);
    }
}
