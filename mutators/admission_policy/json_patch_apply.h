/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/json_patch_apply.h - private: applies operations as version 4
 * of evanphx/json-patch does, which differs from RFC 6902 (value/patch.h) in more than
 * its messages: indexes may be negative, a replaced key may be missing, a missing value
 * can be copied, and the text before the first slash of a path is ignored.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_JSON_PATCH_APPLY_H
#define FX_MUTATORS_ADMISSION_POLICY_JSON_PATCH_APPLY_H

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "mutators/admission_policy/target.h"

struct fx_map_operation {
    struct fx_text op, path, from;
    json_t *value; /* NULL: it has none */
};

/* Applies the operations to *root, copying on write. `*ret_stopped`: a `test` failed;
 * then *root has the changes of the operations before it. After a failure, too. Refused
 * with the messages of the library, "JSON Patch: …". */
bool fx_map_apply_operations(const struct fx_map_operation *operations,
                             size_t n_operations, json_t **root, bool *ret_stopped,
                             struct fx_map_refusal *refusal,
                             struct fx_err *err) FX_MUST_USE;

#endif
