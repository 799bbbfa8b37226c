/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/text.c - a report as text:
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
#include "explain/text.h"
#include "explain/names.h"
#include "policy/plain.h"
#include "value/print.h"

#define MAX_STEPS 12u /* shown of a chain, its ends; unless all are wanted */

/* ---- what all parts use ------------------------------------------------------------ */

void fx_printer_colour(const struct fx_printer *printer, const char *colour) {
    fx_buf_str(printer->buf, printer->colour ? colour : "");
}

void fx_printer_heading(const struct fx_printer *printer, const char *colour,
                        const char *words) {
    fx_buf_char(printer->buf, '\n');
    fx_printer_colour(printer, colour);
    fx_buf_str(printer->buf, words);
    fx_printer_colour(printer, FX_PRINTER_NORMAL);
}

void fx_printer_field(const struct fx_printer *printer, struct fx_buf *path) {
    fx_printer_colour(printer, FX_PRINTER_CYAN);
    fx_plain_add(printer->buf, (struct fx_text){path->data, path->len});
    fx_printer_colour(printer, FX_PRINTER_NORMAL);
    printer->buf->failed = printer->buf->failed || path->failed;
    fx_buf_finish(path);
}

void fx_printer_count(struct fx_buf *buf, size_t count, const char *one,
                      const char *many) {
    fx_buf_printf(buf, "%zu %s", count, count == 1 ? one : many);
}

/* ---- cells ----------------------------------------------------------------------- */

void fx_cells_init(struct fx_cells *cells) {
    for (size_t i = 0; i < FX_ROW_CELLS; i++) {
        fx_buf_init(&cells->texts[i], 0);
    }
}

void fx_cells_end(struct fx_cells *cells, struct fx_rows *rows) {
    struct fx_text texts[FX_ROW_CELLS];
    for (size_t i = 0; i < FX_ROW_CELLS; i++) {
        texts[i] = (struct fx_text){cells->texts[i].data, cells->texts[i].len};
        rows->failed = rows->failed || cells->texts[i].failed;
    }
    fx_rows_add(rows, texts);
    for (size_t i = 0; i < FX_ROW_CELLS; i++) {
        fx_buf_finish(&cells->texts[i]);
    }
}

void fx_cells_origin(struct fx_buf *buf, const struct fx_origin *origin) {
    if (origin != NULL && origin->file != NULL) {
        fx_buf_str(buf, origin->file);
        fx_buf_printf(buf, ":%u", (unsigned)origin->line);
    }
}

static void add_actor(struct fx_buf *buf, const struct fx_actor *actor, uint32_t pass) {
    fx_buf_printf(buf, "pass %u  ", (unsigned)pass);
    if (actor->tier != 0) {
        fx_buf_printf(buf, "tier %d  ", (int)actor->tier);
    }
    fx_buf_printf(buf, "%s/", actor->kind);
    fx_buf_text(buf, actor->name);
}

static void add_provider(struct fx_buf *buf, const struct fx_actor *actor) {
    fx_buf_printf(buf, "answer  %s", actor->kind);
    fx_buf_str(buf, actor->name.len > 0 ? "/" : "");
    fx_buf_text(buf, actor->name);
}

void fx_cells_value(const struct fx_printer *printer, struct fx_buf *buf, json_t *value) {
    json_t *revealed =
        fx_reveal_placeholders(printer->explanation->input.trace->placeholders, value);
    buf->failed = buf->failed || (revealed == NULL && value != NULL);
    fx_value_print(buf, revealed);
    json_decref(revealed);
}

void fx_cells_who(const struct fx_printer *printer, struct fx_cells *cells, size_t cell,
                  const struct fx_field_step *step, const json_t *before) {
    const struct fx_actor actor =
        fx_explanation_actor(printer->explanation, step->mutator, before);
    if (step->mutator == FX_TRACE_EXTERNAL) {
        add_provider(&cells->texts[cell], &actor);
    } else {
        add_actor(&cells->texts[cell], &actor, step->pass);
    }
    fx_cells_origin(&cells->texts[FX_ROW_CELLS - 1], actor.origin);
}

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

static void add_note(struct fx_rows *rows, size_t skipped) {
    struct fx_cells cells;
    fx_cells_init(&cells);
    fx_buf_printf(&cells.texts[0], "  … %zu more steps", skipped);
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
    struct fx_buf path = {0};
    fx_field_print_path(&path, field);
    fx_printer_field(printer, &path);
}

