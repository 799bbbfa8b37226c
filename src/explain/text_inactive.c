/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/text_inactive.c - prints the mutators that did not act and the validators that
 * found no violation, grouped by the criterion that failed; and the violations.
 */
#include <string.h>

#include "explain/text.h"
#include "policy/plain.h"

#define MAX_INACTIVE  10u /* shown for one reason, without --all */
#define SAID_INDENT   8u
#define REASON_INDENT 2u

/* ---- one mutator ----------------------------------------------------------------- */

/* Appends the mutators with which this one is in conflict. */
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

/* Appends "        finds   "api"" in wrapped lines. */
static void print_said(struct fx_buf *buf, const char *label, struct fx_text words) {
    const size_t column = SAID_INDENT + strlen(label);
    fx_buf_fill(buf, ' ', SAID_INDENT);
    fx_buf_str(buf, label);
    fx_layout_wrap_values(buf, words, column, column);
}

/* Appends what the mutator wants and finds, or why it failed, on lines below its row. */
static void print_more(struct fx_buf *buf, const struct fx_inactive *inactive) {
    if (inactive->failure != NULL) {
        print_said(buf, "", fx_text_of(inactive->failure));
    }
    if (inactive->policy.wanted.len > 0) {
        print_said(buf, "wants  ", fx_buf_view(&inactive->policy.wanted));
    }
    if (inactive->found.len > 0) {
        print_said(buf, "finds  ", inactive->found);
    }
}

/* Does the mutator need lines below its row? An entry of a list ("match[2]") differs from
 * policy to policy; what most other criteria find is printed once, above the rows. */
static bool has_more(const struct fx_inactive *inactive) {
    return inactive->failure != NULL ||
           (inactive->policy.wanted.len > 0 &&
            (inactive->policy.is_particular || strchr(inactive->criterion, '[') != NULL));
}

static void add_inactive(const struct fx_printer *printer, struct fx_rows *rows,
                         const struct fx_inactive *inactive) {
    const struct fx_snapshot *snapshot = printer->explanation->input.snapshot;
    const struct fx_mutator *mutator = snapshot->mutators[inactive->mutator];
    struct fx_cells cells = {0};
    fx_buf_printf(&cells.texts[0], "%s/%s", mutator->kind, mutator->full_name);
    fx_cells_origin(&cells.texts[1], &mutator->origin);
    if (inactive->reason == FX_INACTIVE_CONFLICT) {
        add_others(&cells.texts[2], snapshot, inactive->mutator);
    } else if (!has_more(inactive)) {
        fx_buf_text(&cells.texts[2], fx_buf_view(&inactive->policy.wanted));
    }
    fx_cells_end(&cells, rows);
}

/* ---- one reason ------------------------------------------------------------------ */

static const struct fx_rows_layout layout = {4, 2, false};

static const char *words_of(const struct fx_printer *printer,
                            enum fx_inactive_reason reason) {
    switch (reason) {
    case FX_INACTIVE_SKIPPED: return "failed, skipped";
    case FX_INACTIVE_ELSEWHERE: return "changed other fields only";
    case FX_INACTIVE_UNCHANGED: return "already as wanted";
    case FX_INACTIVE_CONFLICT: return "in conflict, skipped";
    case FX_INACTIVE_NOT_REACHED:
        return printer->explanation->input.is_delete
                   ? "not run: a DELETE request changes nothing"
                   : "not reached";
    case FX_INACTIVE_PRESENT: return "already present, never overwritten";
    case FX_INACTIVE_NOT_APPLIED: return "not applied: ";
    case FX_INACTIVE_LATE:
        return "matches the result, but was matched before it was complete: ";
    case FX_INACTIVE_NOT_MATCHED: break;
    }
    return "not matched: ";
}

static void print_reason(const struct fx_printer *printer,
                         const struct fx_inactive *inactive) {
    struct fx_buf line = {0};
    fx_buf_str(&line, words_of(printer, inactive->reason));
    fx_buf_text(&line, fx_buf_view(&inactive->policy.field));
    if (inactive->found.len > 0 && !has_more(inactive)) {
        fx_buf_str(&line, ", found ");
        fx_buf_text(&line, inactive->found);
    }
    fx_buf_fill(printer->buf, ' ', REASON_INDENT);
    fx_layout_wrap_values(printer->buf, fx_buf_view(&line), REASON_INDENT, SAID_INDENT);
    fx_buf_finish_part(printer->buf, &line);
}

