/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print_forms.h - one function for each format, and what they share. Private to
 * this room.
 */
#ifndef FX_SUITE_PRINT_FORMS_H
#define FX_SUITE_PRINT_FORMS_H

#include "suite/print.h"

#define X(name, word)                                                               \
    void fx_suite_print_##word(struct fx_buf *buf, const struct fx_suite_results *, \
                               const struct fx_suite_style *style);
FX_SUITE_FORMATS(X)
#undef X

/* The results of one suite. */
struct fx_suite_span {
    const struct fx_suite_result *items;
    size_t n_items;
    size_t counts[FX_SUITE_N_STATUSES];
    uint64_t ns;
};

/* The next suite's results, from *at on, which moves behind them; n_items 0 at the end.
 */
struct fx_suite_span fx_suite_span_next(const struct fx_suite_results *results,
                                        size_t *at);

/* Appends nanoseconds as seconds: "0.003". */
void fx_suite_print_seconds(struct fx_buf *buf, uint64_t ns);

/* Appends "suite.yaml:12: " (no line where there is none) and the reason. */
void fx_suite_print_reason(struct fx_buf *buf, const struct fx_suite_result *result);

#endif
