/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/check_case.h - one case: its files (policies, each set compiled once, and
 * objects), the request in which the objects are sent, and the comparison with the
 * expectations. Private to this room.
 */
#ifndef FX_SUITE_CHECK_CASE_H
#define FX_SUITE_CHECK_CASE_H

#include "policy/namespaces.h"
#include "suite/run.h"

/* An invalid file. Owns its texts. */
struct fx_suite_bad_file {
    char *file, *reason; /* `reason` NULL: the files are valid */
    uint32_t line;
};

/* A compiled set of policies, identified by its paths. */
struct fx_suite_policies {
    const struct fx_suite_paths *paths; /* borrowed from the first test that names them */
    struct fx_policies *policies;       /* may be NULL if `bad` has a reason */
    struct fx_suite_bad_file bad;
};

struct fx_rule_session; /* rule_results.h */

struct fx_suite_inputs {
    struct fx_suite_policies *items;
    size_t n_items, cap_items;
    struct fx_rule_session **sessions; /* one for each document of kind Test */
    size_t n_sessions, cap_sessions;
};

void fx_suite_inputs_finish(
    struct fx_suite_inputs *inputs); /* NULL and zeroed are fine */

void fx_suite_bad_file_finish(struct fx_suite_bad_file *bad);

/* The policies of the test, borrowed. Their errors are reported only once. NULL without
 * memory. */
const struct fx_suite_policies *fx_suite_inputs_policies(struct fx_suite_inputs *inputs,
                                                         const struct fx_suite_test *test,
                                                         const struct fx_suite_host *host,
                                                         struct fx_err *err) FX_MUST_USE;

/* The state of reading files. An error in a file is reported to the host and stored in
 * `bad`, which has no reason before. Errors: FX_ENOMEM, in `err`. */
struct fx_suite_reading {
    const struct fx_suite_host *host;
    struct fx_suite_bad_file *bad;
    struct fx_err *err;
};

/* Reads the bytes of the file, which may be an object or more. `source` is that of
 * fx_suite_read_objects(). The caller finishes `text`. */
bool fx_suite_read_text(const struct fx_suite_reading *reading,
                        const struct fx_suite_path *path,
                        const struct fx_suite_source *source,
                        struct fx_buf *text) FX_MUST_USE;

/* Appends the objects of the file. `source` is the suite that names it; NULL: the command
 * line or a folder names it. */
bool fx_suite_read_objects(const struct fx_suite_reading *reading,
                           const struct fx_suite_path *path,
                           const struct fx_suite_source *source,
                           struct fx_objects *ret_objects) FX_MUST_USE;

/* The same for a file, or for every file of a folder. */
bool fx_suite_read_all(const struct fx_suite_reading *reading,
                       const struct fx_suite_path *path,
                       const struct fx_suite_source *source,
                       struct fx_objects *ret_objects) FX_MUST_USE;

/* The objects of a case, and the request in which they are sent. */
struct fx_case_context {
    struct fx_objects objects, old; /* `old`: empty, or one for each object */
    struct fx_namespaces namespaces;
    json_t *review; /* counted: the AdmissionReview in the object's file, or NULL */
    const char *operation, *user; /* user may be NULL */
    const char **groups;
    size_t n_groups;
    const char **own_groups; /* the groups of the review; or NULL */
    /* An invalid file: then the other members are not set. */
    struct fx_suite_bad_file bad;
};

void fx_case_context_finish(
    struct fx_case_context *context); /* NULL and zeroed are fine */

/* Reads the files of the case. If the object's file contains an AdmissionReview (gator
 * allows this), its request sets object, old object, operation and user, unless the case
 * does. `given`: the Namespaces of the policies. An invalid file is reported to the host
 * and stored in `bad`. Errors: FX_ENOMEM. */
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

/* Sets the status, reason, diff, objects to keep, and the file and line of an error.
 * Errors: our own only (base/err.h). */
bool fx_suite_check_case(const struct fx_suite_trial *trial,
                         struct fx_suite_result *ret_result,
                         struct fx_err *err) FX_MUST_USE;

#endif
