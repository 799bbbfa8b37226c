/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print_text.c - for people, as they know it from `go test`:
 *
 *   --- FAIL: sidecar/inject/adds (0.000s)
 *       tests/suite.yaml:12: the mutated object differs from the expected object
 *       --- expected/adds.yaml
 *       +++ mutated
 *       …
 *   FAIL	tests/suite.yaml	0.003s
 */
#include <string.h>

#include "policy/plain.h"
#include "suite/print_forms.h"

#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define NORMAL "\033[0m"

static const struct {
    const char *word, *colour;
} statuses[] = {
    [FX_SUITE_PASS] = {"PASS", GREEN},
    [FX_SUITE_FAIL] = {"FAIL", RED},
    [FX_SUITE_SKIP] = {"SKIP", YELLOW},
    [FX_SUITE_ERROR] = {"FAIL", RED},
};

static void print_word(struct fx_buf *buf, const char *word, const char *colour,
                       bool coloured) {
    fx_buf_str(buf, coloured ? colour : "");
    fx_buf_str(buf, word);
    fx_buf_str(buf, coloured ? NORMAL : "");
}

/* The lines, each behind four blanks. Only colours of our own are in a diff: the values
 * in it are YAML, which writes control characters as escapes. */
static void print_indented(struct fx_buf *buf, const char *text) {
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");
        fx_buf_str(buf, "    ");
        fx_buf_add(buf, text, len);
        fx_buf_char(buf, '\n');
        text += text[len] == '\n' ? len + 1 : len;
    }
}

static void print_result(struct fx_buf *buf, const struct fx_suite_result *result,
                         const struct fx_suite_style *style) {
    const bool fails =
        result->status == FX_SUITE_FAIL || result->status == FX_SUITE_ERROR;
    if (!fails && !style->verbose) {
        return;
    }
    fx_buf_str(buf, "--- ");
    print_word(buf, statuses[result->status].word, statuses[result->status].colour,
               style->colour);
    fx_buf_str(buf, ": ");
    fx_plain_add(buf, fx_text_of(result->name));
    fx_buf_str(buf, " (");
    fx_suite_print_seconds(buf, result->ns);
    fx_buf_str(buf, "s)\n");
    if (result->reason != NULL) {
        fx_buf_str(buf, "    ");
        if (fails) {
            fx_suite_print_reason(buf, result);
        } else {
            fx_plain_add(buf, fx_text_of(result->reason));
        }
        fx_buf_char(buf, '\n');
    }
    if (result->diff != NULL) {
        print_indented(buf, result->diff);
    }
}

/* The one reason for which all that were skipped were skipped; NULL where there are
 * several. */
static const char *common_reason(const struct fx_suite_span *span) {
    const char *reason = NULL;
    for (size_t i = 0; i < span->n_items; i++) {
        const struct fx_suite_result *result = &span->items[i];
        if (result->status != FX_SUITE_SKIP) {
            continue;
        }
        if (reason != NULL && strcmp(reason, result->reason) != 0) {
            return NULL;
        }
        reason = result->reason;
    }
    return reason;
}

static void print_skipped(struct fx_buf *buf, const struct fx_suite_span *span) {
    const size_t count = span->counts[FX_SUITE_SKIP];
    if (count == 0) {
        return;
    }
    const char *reason = common_reason(span);
    fx_buf_printf(buf, "\t[%zu skipped%s%s]", count, reason != NULL ? ": " : "",
                  reason != NULL ? reason : "");
}

static void print_suite(struct fx_buf *buf, const struct fx_suite_span *span,
                        const struct fx_suite_style *style) {
    for (size_t i = 0; i < span->n_items; i++) {
        print_result(buf, &span->items[i], style);
    }
    if (span->counts[FX_SUITE_FAIL] + span->counts[FX_SUITE_ERROR] > 0) {
        print_word(buf, "FAIL", RED, style->colour);
    } else if (span->counts[FX_SUITE_PASS] > 0) {
        print_word(buf, "ok  ", GREEN, style->colour);
    } else {
        print_word(buf, "?   ", YELLOW, style->colour);
    }
    fx_buf_char(buf, '\t');
    fx_plain_add(buf, fx_text_of(span->items[0].path));
    fx_buf_char(buf, '\t');
    fx_suite_print_seconds(buf, span->ns);
    fx_buf_char(buf, 's');
    print_skipped(buf, span);
    fx_buf_char(buf, '\n');
}

static void print_count(struct fx_buf *buf, const char *before, size_t count,
                        const char *what) {
    if (count > 0) {
        fx_buf_printf(buf, "%s%zu %s", before, count, what);
    }
}

static void print_summary(struct fx_buf *buf, const struct fx_suite_results *results,
                          size_t n_suites, const struct fx_suite_style *style) {
    const size_t *counts = results->counts;
    const enum fx_suite_status status = counts[FX_SUITE_FAIL] + counts[FX_SUITE_ERROR] > 0
                                            ? FX_SUITE_FAIL
                                        : counts[FX_SUITE_PASS] > 0 ? FX_SUITE_PASS
                                                                    : FX_SUITE_SKIP;
    print_word(buf, statuses[status].word, statuses[status].colour, style->colour);
    fx_buf_printf(buf, "\n%zu suite%s: %zu passed", n_suites, n_suites == 1 ? "" : "s",
                  counts[FX_SUITE_PASS]);
    print_count(buf, ", ", counts[FX_SUITE_FAIL], "failed");
    print_count(buf, ", ", counts[FX_SUITE_ERROR], "invalid");
    print_count(buf, ", ", counts[FX_SUITE_SKIP], "skipped");
    print_count(buf, "; of those passed, ", results->n_unchecked,
                "with assertions that were ignored");
    fx_buf_char(buf, '\n');
}

void fx_suite_print_text(struct fx_buf *buf, const struct fx_suite_results *results,
                         const struct fx_suite_style *style) {
    size_t at = 0;
    size_t n_suites = 0;
    for (;;) {
        const struct fx_suite_span span = fx_suite_span_next(results, &at);
        if (span.n_items == 0) {
            break;
        }
        print_suite(buf, &span, style);
        n_suites++;
    }
    print_summary(buf, results, n_suites, style);
}
