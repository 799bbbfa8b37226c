/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print.c - what all formats share.
 */
#include "suite/print.h"

#include <string.h>

#include "policy/plain.h"
#include "suite/print_forms.h"

const char *const fx_suite_format_words[] = {
#define X(name, word) [FX_SUITE_FORMAT_##name] = #word,
    FX_SUITE_FORMATS(X)
#undef X
        NULL,
};

static void (*const printers[])(struct fx_buf *, const struct fx_suite_results *,
                                const struct fx_suite_style *) = {
#define X(name, word) [FX_SUITE_FORMAT_##name] = fx_suite_print_##word,
    FX_SUITE_FORMATS(X)
#undef X
};

void fx_suite_print(struct fx_buf *buf, enum fx_suite_format format,
                    const struct fx_suite_results *results,
                    const struct fx_suite_style *style) {
    printers[format](buf, results, style);
}

struct fx_suite_span fx_suite_span_next(const struct fx_suite_results *results,
                                        size_t *at) {
    struct fx_suite_span span = {.items = results->items + *at};
    while (*at < results->n_items &&
           strcmp(results->items[*at].path, span.items[0].path) == 0) {
        const struct fx_suite_result *result = &results->items[(*at)++];
        span.counts[result->status]++;
        span.ns += result->ns;
        span.n_items++;
    }
    return span;
}

void fx_suite_print_seconds(struct fx_buf *buf, uint64_t ns) {
    const uint64_t ms = (ns + 500000) / 1000000;
    fx_buf_printf(buf, "%llu.%03u", (unsigned long long)(ms / 1000),
                  (unsigned)(ms % 1000));
}

void fx_suite_print_reason(struct fx_buf *buf, const struct fx_suite_result *result) {
    fx_plain_add(buf, fx_text_of(result->file));
    if (result->line > 0) {
        fx_buf_printf(buf, ":%u", (unsigned)result->line);
    }
    fx_buf_str(buf, ": ");
    fx_plain_add(buf, fx_text_of(result->reason));
}
