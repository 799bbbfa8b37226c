/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print.h - prints results for people and for programs. Texts in results may be
 * hostile: each format escapes what would break out of it.
 */
#ifndef FX_SUITE_PRINT_H
#define FX_SUITE_PRINT_H

#include <stdbool.h>

#include "base/buf.h"
#include "suite/run.h"

#define FX_SUITE_FORMATS(X)                                                          \
    X(TEXT, text)     /* as `go test` prints */                                      \
    X(JUNIT, junit)   /* JUnit's XML */                                              \
    X(TAP, tap)       /* the Test Anything Protocol, version 14 */                   \
    X(JSON, json)     /* one event per line, as `go test -json`, with more fields */ \
    X(GITHUB, github) /* commands to a GitHub workflow */

enum fx_suite_format {
#define X(name, word) FX_SUITE_FORMAT_##name,
    FX_SUITE_FORMATS(X)
#undef X
};

extern const char *const fx_suite_format_words[]; /* NULL ends */

struct fx_suite_style {
    bool verbose; /* TEXT: also cases that passed or were skipped */
    bool colour;  /* TEXT */
};

/* Appends all results in the format. Failure sticks in `buf`. */
void fx_suite_print(struct fx_buf *buf, enum fx_suite_format format,
                    const struct fx_suite_results *results,
                    const struct fx_suite_style *style);

#endif
