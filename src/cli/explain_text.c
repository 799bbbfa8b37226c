/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_text.c - an explanation as people read it:
 *
 *   Pod/shop/web (pod.yaml:1): 1 field changed in 2 passes
 *
 *   spec.containers[name: web].imagePullPolicy
 *       (absent)
 *     → Always    pass 1  Assign/always-pull  policies/pull.yaml:3
 *
 *   did not act: 1 of 2 mutators
 *     match.namespaces
 *       AssignMetadata/owner  policies/owner.yaml:1  prod, staging
 */
#include "cli/answer.h"
#include "cli/explain_printer.h"
#include "policy/plain.h"
#include "value/tree.h"

#define MAX_STEPS 12u /* shown of a chain, its ends; unless all are wanted */

/* ---- chains ---------------------------------------------------------------------- */

static void add_step(const struct fx_printer *printer, struct fx_rows *rows,
                     const struct fx_field *field, size_t index) {
    const struct fx_field_step *step = &field->steps[index];
    struct fx_cells cells;
    fx_cells_init(&cells);
    fx_buf_str(&cells.texts[0], "→ ");
    fx_cells_value(printer, &cells.texts[0], step->value);
    fx_cells_who(printer, &cells, 1, step,
                 index > 0 ? field->steps[index - 1].value : field->initial);
    fx_cells_end(&cells, rows);
}

static void add_note(struct fx_rows *rows, size_t left_out) {
    struct fx_cells cells;
    fx_cells_init(&cells);
    fx_buf_printf(&cells.texts[0], "  … %zu more steps", left_out);
    fx_cells_end(&cells, rows);
}

static void add_initial(const struct fx_printer *printer, struct fx_rows *rows,
                        const struct fx_field *field) {
    struct fx_cells cells;
    fx_cells_init(&cells);
    fx_buf_str(&cells.texts[0], "  ");
    fx_cells_value(printer, &cells.texts[0], field->initial);
    fx_cells_end(&cells, rows);
}

static void add_steps(const struct fx_printer *printer, struct fx_rows *rows,
                      const struct fx_field *field) {
    const bool is_cut = !printer->all && field->n_steps > MAX_STEPS;
    for (size_t i = 0; i < field->n_steps; i++) {
        if (is_cut && i == MAX_STEPS / 2) {
            add_note(rows, field->n_steps - MAX_STEPS);
            i = field->n_steps - MAX_STEPS / 2;
        }
        add_step(printer, rows, field, i);
    }
}

static void print_path_of(const struct fx_printer *printer,
                          const struct fx_field *field) {
    struct fx_buf path;
    fx_buf_init(&path, 0);
    fx_field_print_path(&path, field);
    fx_printer_place(printer, &path);
}

static void print_field(const struct fx_printer *printer, const struct fx_field *field) {
    static const struct fx_rows_layout layout = {2, 1, true};
    struct fx_rows rows;
    fx_rows_init(&rows);
    fx_buf_char(printer->buf, '\n');
    print_path_of(printer, field);
    fx_buf_str(printer->buf, fx_field_differs(field) ? "\n" : "  (as it was before)\n");
    add_initial(printer, &rows, field);
    add_steps(printer, &rows, field);
    fx_rows_print(printer->buf, &rows, &layout);
    fx_rows_finish(&rows);
}

static size_t print_fields(const struct fx_printer *printer) {
    const struct fx_explanation *explanation = printer->explanation;
    size_t count = 0;
    for (size_t i = 0; i < explanation->fields.n_items; i++) {
        if (fx_explanation_tells(explanation, explanation->fields.items[i])) {
            print_field(printer, explanation->fields.items[i]);
            count++;
        }
    }
    return count;
}

/* ---- the first line -------------------------------------------------------------- */

static size_t count_changed(const struct fx_fields *fields) {
    size_t count = 0;
    for (size_t i = 0; i < fields->n_items; i++) {
        count += fx_field_differs(fields->items[i]);
    }
    return count;
}

