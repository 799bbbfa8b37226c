/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/check_text.c - prints the findings of `fixpoint check` as text in 80 columns.
 */
#include <string.h>

#include "cli/answer.h"
#include "cli/check_report.h"
#include "explain/layout.h"
#include "explain/names.h"
#include "policy/plain.h"
#include "value/yaml.h"

#define INDENT        2u
#define LABEL_INDENT  4u
#define LABEL_WIDTH   8u /* "values  " */
#define WITNESS_LINES 60u
#define VALUE_RUNES   48u
#define NOTES_MAX     20u /* at most this many are printed of each rule */

#define BOLD   "\033[1m"
#define PURPLE "\033[1;35m"
#define CYAN   "\033[1;36m"
#define RESET  "\033[0m"

struct printer {
    struct fx_buf *buf;
    const struct fx_check_report *report;
    bool colour;
};

static void colour(const struct printer *printer, const char *code) {
    fx_buf_str(printer->buf, printer->colour ? code : "");
}

/* ---- one finding ----------------------------------------------------------------- */

static const struct fx_mutator *mutator_of(const struct printer *printer,
                                           uint32_t mutator) {
    return printer->report->policies->snapshot->mutators[mutator];
}

static void print_place(struct fx_buf *buf, const struct fx_mutator *mutator) {
    const char *file = mutator->origin.file == NULL ? "" : mutator->origin.file;
    fx_plain_add(buf, fx_text_of(file));
    fx_buf_printf(buf, ":%u", (unsigned)mutator->origin.line);
}

/* "policies/a.yaml:12: warning: undo: …" */
static void print_head(const struct printer *printer,
                       const struct fx_analysis_finding *finding) {
    const bool is_note = fx_analysis_rule_is_note(finding->rule);
    struct fx_buf head = {0};
    print_place(&head, mutator_of(printer, finding->mutators[0]));
    fx_buf_char(&head, ':');
    size_t column = fx_layout_columns(fx_buf_view(&head));
    colour(printer, BOLD);
    fx_buf_text(printer->buf, fx_buf_view(&head));
    colour(printer, RESET);
    fx_buf_finish_part(printer->buf, &head);
    const char *severity = is_note ? "note" : "warning";
    const char *rule = fx_analysis_rule_name(finding->rule);
    fx_buf_char(printer->buf, ' ');
    colour(printer, is_note ? CYAN : PURPLE);
    fx_buf_str(printer->buf, severity);
    colour(printer, RESET);
    fx_buf_printf(printer->buf, ": %s:", rule);
    column += strlen(severity) + strlen(rule) + strlen(" : :");
    fx_layout_wrap(printer->buf, fx_text_of(finding->text), column, INDENT);
}

static void print_label(const struct printer *printer, const char *label) {
    fx_buf_fill(printer->buf, ' ', LABEL_INDENT);
    fx_buf_str(printer->buf, label);
    fx_buf_fill(printer->buf, ' ', LABEL_WIDTH - strlen(label));
}

/* The policies that the head does not list. */
static void print_others(const struct printer *printer,
                         const struct fx_analysis_finding *finding) {
    for (size_t i = 1; i < finding->n_mutators; i++) {
        const struct fx_mutator *mutator = mutator_of(printer, finding->mutators[i]);
        print_label(printer, i == 1 ? "with" : "");
        fx_plain_add(printer->buf, fx_text_of(mutator->kind));
        fx_buf_char(printer->buf, '/');
        fx_plain_add(printer->buf, fx_text_of(mutator->full_name));
        fx_buf_str(printer->buf, ", ");
        print_place(printer->buf, mutator);
        fx_buf_char(printer->buf, '\n');
    }
}

/* Appends the beginning of a text. */
static void add_cut(struct fx_buf *buf, struct fx_text text) {
    size_t n = 0;
    while (text.len > 0 && n < VALUE_RUNES) {
        uint32_t rune = 0;
        const size_t len = fx_text_rune(text, &rune);
        fx_buf_add(buf, text.data, len);
        text = (struct fx_text){text.data + len, text.len - len};
        n++;
    }
    fx_buf_str(buf, text.len > 0 ? "…" : "");
}

