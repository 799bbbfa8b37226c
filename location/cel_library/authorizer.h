/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/authorizer.h - the variables `authorizer` and
 * `authorizer.requestResource` (spec/cel.md section 7, spec/mutating-admission-policy.md
 * section 13): who asks, and the function that answers access reviews.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_AUTHORIZER_H
#define FX_LOCATION_CEL_LIBRARY_AUTHORIZER_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"
#include "location/cel/run.h"
#include "location/cel/type.h"
#include "location/cel/value.h"

/* The types of `authorizer` and of `authorizer.requestResource`. */
extern const struct fx_cel_type fx_cel_authorizer, fx_cel_resource_check;

/* Whom an access review is about. `user` is the `userInfo` of the request, borrowed;
 * NULL: the service account with this namespace and name, which are valid names. Its
 * groups are system:serviceaccounts and system:serviceaccounts:NAMESPACE. */
struct fx_cel_access_subject {
    const json_t *user;
    struct fx_text account_namespace, account_name;
};

/* What an expression asks: may this subject do this? Missing texts are empty. */
struct fx_cel_access_review {
    struct fx_cel_access_subject subject;
    struct fx_text verb;
    bool has_path; /* the URL `path`, as written; else the resource */
    struct fx_text path;
    /* The version is always "*". */
    struct fx_text group, resource, subresource, namespace_, name;
    struct fx_text field_selector, label_selector; /* as written, if they were given */
    bool has_field_selector, has_label_selector;
};

enum fx_cel_access {
    FX_CEL_ACCESS_NO_OPINION,
    FX_CEL_ACCESS_ALLOWED,
    FX_CEL_ACCESS_DENIED
};

/* The answer. */
struct fx_cel_access_decision {
    enum fx_cel_access access;
    struct fx_text reason; /* valid as long as the run's arena */
    struct fx_text error;  /* empty: the authorizer did not fail */
};

/* Answers a review. FX_EMUTATE is the error() of the decision; other failures end the
 * evaluation: FX_EINPUT (the answer must be fetched first), FX_ENOMEM, FX_EDEADLINE. */
typedef bool fx_cel_review(void *context, struct fx_cel_run *run,
                           const struct fx_cel_access_review *review,
                           struct fx_cel_access_decision *ret_decision,
                           struct fx_err *err);

/* The authorizer of a request; it must outlive the run. */
struct fx_cel_authorizer {
    const json_t *user; /* `userInfo` of the request, borrowed */
    fx_cel_review *review;
    void *context; /* of `review` */
};

/* The value of the variable `authorizer`; fatal without memory. */
struct fx_cel_value fx_cel_make_authorizer(struct fx_cel_run *run,
                                           const struct fx_cel_authorizer *authorizer);

/* The value of `authorizer.requestResource`: asks for the resource with these members of
 * `request` (group, resource, subresource, namespace_ and name); its texts are borrowed.
 */
struct fx_cel_value
fx_cel_make_request_resource(struct fx_cel_run *run,
                             const struct fx_cel_authorizer *authorizer,
                             const struct fx_cel_access_review *request);

#endif
