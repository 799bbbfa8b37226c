/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assigner.h - private: what Assign and AssignMetadata share: the
 * value that they write, which is a constant or a field of the object's metadata.
 */
#ifndef FX_MUTATORS_GATEKEEPER_ASSIGNER_H
#define FX_MUTATORS_GATEKEEPER_ASSIGNER_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/target.h"

/* `spec.parameters.assign`. */
struct source {
    const json_t *assign; /* the node it was read from; for errors */
    json_t *value;        /* the constant, borrowed from the policy; or NULL */
    const char *metadata; /* else the name of the field of metadata, a constant */
};

/* Reads `assign`. Exactly one source must be set and sound. Errors: FX_EINVALID with the
 * words of spec section 3.2. */
bool fx_source_compile(const struct policy *policy, struct source *ret_source,
                       struct fx_err *err) FX_MUST_USE;

/* Assign and AssignMetadata: they differ in what they accept. */
struct assigner {
    struct target target; /* first */
    struct source source;
};

/* The assigner that the target begins. */
struct assigner *fx_assigner_of(struct target *target);

/* Makes an assigner of the policy, and adds it. */
bool fx_assigner_add(const struct policy *policy, compile_target *compile,
                     struct fx_compilation *ret_compilation,
                     struct fx_err *err) FX_MUST_USE;

#endif
