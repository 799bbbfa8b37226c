/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/patch_rule.h - private: the `patch` of a ModRule (spec section 5.1):
 * all its operations are computed from the object as the rule finds it, then applied one
 * after another.
 */
#ifndef FX_MUTATORS_KUBEMOD_PATCH_RULE_H
#define FX_MUTATORS_KUBEMOD_PATCH_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/jsonpath/jsonpath.h"
#include "mutators/kubemod/operations.h"
#include "mutators/kubemod/value.h"

/* One entry of `patch`. */
struct patch_operation {
    enum operation operation;
    struct fx_jsonpath *select; /* or NULL */
    char *path;
    size_t path_len;
    struct patch_value value;
};

void fx_patch_operation_finish(struct patch_operation *operation); /* zeroed is fine */

/* What it is applied under. */
struct patch_circumstances {
    struct fx_text namespace_;
    uint64_t deadline_ns; /* 0: none */
    size_t *text_left;    /* of the request (engine/request.h), or NULL */
};

/* One operation that was computed. */
struct planned {
    enum operation operation;
    char *path; /* its own */
    struct fx_text text;
    struct steps steps;
    json_t *value; /* counted */
};

struct plan {
    struct planned *items;
    size_t n_items, cap_items;
};

void fx_plan_finish(struct plan *plan); /* zeroed is fine */

/* Computes all operations. Errors: FX_EMUTATE, FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM, with
 * "spec.patch[0]: " in front where it is the rule's. */
bool fx_plan_make(const struct patch_operation *patch, size_t n_patch,
                  const struct patch_circumstances *circumstances, json_t *root,
                  struct plan *ret_plan, struct fx_err *err) FX_MUST_USE;

/* Applies them, in order; after a failure *root is a tree to be dropped. Errors as those
 * of fx_operation_apply(). */
bool fx_plan_apply(const struct plan *plan, json_t **root,
                   struct fx_err *err) FX_MUST_USE;

#endif
