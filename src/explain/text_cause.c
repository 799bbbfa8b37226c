/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/text_cause.c - prints what a value was computed from:
 *
 *       mutations[0], from
 *           variables.team = "shop"
 *               params.data.team = "shop" (ConfigMap ops/settings)
 */
#include "explain/text.h"

#define PART_INDENT 6u
#define DEEPER      4u
#define MOST_LEVELS 8u /* that are printed */

static void print_reads(struct fx_buf *buf, const struct fx_trace_read *reads,
                        unsigned level) {
    const size_t indent = PART_INDENT + DEEPER * level;
    for (const struct fx_trace_read *read = reads; read != NULL && level <= MOST_LEVELS;
         read = read->next) {
        struct fx_buf line = {0};
        fx_buf_text(&line, read->name);
        fx_buf_str(&line, " = ");
        fx_buf_text(&line, read->value);
        if (read->owner.len > 0) {
            fx_buf_printf(&line, " (%.*s)", FX_TEXT_ARG(read->owner));
        }
        fx_buf_fill(buf, ' ', indent);
        fx_layout_wrap_values(buf, fx_buf_view(&line), indent, indent + 2);
        fx_buf_finish_part(buf, &line);
        print_reads(buf, read->reads, level + 1);
    }
}

void fx_print_causes(struct fx_buf *buf, const struct fx_explain_field_step *step) {
    for (const struct fx_explain_cause *item = step->causes; item != NULL;
         item = item->next) {
        const struct fx_trace_cause *cause = item->cause;
        fx_buf_fill(buf, ' ', PART_INDENT);
        fx_buf_text(buf, cause->part);
        fx_buf_str(buf, cause->reads == NULL ? "\n" : ", from\n");
        print_reads(buf, cause->reads, 1);
        if (cause->is_cut) {
            fx_buf_fill(buf, ' ', PART_INDENT + DEEPER);
            fx_buf_str(buf, "…\n");
        }
    }
}