static void add_value(const struct printer *printer, struct fx_buf *message,
                      json_t *value) {
    struct fx_buf whole = {0};
    json_t *revealed =
        fx_reveal_placeholders(printer->report->analysis->placeholders, value);
    fx_value_print(&whole, revealed);
    add_cut(message, fx_buf_view(&whole));
    message->failed =
        message->failed || whole.failed || (revealed == NULL && value != NULL);
    json_decref(revealed);
    fx_buf_finish(&whole);
}

/* "Always → Never → Always" */
static void print_values(const struct printer *printer,
                         const struct fx_analysis_finding *finding) {
    const bool is_order = finding->rule == FX_ANALYSIS_ORDER;
    struct fx_buf message = {0};
    for (size_t i = 0; i < finding->n_values; i++) {
        fx_buf_str(&message, i == 0 ? "" : is_order ? " or " : " → ");
        add_value(printer, &message, finding->values[i]);
    }
    print_label(printer, finding->n_values == 1 ? "value" : "values");
    fx_layout_wrap(printer->buf, fx_buf_view(&message), LABEL_INDENT + LABEL_WIDTH,
                   LABEL_INDENT + LABEL_WIDTH);
    fx_buf_finish_part(printer->buf, &message);
}

static void print_field(const struct printer *printer,
                        const struct fx_analysis_finding *finding) {
    if (finding->path[0] == '\0') {
        return;
    }
    struct fx_buf path = {0};
    fx_print_pointer(&path, finding->witness, fx_text_of(finding->path));
    print_label(printer, "field");
    fx_plain_add(printer->buf, fx_buf_view(&path));
    fx_buf_char(printer->buf, '\n');
    fx_buf_finish_part(printer->buf, &path);
}

/* Appends the YAML of an object, indented. */
static void print_yaml(const struct printer *printer, const json_t *object) {
    struct fx_buf yaml = {0};
    fx_yaml_write(&yaml, object);
    struct fx_text rest = {yaml.data, yaml.len};
    for (size_t line = 0; rest.len > 0 && line < WITNESS_LINES; line++) {
        const char *end = memchr(rest.data, '\n', rest.len);
        const size_t len = end == NULL ? rest.len : (size_t)(end - rest.data);
        fx_buf_fill(printer->buf, ' ', LABEL_INDENT + INDENT);
        fx_plain_add(printer->buf, (struct fx_text){rest.data, len});
        fx_buf_char(printer->buf, '\n');
        const size_t taken = end == NULL ? len : len + 1;
        rest = (struct fx_text){rest.data + taken, rest.len - taken};
    }
    if (rest.len > 0) {
        fx_buf_fill(printer->buf, ' ', LABEL_INDENT + INDENT);
        fx_buf_str(printer->buf, "…\n");
    }
    fx_buf_finish_part(printer->buf, &yaml);
}

/* Prints a given object by its file and line, and an object made by the analysis in
 * full. */
static void print_witness(const struct printer *printer,
                          const struct fx_analysis_finding *finding) {
    print_label(printer, "object");
    if (finding->origin != FX_ANALYSIS_MADE) {
        const struct fx_input_object *given =
            &printer->report->objects->items[finding->origin];
        fx_print_object(printer->buf, given->root);
        fx_buf_str(printer->buf, ", ");
        fx_plain_add(printer->buf, fx_text_of(given->file));
        fx_buf_printf(printer->buf, ":%u", (unsigned)given->line);
    } else {
        fx_buf_str(printer->buf, "such as this");
    }
    fx_buf_printf(printer->buf, ", on %s\n", fx_operation_name(finding->operation));
    if (finding->origin == FX_ANALYSIS_MADE) {
        print_yaml(printer, finding->witness);
    }
}

static void print_finding(const struct printer *printer,
                          const struct fx_analysis_finding *finding) {
    print_head(printer, finding);
    if (fx_analysis_rule_is_note(finding->rule)) {
        return;
    }
    print_others(printer, finding);
    print_field(printer, finding);
    if (finding->n_values > 0) {
        print_values(printer, finding);
    }
    print_witness(printer, finding);
}

