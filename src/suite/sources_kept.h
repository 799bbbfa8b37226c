/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/sources_kept.h - the files that an update must never write over, by whatever
 * path they are named. Private to this room.
 */
#ifndef FX_SUITE_SOURCES_KEPT_H
#define FX_SUITE_SOURCES_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "suite/suite.h"

struct fx_suite_file; /* opaque */

struct fx_suite_kept {
    struct fx_suite_file *items;
    size_t n_items, cap_items;
};

/* Looks up the suites themselves, and every policy that they name as a file. Folders do
 * not count: what is expected may well stand in one. Nor do objects: what one case
 * expects may well be what another begins with. Errors: FX_ENOMEM. */
bool fx_suite_kept_init(struct fx_suite_kept *kept, const struct fx_suites *suites,
                        struct fx_err *err) FX_MUST_USE;
void fx_suite_kept_finish(struct fx_suite_kept *kept); /* NULL, zeroed are fine */

/* Is it one of them? */
bool fx_suite_kept_has(const struct fx_suite_kept *kept, const char *path);

/* Do both paths lead to one file? */
bool fx_suite_same_file(const char *a, const char *b);

#endif
