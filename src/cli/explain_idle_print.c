/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_idle_print.c - those who did not act, or refuse, by what stood against
 * them; and those who refused.
 */
#include <string.h>

#include "cli/explain_printer.h"
#include "cli/explain_words.h"
#include "cli/fill.h"
#include "policy/plain.h"

#define MAX_IDLERS  10u /* shown for one reason, unless all are wanted */
#define SAID_INDENT 8u

/* ---- one of them ----------------------------------------------------------------- */

/* What they are in conflict with, as a cell. */
static void add_others(struct fx_buf *cell, const struct fx_snapshot *snapshot,
                       uint32_t index) {
    const struct fx_conflict_set *set = &snapshot->conflicts.sets[index];
    for (size_t i = 0; i < set->n_members; i++) {
        if (set->members[i] != index) {
            const struct fx_mutator *other = snapshot->mutators[set->members[i]];
            fx_buf_printf(cell, "%s%s/%s", cell->len > 0 ? ", " : "with ", other->kind,
                          other->full_name);
        }
    }
}

/* "        finds   "api"", over as many lines as it takes. */
static void print_said(struct fx_buf *buf, const char *label, struct fx_text words) {
    const size_t column = SAID_INDENT + strlen(label);
    fx_buf_fill(buf, ' ', SAID_INDENT);
    fx_buf_str(buf, label);
    fx_fill(buf, words, column, column);
}

/* What its dialect says of it, or why it failed: below it. */
static void print_more(struct fx_buf *buf, const struct fx_idler *idler) {
    if (idler->failure != NULL) {
        print_said(buf, "", fx_text_of(idler->failure));
    }
    if (idler->wanted.len > 0) {
        print_said(buf, "wants  ", idler->wanted);
    }
    if (idler->found.len > 0) {
        print_said(buf, "finds  ", idler->found);
    }
}

/* Is that more than has room in a row? What is found by another criterion than an entry
 * of a list is the same for all of them, and told once. */
static bool has_more(const struct fx_idler *idler) {
    return idler->failure != NULL ||
           (idler->wanted.len > 0 && strchr(idler->criterion, '[') != NULL);
}

static void add_idler(const struct fx_printer *printer, struct fx_rows *rows,
                      const struct fx_idler *idler) {
    const struct fx_snapshot *snapshot = printer->explanation->snapshot;
    const struct fx_mutator *mutator = snapshot->mutators[idler->mutator];
    struct fx_cells cells;
    fx_cells_init(&cells);
    fx_buf_printf(&cells.texts[0], "%s/%s", mutator->kind, mutator->full_name);
    fx_cells_origin(&cells.texts[1], &mutator->origin);
    if (idler->reason == FX_IDLE_CONFLICT) {
        add_others(&cells.texts[2], snapshot, idler->mutator);
    } else if (idler->wanted.len > 0 && !has_more(idler)) {
        fx_buf_text(&cells.texts[2], idler->wanted);
    } else if (idler->criterion[0] != '\0' && idler->wanted.len == 0) {
        fx_words_criterion(&cells.texts[2], mutator, idler->criterion);
    }
    fx_cells_end(&cells, rows);
}

/* ---- those of one reason --------------------------------------------------------- */

static const struct fx_rows_layout layout = {4, 2, false};

static void print_reason(const struct fx_printer *printer, const struct fx_idler *idler) {
    const struct fx_mutator *mutator =
        printer->explanation->snapshot->mutators[idler->mutator];
    struct fx_buf *buf = printer->buf;
    fx_buf_str(buf, "  ");
    switch (idler->reason) {
    case FX_IDLE_LEFT_OUT: fx_buf_str(buf, "failed, so left out"); break;
    case FX_IDLE_ELSEWHERE: fx_buf_str(buf, "changed other fields only"); break;
    case FX_IDLE_UNCHANGED: fx_buf_str(buf, "already as wanted"); break;
    case FX_IDLE_CONFLICT: fx_buf_str(buf, "in conflict, so left out"); break;
    case FX_IDLE_NOT_REACHED:
        fx_buf_str(buf, fx_explanation_only_judges(printer->explanation)
                            ? "not asked: what is deleted is not changed"
                            : "not reached");
        break;
    case FX_IDLE_PRESENT: fx_buf_str(buf, "there already, and never overwritten"); break;
    case FX_IDLE_NOT_APPLIED: fx_buf_str(buf, "not applied: "); break;
    case FX_IDLE_LATE:
        fx_buf_str(buf, "matches the result, but was asked before it was there: ");
        break;
    case FX_IDLE_NOT_MATCHED: fx_buf_str(buf, "not matched: "); break;
    }
    fx_words_place(buf, mutator, idler->criterion);
    if (idler->found.len > 0 && !has_more(idler)) {
        fx_buf_str(buf, ", found ");
        fx_plain_add(buf, idler->found);
    }
    fx_buf_char(buf, '\n');
}

