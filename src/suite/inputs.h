/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/inputs.h - the files that cases name: policies, each set compiled once, and
 * objects. Private to this room.
 */
#ifndef FX_SUITE_INPUTS_H
#define FX_SUITE_INPUTS_H

#include "suite/expect.h"
#include "suite/suite.h"

/* The fault of a file. Texts are its own. */
struct fx_suite_bad_file {
    char *file, *reason; /* reason NULL: no fault */
    uint32_t line;
};

/* Policies by the paths that name them. */
struct fx_suite_policies {
    const struct fx_suite_paths *paths; /* borrowed from the first test that has them */
    struct fx_policies *policies;       /* may be NULL if `bad` has a reason */
    struct fx_suite_bad_file bad;
};

struct fx_suite_inputs {
    struct fx_suite_policies *items;
    size_t n_items, cap_items;
};

void fx_suite_inputs_finish(struct fx_suite_inputs *inputs); /* NULL, zeroed are fine */

void fx_suite_bad_file_finish(struct fx_suite_bad_file *bad);

/* The policies of the test, borrowed. Their faults are reported once. NULL without
 * memory. */
const struct fx_suite_policies *fx_suite_inputs_policies(struct fx_suite_inputs *inputs,
                                                         const struct fx_suite_test *test,
                                                         const struct fx_suite_host *host,
                                                         struct fx_err *err) FX_MUST_USE;

/* Appends the objects of the file, which is named in `source` (NULL: on the command line
 * or by a folder). A fault is reported to the host, and stands in `ret_bad`. Errors:
 * FX_ENOMEM. */
bool fx_suite_read_objects(const struct fx_suite_path *path,
                           const struct fx_suite_source *source,
                           const struct fx_suite_host *host,
                           struct fx_objects *ret_objects,
                           struct fx_suite_bad_file *ret_bad,
                           struct fx_err *err) FX_MUST_USE;

/* The same for a path that may be a folder: of every file in it. */
bool fx_suite_read_all(const struct fx_suite_path *path,
                       const struct fx_suite_source *source,
                       const struct fx_suite_host *host, struct fx_objects *ret_objects,
                       struct fx_suite_bad_file *ret_bad, struct fx_err *err) FX_MUST_USE;

#endif
