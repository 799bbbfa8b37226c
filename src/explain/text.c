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
#include "value/yaml.h"

#define MAX_STEPS 12u /* shown of a chain (its first and last), without --all */

/* ---- shared by all parts ----------------------------------------------------------- */

static void print_colour(const struct fx_printer *printer, const char *colour) {
    fx_buf_str(printer->buf, printer->colour ? colour : "");
}

void fx_printer_heading(const struct fx_printer *printer, const char *colour,
                        const char *words) {
    fx_buf_char(printer->buf, '\n');
    print_colour(printer, colour);
    fx_buf_str(printer->buf, words);
    print_colour(printer, FX_PRINTER_NORMAL);
}

/* Appends the path of a field, and finishes `path`. */
static void print_path(const struct fx_printer *printer, struct fx_buf *path) {
    print_colour(printer, FX_PRINTER_CYAN);
    fx_plain_add(printer->buf, fx_buf_view(path));
    print_colour(printer, FX_PRINTER_NORMAL);
    fx_buf_finish_part(printer->buf, path);
}

void fx_printer_count(struct fx_buf *buf, size_t count, const char *one,
                      const char *many) {
    fx_buf_printf(buf, "%zu %s", count, count == 1 ? one : many);
}

/* ---- cells ----------------------------------------------------------------------- */