/* ---- all findings ---------------------------------------------------------------- */

static void print_count(struct fx_buf *buf, const char *separator, size_t count,
                        const char *what) {
    fx_buf_printf(buf, "%s%zu %s%s", separator, count, what, count == 1 ? "" : "s");
}

size_t fx_check_count_warnings(const struct fx_analysis *analysis) {
    size_t count = analysis->n_more;
    for (size_t i = 0; i < analysis->n_findings; i++) {
        count += !fx_analysis_rule_is_note(analysis->findings[i].rule);
    }
    return count;
}

/* Appends all findings, but at most NOTES_MAX notes, as each mutator may have one. */
static void print_findings(const struct printer *printer) {
    const struct fx_analysis *analysis = printer->report->analysis;
    size_t n_notes = 0;
    for (size_t i = 0; i < analysis->n_findings; i++) {
        const struct fx_analysis_finding *finding = &analysis->findings[i];
        n_notes += fx_analysis_rule_is_note(finding->rule);
        if (n_notes <= NOTES_MAX) {
            print_finding(printer, finding);
        }
    }
    if (n_notes > NOTES_MAX) {
        fx_buf_printf(printer->buf, "note: and %zu more such notes; -o json has all\n",
                      n_notes - NOTES_MAX);
    }
    if (analysis->n_more > 0) {
        fx_buf_printf(printer->buf, "warning: and %zu more\n", analysis->n_more);
    }
}

/* Prints what was not analysed. */
static void print_limits(const struct printer *printer) {
    const struct fx_analysis *analysis = printer->report->analysis;
    struct fx_buf message = {0};
    if (analysis->n_untried > 0) {
        fx_buf_str(&message,
                   "note: no object was found on which these act; give one with "
                   "-f, or the Namespace that a selector needs:");
        for (size_t i = 0; i < analysis->n_untried && i < NOTES_MAX; i++) {
            const struct fx_mutator *mutator = mutator_of(printer, analysis->untried[i]);
            fx_buf_printf(&message, "%s %s/%s", i == 0 ? "" : ",", mutator->kind,
                          mutator->full_name);
        }
        fx_buf_str(&message, analysis->n_untried > NOTES_MAX ? ", …" : "");
        fx_layout_wrap(printer->buf, fx_buf_view(&message), 0, INDENT);
    }
    fx_buf_finish_part(printer->buf, &message);
    if (analysis->n_skipped > 0) {
        fx_buf_printf(printer->buf,
                      "note: there are too many mutators: %zu combinations were not "
                      "tried\n",
                      analysis->n_skipped);
    }
}

void fx_check_print_text(struct fx_buf *buf, const struct fx_check_report *report,
                         bool colour_) {
    const struct printer printer = {buf, report, colour_};
    const struct fx_policies *policies = report->policies;
    const struct fx_findings *findings = &policies->findings;
    for (size_t i = 0; i < findings->n_items; i++) {
        fx_finding_print(buf, &findings->items[i], colour_);
    }
    for (size_t i = 0; i < report->types->n_items; i++) {
        fx_finding_print(buf, &report->types->findings.items[i], colour_);
    }
    print_findings(&printer);
    print_limits(&printer);
    const size_t n_warnings = fx_check_count_warnings(report->analysis);
    const size_t n_notes =
        report->analysis->n_findings + report->analysis->n_more - n_warnings;
    print_count(buf, "", policies->n_files, "file");
    print_count(buf, ", ", policies->snapshot->n_mutators, "mutator");
    print_count(buf, ": ", fx_findings_count(findings, FX_SEVERITY_ERROR), "error");
    print_count(buf, ", ", fx_findings_count(findings, FX_SEVERITY_CONFLICT), "conflict");
    print_count(buf, ", ",
                fx_findings_count(findings, FX_SEVERITY_WARNING) +
                    report->types->n_items + n_warnings,
                "warning");
    if (n_notes > 0) {
        print_count(buf, ", ", n_notes, "note");
    }
    fx_buf_char(buf, '\n');
}