static size_t count_same(const struct fx_idlers *idlers, size_t from) {
    size_t count = 1;
    while (from + count < idlers->n_items &&
           fx_idler_same(&idlers->items[from], &idlers->items[from + count])) {
        count++;
    }
    return count;
}

/* Where none has more to say, all are told in columns. */
static void print_rows(const struct fx_printer *printer, const struct fx_idler *idlers,
                       size_t n_idlers) {
    struct fx_rows rows;
    fx_rows_init(&rows);
    for (size_t i = 0; i < n_idlers; i++) {
        add_idler(printer, &rows, &idlers[i]);
        if (has_more(&idlers[i])) {
            fx_rows_print(printer->buf, &rows, &layout);
            fx_rows_finish(&rows);
            fx_rows_init(&rows);
            print_more(printer->buf, &idlers[i]);
        }
    }
    fx_rows_print(printer->buf, &rows, &layout);
    fx_rows_finish(&rows);
}

/* Those of one reason; returns how many there are. */
static size_t print_group(const struct fx_printer *printer,
                          const struct fx_idlers *idlers, size_t from) {
    const size_t count = count_same(idlers, from);
    const size_t shown = printer->all || count < MAX_IDLERS ? count : MAX_IDLERS;
    print_reason(printer, &idlers->items[from]);
    print_rows(printer, &idlers->items[from], shown);
    if (count > shown) {
        fx_buf_printf(printer->buf, "    and %zu more (--all lists them)\n",
                      count - shown);
    }
    return count;
}

/* ---- all of them ----------------------------------------------------------------- */

static void print_idlers(const struct fx_printer *printer,
                         const struct fx_idlers *idlers) {
    for (size_t at = 0; at < idlers->n_items;) {
        at += print_group(printer, idlers, at);
    }
}

/* Does one ask for a namespace, in vain? */
static bool want_namespace(const struct fx_idlers *idlers) {
    static const char *const criteria[] = {"namespace", "targetNamespaceRegex", "scope"};
    for (size_t i = 0; i < idlers->n_items; i++) {
        for (size_t k = 0; k < FX_COUNT(criteria); k++) {
            if (idlers->items[i].reason == FX_IDLE_NOT_MATCHED &&
                strcmp(idlers->items[i].criterion, criteria[k]) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* A manifest is often without: then it is not asked about as it will be in a cluster. */
static void print_advice(const struct fx_printer *printer) {
    const struct fx_explanation *explanation = printer->explanation;
    if (explanation->lacks_namespace &&
        (want_namespace(&explanation->idlers) || want_namespace(&explanation->judges))) {
        fx_buf_str(printer->buf, "\nThe object names no namespace: --namespace NAME says "
                                 "which one it is sent to.\n");
    }
}

void fx_printer_idlers(const struct fx_printer *printer) {
    const struct fx_explanation *explanation = printer->explanation;
    const struct fx_idlers *idlers = &explanation->idlers;
    const struct fx_idlers *judges = &explanation->judges;
    if (idlers->n_items > 0) {
        fx_printer_heading(printer, FX_PRINTER_BOLD, "did not act");
        fx_buf_printf(printer->buf, ": %zu of ", idlers->n_items);
        fx_printer_count(printer->buf, explanation->snapshot->n_acting, "mutator",
                         "mutators");
        fx_buf_char(printer->buf, '\n');
        print_idlers(printer, idlers);
    }
    if (judges->n_items > 0) {
        fx_printer_heading(printer, FX_PRINTER_BOLD, "did not deny it");
        fx_buf_printf(printer->buf, ": %zu of ", judges->n_items);
        fx_printer_count(printer->buf, fx_explanation_judges(explanation),
                         "rule that may", "rules that may");
        fx_buf_char(printer->buf, '\n');
        print_idlers(printer, judges);
    }
    print_advice(printer);
}

/* ---- who did --------------------------------------------------------------------- */

static void print_refusal(const struct fx_printer *printer,
                          const struct fx_refusal *refusal) {
    const struct fx_explanation *explanation = printer->explanation;
    const struct fx_idler judge = {.mutator = refusal->mutator, .criterion = ""};
    const char *less = fx_explanation_less(explanation, refusal->mutator);
    struct fx_rows rows;
    fx_rows_init(&rows);
    add_idler(printer, &rows, &judge);
    fx_rows_print(printer->buf, &rows, &layout);
    fx_rows_finish(&rows);
    print_said(printer->buf, "", refusal->entry);
    if (less != NULL) {
        print_said(printer->buf, "", fx_text_of(less));
    }
}

void fx_printer_refusals(const struct fx_printer *printer) {
    const struct fx_outcome *outcome = printer->explanation->result->outcome;
    fx_printer_heading(printer, FX_PRINTER_RED, "denied by");
    fx_buf_char(printer->buf, '\n');
    for (size_t i = 0; i < outcome->n_refusals; i++) {
        print_refusal(printer, &outcome->refusals[i]);
    }
}
