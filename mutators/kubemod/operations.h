/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/operations.h - private: JSON Patch operations as KubeMod applies them
 * (spec section 5.4): missing parents are made, list indices may be negative, what is not
 * there need not be removed.
 */
#ifndef FX_MUTATORS_KUBEMOD_OPERATIONS_H
#define FX_MUTATORS_KUBEMOD_OPERATIONS_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "mutators/kubemod/steps.h"

/* In the order in which a CRD lists them. */
#define OPERATIONS(X)     \
    X(ADD, "add")         \
    X(REPLACE, "replace") \
    X(REMOVE, "remove")

enum operation {
#define X(name, text) OPERATION_##name,
    OPERATIONS(X)
#undef X
};

const char *fx_operation_text(enum operation operation);

/* A path, and how messages name it. */
struct place {
    struct fx_text path;
    const struct steps *steps;
};

/* Applies one, copying on write. `value` is borrowed, and inserted by reference; REMOVE
 * has none. Errors: FX_EMUTATE with words as those of KubeMod's patcher, FX_ELIMIT,
 * FX_ENOMEM; then *root may be half written. */
bool fx_operation_apply(enum operation operation, const struct place *place,
                        json_t *value, json_t **root, struct fx_err *err) FX_MUST_USE;

/* Is it one that cannot fail on this object, and changes no more than a member of an
 * object that is there? *ret_changes: it changes something. */
bool fx_operation_is_plain(enum operation operation, const struct steps *steps,
                           const json_t *value, const json_t *root, bool *ret_changes);

#endif
