/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_printer.c - colours, and the cells of rows.
 */
#include "cli/explain_printer.h"

#include "cli/explain_words.h"
#include "policy/plain.h"

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

void fx_printer_place(const struct fx_printer *printer, struct fx_buf *place) {
    fx_printer_colour(printer, FX_PRINTER_CYAN);
    fx_plain_add(printer->buf, (struct fx_text){place->data, place->len});
    fx_printer_colour(printer, FX_PRINTER_NORMAL);
    printer->buf->failed = printer->buf->failed || place->failed;
    fx_buf_finish(place);
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
    json_t *revealed = fx_words_reveal(printer->explanation->trace->placeholders, value);
    buf->failed = buf->failed || (revealed == NULL && value != NULL);
    fx_words_value(buf, revealed);
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