static size_t count_same(const struct fx_inactive_list *list, size_t from) {
    size_t count = 1;
    while (from + count < list->n_items &&
           fx_inactive_same(&list->items[from], &list->items[from + count])) {
        count++;
    }
    return count;
}

/* Prints the rows. Consecutive rows without lines below them form one table. */
static void print_rows(const struct fx_printer *printer, const struct fx_inactive *items,
                       size_t n_items) {
    struct fx_rows rows = {0};
    for (size_t i = 0; i < n_items; i++) {
        add_inactive(printer, &rows, &items[i]);
        if (has_more(&items[i])) {
            fx_rows_print_take(printer->buf, &rows, &layout);
            print_more(printer->buf, &items[i]);
        }
    }
    fx_rows_print_take(printer->buf, &rows, &layout);
}

/* Prints the mutators with the same reason and criterion as the first; returns how many
 * there are. */
static size_t print_group(const struct fx_printer *printer,
                          const struct fx_inactive_list *list, size_t from) {
    const size_t count = count_same(list, from);
    const size_t shown = printer->all || count < MAX_INACTIVE ? count : MAX_INACTIVE;
    print_reason(printer, &list->items[from]);
    print_rows(printer, &list->items[from], shown);
    if (count > shown) {
        fx_buf_printf(printer->buf, "    and %zu more (--all lists them)\n",
                      count - shown);
    }
    return count;
}

/* ---- all mutators ---------------------------------------------------------------- */

static void print_list(const struct fx_printer *printer,
                       const struct fx_inactive_list *list) {
    for (size_t at = 0; at < list->n_items;) {
        at += print_group(printer, list, at);
    }
}

/* Did a criterion fail that needs the namespace? */
static bool needs_namespace(const struct fx_inactive_list *list) {
    for (size_t i = 0; i < list->n_items; i++) {
        if (list->items[i].reason == FX_INACTIVE_NOT_MATCHED &&
            list->items[i].policy.needs_namespace) {
            return true;
        }
    }
    return false;
}

/* Suggests --namespace. Manifests often have no namespace, so matching differs from that
 * in the cluster. */
static void print_advice(const struct fx_printer *printer) {
    const struct fx_explanation *explanation = printer->explanation;
    if (explanation->input.lacks_namespace &&
        (needs_namespace(&explanation->inactive) ||
         needs_namespace(&explanation->validators) ||
         needs_namespace(&explanation->existing))) {
        fx_buf_str(printer->buf, "\nThe object has no namespace. Use --namespace NAME to "
                                 "set the one it is sent to.\n");
    }
}

void fx_printer_inactive(const struct fx_printer *printer) {
    const struct fx_explanation *explanation = printer->explanation;
    const struct fx_inactive_list *list = &explanation->inactive;
    const struct fx_inactive_list *validators = &explanation->validators;
    if (list->n_items > 0) {
        fx_printer_heading(printer, FX_PRINTER_BOLD, "did not act");
        fx_buf_printf(printer->buf, ": %zu of ", list->n_items);
        fx_printer_count(printer->buf, explanation->input.snapshot->n_acting, "mutator",
                         "mutators");
        fx_buf_char(printer->buf, '\n');
        print_list(printer, list);
    }
    const struct fx_inactive_list *existing = &explanation->existing;
    if (existing->n_items > 0) {
        fx_printer_heading(printer, FX_PRINTER_BOLD, "not triggered");
        fx_buf_printf(printer->buf, ": %zu of ", existing->n_items);
        fx_printer_count(printer->buf, fx_explanation_existing(explanation),
                         "rule for existing objects", "rules for existing objects");
        fx_buf_char(printer->buf, '\n');
        print_list(printer, existing);
    }
    if (validators->n_items > 0) {
        fx_printer_heading(printer, FX_PRINTER_BOLD, "found no violation");
        fx_buf_printf(printer->buf, ": %zu of ", validators->n_items);
        fx_printer_count(printer->buf, fx_explanation_validators(explanation),
                         "validator", "validators");
        fx_buf_char(printer->buf, '\n');
        print_list(printer, validators);
    }
    print_advice(printer);
}

