/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/context.h - the objects of a case, and the request in which they are sent.
 * Private to this room.
 */
#ifndef FX_SUITE_CONTEXT_H
#define FX_SUITE_CONTEXT_H

#include "policy/namespaces.h"
#include "suite/inputs.h"

struct fx_case_context {
    struct fx_objects objects, old; /* old: none, or as many */
    struct fx_namespaces namespaces;
    json_t
        *review; /* counted: the AdmissionReview that the object's file holds, or NULL */
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

#endif
