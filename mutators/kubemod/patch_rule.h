/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/patch_rule.h - private: the `patch` of a ModRule (spec section 5.1):
 * all operations are computed from the object before the rule, then applied in order.
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
    struct steps steps;    /* of the path as it is written, where it is … */
    bool is_known;         /* … not too long */
    bool has_placeholders; /* for the keys that a select found */
    struct patch_value value;
};

/* Parses the path into steps. False without memory. */
bool fx_patch_operation_set_path(struct patch_operation *operation,
                                 struct fx_text path) FX_MUST_USE;

void fx_patch_operation_finish(struct patch_operation *operation); /* zeroed is fine */

/* One operation that was computed. */
struct planned {
    enum operation operation;
    struct fx_text text;       /* the path: the rule's, or … */
    const struct steps *fixed; /* the rule's; NULL: */
    struct steps steps;        /* its own */
    char *path;                /* … its own */
    json_t *value;             /* counted */
};

static inline const struct steps *fx_planned_steps(const struct planned *planned) {
    return planned->fixed != NULL ? planned->fixed : &planned->steps;
}

struct plan {
    struct planned *items;
    size_t n_items, cap_items;
    struct planned few[2]; /* most plans have no more */
};

void fx_plan_init(struct plan *plan);
void fx_plan_finish(struct plan *plan);

/* Computes all operations. Errors: FX_EMUTATE, FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM, with
 * the prefix "spec.patch[0]: " if the rule causes it. */
bool fx_plan_make(const struct patch_operation *patch, size_t n_patch,
                  const struct fx_request *request, json_t *root, struct plan *ret_plan,
                  struct fx_err *err) FX_MUST_USE;

/* Are all operations plain (fx_operation_is_plain()), each on its own? */
bool fx_plan_is_plain(const struct plan *plan, const json_t *root, bool *ret_changes);

/* Applies the operations in order. After a failure the caller drops *root. Errors: those
 * of fx_operation_apply(). */
bool fx_plan_apply(const struct plan *plan, json_t **root,
                   struct fx_err *err) FX_MUST_USE;

#endif
