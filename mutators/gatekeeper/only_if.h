/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/only_if.h - private: `onlyIf` of AssignImage in Fixpoint's own
 * group: the images to change.
 */
#ifndef FX_MUTATORS_GATEKEEPER_ONLY_IF_H
#define FX_MUTATORS_GATEKEEPER_ONLY_IF_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "mutators/gatekeeper/image.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shape.h"

extern const struct shape fx_only_if_shape; /* .spec.parameters.onlyIf */

/* The allowed values of each part, as keys of objects (counted), so that long lists cost
 * no more than short ones; the empty text allows a missing part. NULL: any value. */
struct only_if {
    json_t *domains, *paths, *tags;
};

/* Reads `spec.parameters.onlyIf`; its types have been checked. Errors: FX_EINVALID
 * ("assignImage a has invalid parameters: onlyIf.tags must not be empty"), FX_ELIMIT. */
bool fx_only_if_read(const struct policy *policy, struct only_if *ret_only_if,
                     struct fx_err *err) FX_MUST_USE;

void fx_only_if_finish(struct only_if *only_if); /* zeroed ones are fine */

/* Do the lists contain the parts of the image? */
bool fx_only_if_holds(const struct only_if *only_if, const struct image *image);

#endif
