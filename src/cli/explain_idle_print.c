/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_idle_print.c - those who did not act, by what stood against them.
 */
#include "cli/explain_printer.h"
#include "cli/explain_words.h"

#define MAX_IDLERS 10u /* shown for one reason, unless all are wanted */

/* ---- who did not act ------------------------------------------------------------- */

static void add_idler(const struct fx_printer *printer, struct fx_rows *rows,
                      const struct fx_idler *idler) {
    const struct fx_snapshot *snapshot = printer->explanation->snapshot;
    const struct fx_mutator *mutator = snapshot->mutators[idler->mutator];
    const struct fx_conflict_set *set = &snapshot->conflicts.sets[idler->mutator];
    struct fx_cells cells;
    fx_cells_init(&cells);
    fx_buf_printf(&cells.texts[0], "%s/%s", mutator->kind, mutator->full_name);
    fx_cells_origin(&cells.texts[1], &mutator->origin);
    if (idler->criterion[0] != '\0') {
        fx_words_criterion(&cells.texts[2], mutator, idler->criterion);
    }
    for (size_t i = 0; idler->reason == FX_IDLE_CONFLICT && i < set->n_members; i++) {
        if (set->members[i] != idler->mutator) {
            const struct fx_mutator *other = snapshot->mutators[set->members[i]];
            fx_buf_printf(&cells.texts[2], "%s%s/%s",
                          cells.texts[2].len > 0 ? ", " : "with ", other->kind,
                          other->full_name);
        }
    }
    fx_cells_end(&cells, rows);
}

static void print_reason(const struct fx_printer *printer, const struct fx_idler *idler) {
    const struct fx_mutator *mutator =
        printer->explanation->snapshot->mutators[idler->mutator];
    struct fx_buf *buf = printer->buf;
    fx_buf_str(buf, "  ");
    switch (idler->reason) {
    case FX_IDLE_ELSEWHERE: fx_buf_str(buf, "changed other fields only"); break;
    case FX_IDLE_UNCHANGED: fx_buf_str(buf, "already as wanted"); break;
    case FX_IDLE_CONFLICT: fx_buf_str(buf, "in conflict, so left out"); break;
    case FX_IDLE_NOT_REACHED: fx_buf_str(buf, "not reached"); break;
    case FX_IDLE_PRESENT: fx_buf_str(buf, "there already, and never overwritten"); break;
    case FX_IDLE_NOT_APPLIED: fx_buf_str(buf, "not applied: "); break;
    case FX_IDLE_NOT_MATCHED: fx_buf_str(buf, "not matched: "); break;
    }
    fx_words_place(buf, mutator, idler->criterion);
    fx_buf_char(buf, '\n');
}

/* Those of one reason; returns how many there are. */
static size_t print_group(const struct fx_printer *printer, size_t from) {
    static const struct fx_rows_layout layout = {4, 2, false};
    const struct fx_idlers *idlers = &printer->explanation->idlers;
    const struct fx_idler *first = &idlers->items[from];
    struct fx_rows rows;
    size_t count = 0;
    fx_rows_init(&rows);
    print_reason(printer, first);
    while (from + count < idlers->n_items &&
           fx_idler_same(first, &idlers->items[from + count])) {
        if (printer->all || count < MAX_IDLERS) {
            add_idler(printer, &rows, &idlers->items[from + count]);
        }
        count++;
    }
    fx_rows_print(printer->buf, &rows, &layout);
    if (count > rows.n_items) {
        fx_buf_printf(printer->buf, "    and %zu more (--all lists them)\n",
                      count - rows.n_items);
    }
    fx_rows_finish(&rows);
    return count;
}

void fx_printer_idlers(const struct fx_printer *printer) {
    const struct fx_explanation *explanation = printer->explanation;
    const struct fx_idlers *idlers = &explanation->idlers;
    if (idlers->n_items == 0) {
        return;
    }
    fx_printer_heading(printer, FX_PRINTER_BOLD, "did not act");
    fx_buf_printf(printer->buf, ": %zu of ", idlers->n_items);
    fx_printer_count(printer->buf, explanation->snapshot->n_mutators, "mutator",
                     "mutators");
    fx_buf_char(printer->buf, '\n');
    for (size_t at = 0; at < idlers->n_items;) {
        at += print_group(printer, at);
    }
}
