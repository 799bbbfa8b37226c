/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/run.h - running suites, and what came of each case.
 */
#ifndef FX_SUITE_RUN_H
#define FX_SUITE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "suite/expect.h"
#include "suite/filter.h"
#include "suite/suite.h"

#define FX_SUITE_STATUSES(X)                      \
    X(PASS, "pass")                               \
    X(FAIL, "fail")   /* it is not as expected */ \
    X(SKIP, "skip")   /* nobody looked */         \
    X(ERROR, "error") /* the suite, a policy or an object is invalid */

enum fx_suite_status {
#define X(name, text) FX_SUITE_##name,
    FX_SUITE_STATUSES(X)
#undef X
        FX_SUITE_N_STATUSES,
};

const char *fx_suite_status_name(enum fx_suite_status status);

/* What came of a case; of a test or a suite where it was not even looked at case by case.
 * Texts are its own, except `path`. */
struct fx_suite_result {
    const char *path; /* of the suite */
    char *name;       /* "suite/test/case" */
    char *reason;     /* why it did not pass; or a note to one that did; or NULL */
    char *diff;       /* unified, or NULL */
    char *file;       /* where to look */
    uint32_t line;
    enum fx_suite_status status;
    uint64_t ns; /* how long it took */

    const struct fx_suite_case *case_; /* or NULL */
    struct fx_objects got;             /* what came out; kept for an update */
};

struct fx_suite_results {
    struct fx_suite_result *items; /* those of a suite beside one another */
    size_t n_items, cap_items;
    size_t counts[FX_SUITE_N_STATUSES];
    size_t n_unchecked; /* that passed, with assertions that nobody looked at */
};

void fx_suite_results_finish(
    struct fx_suite_results *results); /* NULL, zeroed are fine */

struct fx_suite_plan {
    const struct fx_suite_filter *filter; /* or NULL */
    bool keeps;                           /* what came out is kept for an update */
    bool colour;                          /* of diffs */
};

/* Runs what the filter lets through. A case that is wrong in itself is told to the host,
 * and its result is an ERROR. Errors: only such as are ours (base/err.h). */
bool fx_suites_run(const struct fx_suites *suites, const struct fx_suite_plan *plan,
                   struct fx_suite_results *ret_results, struct fx_err *err) FX_MUST_USE;

/* Writes what came out of each case that failed over the file that says what was
 * expected, where it is one (or would be, in a folder), and lets the result pass. A file
 * that another case has as well is written only where both want the same; the object
 * of the case itself is never written over, nor is a policy or a suite. Words of what
 * was done and why not go to `words`. Errors: FX_EIO, FX_ENOMEM; what was written stays.
 */
bool fx_suites_update(const struct fx_suites *suites, struct fx_suite_results *results,
                      struct fx_buf *words, struct fx_err *err) FX_MUST_USE;

#endif
