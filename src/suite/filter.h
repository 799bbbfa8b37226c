/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/filter.h - which cases are to be run.
 */
#ifndef FX_SUITE_FILTER_H
#define FX_SUITE_FILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_suite_filter; /* opaque */

/* Reads a regular expression that a case's full name, "suite/test/case", is to match
 * anywhere; or, as gator has it, two with `//` between them, for the name of the test and
 * that of the case. Errors: those of fx_regex_compile(). */
bool fx_suite_filter_create(struct fx_text text, struct fx_suite_filter **ret_filter,
                            struct fx_err *err) FX_MUST_USE;
void fx_suite_filter_destroy(struct fx_suite_filter *filter); /* NULL is fine */

/* Is the case to be run? `filter` NULL: every one is. `test` is that of a folder's case
 * where it is NULL: then only its own name counts. */
bool fx_suite_filter_fits(const struct fx_suite_filter *filter, const char *full_name,
                          const char *test, const char *case_);

#endif
