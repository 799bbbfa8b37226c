/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/patch_rule.h - private: the `patch` of a ModRule (spec section 5.1):
 * all operations are computed from the object before the rule, then they are applied in
 * order.
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
#include "engine/request.h"
#include "location/jsonpath/jsonpath.h"
#include "mutators/kubemod/operations.h"
#include "mutators/kubemod/value.h"

/* One entry of `patch`. */
struct patch_operation {
    enum operation operation;
    struct fx_jsonpath *select; /* or NULL */
    char *path;
    size_t path_len;
    struct steps steps;    /* the steps of the path as written, if it `is_known` */
    bool is_known;         /* the path is not too long */
    bool has_placeholders; /* placeholders for the keys that a select found */
    struct patch_value value;
};

/* Parses the path into steps. False if out of memory. */
bool fx_patch_operation_set_path(struct patch_operation *operation,
                                 struct fx_text path) FX_MUST_USE;

void fx_patch_operation_finish(struct patch_operation *operation); /* zeroed is fine */

/* An operation of a plan. */
struct planned {
    enum operation operation;
    struct fx_text text;       /* the path: the rule's, or `path` */
    const struct steps *fixed; /* the steps of the rule; NULL if `steps` is used */
    struct steps steps;        /* steps of this operation alone */
    char *path;                /* the text of this operation alone */
    json_t *value;             /* counted */
};

static inline const struct steps *fx_planned_steps(const struct planned *planned) {
    return planned->fixed != NULL ? planned->fixed : &planned->steps;
}

struct plan {
    struct planned *items;
    size_t n_items, cap_items;
    struct planned few[2]; /* most plans have at most two */
};

void fx_plan_init(struct plan *plan);
void fx_plan_finish(struct plan *plan);

/* Computes all operations. Errors: FX_EMUTATE, FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM, with
 * the prefix "spec.patch[0]: " if the rule causes it. */
bool fx_plan_make(const struct patch_operation *patch, size_t n_patch,
                  const struct fx_request *request, json_t *root, struct plan *ret_plan,
                  struct fx_err *err) FX_MUST_USE;

/* True if all operations are plain (fx_operation_is_plain()), and do not overlap. */
bool fx_plan_is_plain(const struct plan *plan, const json_t *root, bool *ret_changes);

/* Applies the operations in order. After a failure the caller drops *root. Errors: those
 * of fx_operation_apply(). */
bool fx_plan_apply(const struct plan *plan, json_t **root,
                   struct fx_err *err) FX_MUST_USE;

#endif
