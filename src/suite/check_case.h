/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/check_case.h - one case: the files it names (policies, each set compiled once,
 * and objects with the request in which they are sent), the request, and the comparison
 * with what is expected. Private to this room.
 */
#ifndef FX_SUITE_CHECK_CASE_H
#define FX_SUITE_CHECK_CASE_H

#include "policy/namespaces.h"
#include "suite/run.h"

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

/* The state of reading files: a fault is reported to the host, and stands in `bad`,
 * which has no reason before. Errors: FX_ENOMEM, in `err`. */
struct fx_suite_reading {
    const struct fx_suite_host *host;
    struct fx_suite_bad_file *bad;
    struct fx_err *err;
};

/* Appends the objects of the file, which is named in `source` (NULL: on the command line
 * or by a folder). */
bool fx_suite_read_objects(const struct fx_suite_reading *reading,
                           const struct fx_suite_path *path,
                           const struct fx_suite_source *source,
                           struct fx_objects *ret_objects) FX_MUST_USE;

/* The objects of a case, and the request in which they are sent. */
struct fx_case_context {
    struct fx_objects objects, old; /* old: none, or as many */
    struct fx_namespaces namespaces;
    json_t *review; /* counted: the AdmissionReview in the object's file, or NULL */
    const char *operation, *user; /* user may be NULL */
    const char **groups;
    size_t n_groups;
    const char **own_groups;      /* those of the review; or NULL */
    struct fx_suite_bad_file bad; /* an invalid file; then nothing else is valid */
};

void fx_case_context_finish(struct fx_case_context *context); /* NULL, zeroed are fine */

/* Reads the files of the case. Where the object's file holds an AdmissionReview, as gator
 * allows, the object, the old one, the operation and the user are those of its request,
 * unless the case sets them. `given` are the Namespaces of the policies. An invalid file
 * is reported to the host, and stands in `bad`. Errors: FX_ENOMEM. */
bool fx_case_context_read(const struct fx_suite_test *test,
                          const struct fx_suite_case *case_,
                          const struct fx_namespaces *given,
                          const struct fx_suite_host *host,
                          struct fx_case_context *ret_context,
                          struct fx_err *err) FX_MUST_USE;

struct fx_suite_trial {
    const struct fx_suite_host *host;
    struct fx_suite_inputs *inputs;
    const struct fx_suite_test *test;
    const struct fx_suite_case *case_;
    bool keeps, colour; /* as in struct fx_suite_plan */
};

/* Fills in status, reason, diff, the objects to keep, and file and line of a fault.
 * Errors: our own only (base/err.h). */
bool fx_suite_check_case(const struct fx_suite_trial *trial,
                         struct fx_suite_result *ret_result,
                         struct fx_err *err) FX_MUST_USE;

#endif