void fx_cells_end(struct fx_cells *cells, struct fx_rows *rows) {
    struct fx_text texts[FX_ROW_CELLS];
    for (size_t i = 0; i < FX_ROW_CELLS; i++) {
        texts[i] = (struct fx_text){cells->texts[i].data, cells->texts[i].len};
    }
    fx_rows_add(rows, texts);
    for (size_t i = 0; i < FX_ROW_CELLS; i++) {
        fx_buf_finish_part(&rows->text, &cells->texts[i]);
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

static void add_value(const struct fx_printer *printer, struct fx_buf *buf,
                      json_t *value) {
    json_t *revealed =
        fx_reveal_placeholders(printer->explanation->input.trace->placeholders, value);
    buf->failed = buf->failed || (revealed == NULL && value != NULL);
    fx_value_print(buf, revealed);
    json_decref(revealed);
}

/* Writes "pass 1 Assign/a" into `cell`, and the file and line of the policy into the last
 * cell. `before` is the value before the step. */
static void add_who(const struct fx_printer *printer, struct fx_cells *cells, size_t cell,
                    const struct fx_explain_field_step *step, const json_t *before) {
    const struct fx_actor actor =
        fx_explanation_actor(printer->explanation, step->mutator, before);
    if (step->mutator == FX_TRACE_EXTERNAL) {
        add_provider(&cells->texts[cell], &actor);
    } else {
        add_actor(&cells->texts[cell], &actor, step->pass);
        fx_buf_str(&cells->texts[cell],
                   step->undoes ? " fails and undoes its policy" : "");
    }
    fx_cells_origin(&cells->texts[FX_ROW_CELLS - 1], actor.origin);
}

/* ---- chains ---------------------------------------------------------------------- */

static void add_step(const struct fx_printer *printer, struct fx_rows *rows,
                     const struct fx_explain_field *field, size_t index) {
    const struct fx_explain_field_step *step = &field->steps[index];
    struct fx_cells cells = {0};
    fx_buf_str(&cells.texts[0], "→ ");
    add_value(printer, &cells.texts[0], step->value);
    add_who(printer, &cells, 1, step,
            index > 0 ? field->steps[index - 1].value : field->initial);
    fx_cells_end(&cells, rows);
    struct fx_buf lines = {0};
    fx_print_causes(&lines, step);
    fx_rows_add_below(rows, fx_buf_view(&lines));
    fx_buf_finish_part(&rows->text, &lines);
}

static void add_note(struct fx_rows *rows, size_t skipped) {
    struct fx_cells cells = {0};
    fx_buf_printf(&cells.texts[0], "  … %zu more steps", skipped);
    fx_cells_end(&cells, rows);
}

static void add_initial(const struct fx_printer *printer, struct fx_rows *rows,
                        const struct fx_explain_field *field) {
    struct fx_cells cells = {0};
    fx_buf_str(&cells.texts[0], "  ");
    add_value(printer, &cells.texts[0], field->initial);
    fx_cells_end(&cells, rows);
}

static void add_steps(const struct fx_printer *printer, struct fx_rows *rows,
                      const struct fx_explain_field *field) {
    const bool is_cut = !printer->all && field->n_steps > MAX_STEPS;
    for (size_t i = 0; i < field->n_steps; i++) {
        if (is_cut && i == MAX_STEPS / 2) {
            add_note(rows, field->n_steps - MAX_STEPS);
            i = field->n_steps - MAX_STEPS / 2;
        }
        add_step(printer, rows, field, i);
    }
}

static void print_field(const struct fx_printer *printer,
                        const struct fx_explain_field *field) {
    static const struct fx_rows_layout layout = {2, 1, true};
    struct fx_rows rows = {0};
    struct fx_buf path = {0};
    fx_buf_char(printer->buf, '\n');
    fx_explain_field_print_path(&path, field);
    print_path(printer, &path);
    fx_buf_str(printer->buf,
               fx_explain_field_differs(field) ? "\n" : "  (unchanged in the end)\n");
    add_initial(printer, &rows, field);
    add_steps(printer, &rows, field);
    fx_rows_print_take(printer->buf, &rows, &layout);
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

static size_t count_changed(const struct fx_explain_fields *fields) {
    size_t count = 0;
    for (size_t i = 0; i < fields->n_items; i++) {
        count += fx_explain_field_differs(fields->items[i]);
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
        if (outcome->iterations > 0) { /* 0: a DELETE request */
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
    print_colour(printer, FX_PRINTER_BOLD);
    fx_print_object(printer->buf, input->object);
    print_colour(printer, FX_PRINTER_NORMAL);
    fx_buf_str(printer->buf, " (");
    fx_plain_add(printer->buf, fx_text_of(input->file));
    fx_buf_printf(printer->buf, ":%u): ", (unsigned)input->line);
    print_verdict(printer);
    fx_buf_char(printer->buf, '\n');
}

/* ---- why it failed --------------------------------------------------------------- */

#define MAX_CYCLE_FIELDS 5u /* the most that are shown without --all */

static void print_paragraph(struct fx_buf *buf, struct fx_text words) {
    fx_buf_fill(buf, ' ', 2);
    fx_layout_wrap(buf, words, 2, 2);
}

static void print_fault(const struct fx_printer *printer) {
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
    const struct fx_explain_field_step step = {
        .mutator = change->mutator, .pass = change->pass, .value = change->to};
    struct fx_cells cells = {0};
    add_who(printer, &cells, 0, &step, change->from);
    add_value(printer, &cells.texts[1], change->from);
    fx_buf_str(&cells.texts[1], " → ");
    add_value(printer, &cells.texts[1], change->to);
    fx_cells_end(&cells, rows);
}

static void print_cycle_field(const struct fx_printer *printer,
                              const struct fx_cycle_field *field) {
    static const struct fx_rows_layout layout = {2, 1, true};
    struct fx_buf *buf = printer->buf;
    struct fx_buf path = {0};
    struct fx_rows rows = {0};
    fx_print_pointer(&path, printer->explanation->fields.object, field->path);
    fx_buf_char(buf, '\n');
    print_path(printer, &path);
    if (field->period == 0) {
        fx_buf_str(buf, ", a new value in each pass\n");
    } else if (field->period == 1) {
        fx_buf_str(buf, ", again in each pass\n");
    } else {
        fx_buf_printf(buf, ", again every %u passes\n", (unsigned)field->period);
    }
    for (size_t i = 0; i < field->n_changes; i++) {
        add_cycle_step(printer, &rows, &field->changes[i]);
    }
    fx_rows_print_take(buf, &rows, &layout);
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

/* If the cycle is unknown (too few passes, or no memory), prints what the last pass
 * changed. */
static void print_members(const struct fx_printer *printer,
                          const struct fx_outcome *outcome) {
    static const struct fx_rows_layout layout = {2, 1, true};
    struct fx_rows rows = {0};
    fx_printer_heading(printer, FX_PRINTER_RED, "the last pass");
    fx_buf_str(printer->buf, " still changed something\n");
    for (size_t i = 0; i < outcome->n_cycle; i++) {
        const struct fx_cycle_mutator *member = &outcome->cycle[i];
        const struct fx_explain_field_step step = {.mutator = member->mutator,
                                                   .pass = outcome->iterations};
        struct fx_cells cells = {0};
        add_who(printer, &cells, 0, &step, NULL);
        fx_print_pointer(&cells.texts[1], printer->explanation->fields.object,
                         member->path);
        fx_cells_end(&cells, &rows);
    }
    fx_rows_print_take(printer->buf, &rows, &layout);
    fx_buf_char(printer->buf, '\n');
    print_paragraph(
        printer->buf,
        FX_TEXT("The limit is one pass more than there are mutators. No cycle "
                "was found: with more passes the object may converge."));
}

/* ---- the whole report ------------------------------------------------------------ */

static void print_unchanged(const struct fx_printer *printer) {
    fx_buf_char(printer->buf, '\n');
    struct fx_buf path = {0};
    fx_buf_str(&path, printer->explanation->input.query_text);
    print_path(printer, &path);
    fx_buf_str(printer->buf, printer->explanation->inactive.n_items > 0
                                 ? "\n    nothing changes it\n"
                                 : "\n    nothing changes it; no mutator writes it\n");
}

static void print_why(const struct fx_printer *printer, enum fx_code code) {
    const struct fx_outcome *outcome = printer->explanation->input.outcome;
    if (code == FX_ENOCONVERGE && outcome->n_cycle_fields > 0) {
        print_cycle_fields(printer, outcome);
    } else if (code == FX_ENOCONVERGE) {
        print_members(printer, outcome);
    } else if (code != FX_EDENIED) {
        print_fault(printer);
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
    fx_printer_ignored(&printer);
    fx_printer_inactive(&printer);
}