/* ---- violations ------------------------------------------------------------------ */

/* Appends the part of the policy that failed, on a line below its row. */
static void print_part(struct fx_buf *buf, struct fx_text part) {
    if (part.len > 0) {
        print_said(buf, "", part);
    }
}

static void print_violation(const struct fx_printer *printer,
                            const struct fx_violation *violation) {
    const struct fx_explanation *explanation = printer->explanation;
    const struct fx_inactive inactive = {.mutator = violation->mutator, .criterion = ""};
    const char *less = fx_explanation_validator_error(explanation, violation->mutator);
    struct fx_rows rows = {0};
    add_inactive(printer, &rows, &inactive);
    fx_rows_print_take(printer->buf, &rows, &layout);
    print_part(printer->buf, violation->part);
    print_said(printer->buf, "", violation->entry);
    if (less != NULL) {
        print_said(printer->buf, "", fx_text_of(less));
    }
}

/* The violations of one action, if there are any. */
static void print_violations(const struct fx_printer *printer, enum fx_action action,
                             const char *colour, const char *heading) {
    const struct fx_outcome *outcome = printer->explanation->input.outcome;
    size_t n_printed = 0;
    for (size_t i = 0; i < outcome->n_violations; i++) {
        if (outcome->violations[i].action != action) {
            continue;
        }
        if (n_printed++ == 0) {
            fx_printer_heading(printer, colour, heading);
            fx_buf_char(printer->buf, '\n');
        }
        print_violation(printer, &outcome->violations[i]);
    }
}

/* The rules for existing objects that the object triggers. */
static void print_triggered(const struct fx_printer *printer) {
    const struct fx_outcome *outcome = printer->explanation->input.outcome;
    struct fx_rows rows = {0};
    if (outcome->n_triggered == 0) {
        return;
    }
    fx_printer_heading(printer, FX_PRINTER_BOLD,
                       "triggers changes of existing objects by");
    fx_buf_char(printer->buf, '\n');
    for (size_t i = 0; i < outcome->n_triggered; i++) {
        const struct fx_inactive rule = {.mutator = outcome->triggered[i],
                                         .criterion = ""};
        add_inactive(printer, &rows, &rule);
    }
    fx_rows_print_take(printer->buf, &rows, &layout);
}

void fx_printer_violations(const struct fx_printer *printer) {
    if (printer->explanation->input.outcome != NULL) {
        print_triggered(printer);
        print_violations(printer, FX_ACTION_DENY, FX_PRINTER_RED, "denied by");
        print_violations(printer, FX_ACTION_WARN, FX_PRINTER_BOLD, "warned by");
        print_violations(printer, FX_ACTION_AUDIT, FX_PRINTER_BOLD, "audited by");
    }
}

/* ---- ignored failures -------------------------------------------------------------- */

static void print_ignored(const struct fx_printer *printer,
                          const struct fx_skipped_mutator *skipped) {
    const struct fx_inactive inactive = {.mutator = skipped->mutator, .criterion = ""};
    struct fx_rows rows = {0};
    add_inactive(printer, &rows, &inactive);
    fx_rows_print_take(printer->buf, &rows, &layout);
    print_part(printer->buf, skipped->part);
    print_said(printer->buf, "", fx_text_of(skipped->message));
}

void fx_printer_ignored(const struct fx_printer *printer) {
    const struct fx_outcome *outcome = printer->explanation->input.outcome;
    size_t n_printed = 0;
    for (size_t i = 0; outcome != NULL && i < outcome->n_skipped; i++) {
        if (!outcome->skipped[i].is_reported) {
            continue;
        }
        if (n_printed++ == 0) {
            fx_printer_heading(printer, FX_PRINTER_BOLD, "failed, ignored");
            fx_buf_char(printer->buf, '\n');
        }
        print_ignored(printer, &outcome->skipped[i]);
    }
}