static void print_passes(struct fx_buf *buf, const struct fx_outcome *outcome) {
    fx_printer_count(buf, outcome->iterations, "pass", "passes");
}

static void print_failure(struct fx_buf *buf, const struct fx_explanation *explanation,
                          const struct fx_outcome *outcome) {
    const enum fx_code code = explanation->failure->code;
    if (code == FX_EDENIED) {
        fx_buf_str(buf, "is denied");
        if (outcome->iterations > 0) { /* there was something to change */
            fx_buf_str(buf, " after ");
            print_passes(buf, outcome);
        }
    } else if (outcome->failed != NULL) {
        fx_buf_printf(buf, "fails in pass %u", (unsigned)outcome->iterations);
    } else {
        fx_buf_str(buf, code == FX_ENOCONVERGE ? "does not converge, given up after "
                                               : "fails after ");
        print_passes(buf, outcome);
    }
}

static void print_success(struct fx_buf *buf, const struct fx_explanation *explanation,
                          const struct fx_outcome *outcome) {
    const size_t n_changed = count_changed(&explanation->fields);
    if (fx_explanation_only_judges(explanation)) {
        fx_buf_str(buf, "is not denied");
    } else if (n_changed > 0) {
        fx_printer_count(buf, n_changed, "field", "fields");
        fx_buf_str(buf, " changed in ");
        print_passes(buf, outcome);
    } else {
        fx_buf_str(buf, explanation->fields.n_items == 0 ? "nothing changes"
                                                         : "nothing changes in the end");
    }
}

static void print_verdict(const struct fx_printer *printer) {
    const struct fx_explanation *explanation = printer->explanation;
    const struct fx_outcome *outcome = explanation->result->outcome;
    struct fx_buf *buf = printer->buf;
    if (outcome == NULL) {
        fx_buf_str(buf, explanation->failure != NULL ? "fails" : "is not mutated:\n  ");
        fx_plain_add(buf, fx_tree_text(explanation->skipped));
    } else if (explanation->failure != NULL) {
        print_failure(buf, explanation, outcome);
    } else {
        print_success(buf, explanation, outcome);
    }
}

static void print_head(const struct fx_printer *printer) {
    const struct fx_input_object *object = printer->explanation->object;
    fx_printer_colour(printer, FX_PRINTER_BOLD);
    fx_answer_print_identity(printer->buf, object->root);
    fx_printer_colour(printer, FX_PRINTER_NORMAL);
    fx_buf_str(printer->buf, " (");
    fx_plain_add(printer->buf, fx_text_of(object->file));
    fx_buf_printf(printer->buf, ":%u): ", (unsigned)object->line);
    print_verdict(printer);
    fx_buf_char(printer->buf, '\n');
}

/* ---- all of it ------------------------------------------------------------------- */

static void print_unchanged(const struct fx_printer *printer) {
    fx_buf_char(printer->buf, '\n');
    struct fx_buf place;
    fx_buf_init(&place, 0);
    fx_buf_str(&place, printer->explanation->wanted_text);
    fx_printer_place(printer, &place);
    fx_buf_str(printer->buf, printer->explanation->idlers.n_items > 0
                                 ? "\n    nothing changes it\n"
                                 : "\n    nothing changes it; no mutator is about it\n");
}

static void print_why(const struct fx_printer *printer, enum fx_code code) {
    if (code == FX_ENOCONVERGE) {
        fx_printer_cycle(printer);
    } else if (code == FX_EDENIED) {
        fx_printer_refusals(printer);
    } else {
        fx_printer_failure(printer);
    }
}

void fx_explanation_print_text(struct fx_buf *buf,
                               const struct fx_explanation *explanation, bool colour,
                               bool all) {
    const struct fx_printer printer = {buf, explanation, colour, all};
    print_head(&printer);
    if (explanation->skipped != NULL) {
        return;
    }
    if (print_fields(&printer) == 0 && explanation->wanted != NULL) {
        print_unchanged(&printer);
    }
    if (explanation->failure != NULL) {
        print_why(&printer, explanation->failure->code);
    }
    fx_printer_idlers(&printer);
}
