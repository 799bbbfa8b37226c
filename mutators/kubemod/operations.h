/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/operations.h - private: JSON Patch operations as KubeMod applies them
 * (spec section 5.4): missing parents are created, list indices may be negative, and
 * removing a missing field is not an error.
 */
#ifndef FX_MUTATORS_KUBEMOD_OPERATIONS_H
#define FX_MUTATORS_KUBEMOD_OPERATIONS_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "mutators/kubemod/steps.h"

/* The operations, in the order in which a CRD lists them. */
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

/* A path, and its name in messages. */
struct operation_path {
    struct fx_text text; /* for messages */
    const struct steps *steps;
};

/* Applies one operation, copying on write. `value` is borrowed, and inserted by
 * reference; NULL for REMOVE. Errors: FX_EMUTATE with the messages of KubeMod's patcher,
 * FX_ELIMIT, FX_ENOMEM; after an error *root may be partly written. */
bool fx_operation_apply(enum operation operation, const struct operation_path *path,
                        json_t *value, json_t **root, struct fx_err *err) FX_MUST_USE;

/* True if the operation cannot fail on this object, and changes at most one member of an
 * existing object. *ret_changes tells whether it changes something. */
bool fx_operation_is_plain(enum operation operation, const struct steps *steps,
                           const json_t *value, const json_t *root, bool *ret_changes);

#endif
