/* SPDX-License-Identifier: Apache-2.0
 *
 * base/linediff.h - the difference of two texts, line by line, in unified form.
 */
#ifndef FX_BASE_LINEDIFF_H
#define FX_BASE_LINEDIFF_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* The names in the header, after `--- ` and `+++ `. */
struct fx_linediff_names {
    const char *before, *after;
};

/* Appends the hunks that turn `before` into `after`, each with three lines of context,
 * and a header before them; nothing if the texts are equal. Texts that differ in more
 * than a thousand lines give one hunk from the first to the last difference. `colour`
 * adds ANSI colours. Errors: FX_ENOMEM. */
bool fx_linediff_unified(struct fx_buf *buf, struct fx_text before, struct fx_text after,
                         const struct fx_linediff_names *names, bool colour,
                         struct fx_err *err) FX_MUST_USE;

#endif