static void print_field(const struct fx_printer *printer, const struct fx_field *field) {
    static const struct fx_rows_layout layout = {2, 1, true};
    struct fx_rows rows;
    fx_rows_init(&rows);
    fx_buf_char(printer->buf, '\n');
    print_path_of(printer, field);
    fx_buf_str(printer->buf,
               fx_field_differs(field) ? "\n" : "  (unchanged in the end)\n");
    add_initial(printer, &rows, field);
    add_steps(printer, &rows, field);
    fx_rows_print(printer->buf, &rows, &layout);
    fx_rows_finish(&rows);
}

static size_t print_fields(const struct fx_printer *printer) {
    const struct fx_explanation *explanation = printer->explanation;
    size_t count = 0;
    for (size_t i = 0; i < explanation->fields.n_items; i++) {
        if (fx_explanation_includes(explanation, explanation->fields.items[i])) {
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
    const enum fx_code code = explanation->input.failure->code;
    if (code == FX_EDENIED) {
        fx_buf_str(buf, "is denied");
        if (outcome->iterations > 0) { /* no DELETE request */
            fx_buf_str(buf, " after ");
            print_passes(buf, outcome);
        }
    } else if (outcome->failed != NULL) {
        fx_buf_printf(buf, "fails in pass %u", (unsigned)outcome->iterations);
    } else {
        fx_buf_str(buf, code == FX_ENOCONVERGE ? "does not converge, stopped after "
                                               : "fails after ");
        print_passes(buf, outcome);
    }
}

static void print_success(struct fx_buf *buf, const struct fx_explanation *explanation,
                          const struct fx_outcome *outcome) {
    const size_t n_changed = count_changed(&explanation->fields);
    if (explanation->input.is_delete) {
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
    const struct fx_outcome *outcome = explanation->input.outcome;
    struct fx_buf *buf = printer->buf;
    if (outcome == NULL) {
        fx_buf_str(buf,
                   explanation->input.failure != NULL ? "fails" : "is not mutated:\n  ");
        fx_plain_add(buf, explanation->input.skipped);
    } else if (explanation->input.failure != NULL) {
        print_failure(buf, explanation, outcome);
    } else {
        print_success(buf, explanation, outcome);
    }
}

static void print_head(const struct fx_printer *printer) {
    const struct fx_explain_input *input = &printer->explanation->input;
    fx_printer_colour(printer, FX_PRINTER_BOLD);
    fx_print_object(printer->buf, input->object);
    fx_printer_colour(printer, FX_PRINTER_NORMAL);
    fx_buf_str(printer->buf, " (");
    fx_plain_add(printer->buf, fx_text_of(input->file));
    fx_buf_printf(printer->buf, ":%u): ", (unsigned)input->line);
    print_verdict(printer);
    fx_buf_char(printer->buf, '\n');
}

/* ---- all of it ------------------------------------------------------------------- */

static void print_unchanged(const struct fx_printer *printer) {
    fx_buf_char(printer->buf, '\n');
    struct fx_buf path = {0};
    fx_buf_str(&path, printer->explanation->input.query_text);
    fx_printer_field(printer, &path);
    fx_buf_str(printer->buf, printer->explanation->inactive.n_items > 0
                                 ? "\n    nothing changes it\n"
                                 : "\n    nothing changes it; no mutator writes it\n");
}

static void print_why(const struct fx_printer *printer, enum fx_code code) {
    if (code == FX_ENOCONVERGE) {
        fx_printer_cycle(printer);
    } else if (code != FX_EDENIED) {
        fx_printer_failure(printer);
    }
}

void fx_explanation_print_text(struct fx_buf *buf,
                               const struct fx_explanation *explanation, bool colour,
                               bool all) {
    const struct fx_printer printer = {buf, explanation, colour, all};
    print_head(&printer);
    if (explanation->input.skipped.data != NULL) {
        return;
    }
    if (print_fields(&printer) == 0 && explanation->input.query != NULL) {
        print_unchanged(&printer);
    }
    if (explanation->input.failure != NULL) {
        print_why(&printer, explanation->input.failure->code);
    }
    fx_printer_violations(&printer);
    fx_printer_inactive(&printer);
}
