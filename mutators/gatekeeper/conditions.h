/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/conditions.h - private: `spec.conditions` of our own group: what
 * must hold elsewhere in the object for a mutator to act.
 *
 * A condition whose location shares a glob with `spec.location` is asked of the element
 * at hand; any other once, of the object.
 */
#ifndef FX_MUTATORS_GATEKEEPER_CONDITIONS_H
#define FX_MUTATORS_GATEKEEPER_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/macros.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/write.h"
#include "mutators/gatekeeper/policy.h"

/* What stood against a mutator. */
#define CRITERION_CONDITIONS "conditions"

struct condition; /* opaque */

/* Immutable once made. */
struct conditions {
    struct condition *items;
    size_t n_items;
    bool vary; /* one of them is asked of elements */
};

/* What was found in one walk: the answer to each of them that its last place had. */
struct answers {
    const json_t *keys[FX_LIMIT_CONDITIONS]; /* fx_other_place_key() */
    bool held[FX_LIMIT_CONDITIONS];
};

/* Compiles `spec.conditions`, none in any other group. `seen_from` is `spec.location`,
 * and outlives them, as does the policy. Errors, each with the field in front
 * ("spec.conditions[2].operator: …") and its node: FX_EINVALID, FX_ESYNTAX (with the
 * span), FX_ELIMIT, FX_ENOMEM. */
bool fx_conditions_compile(const struct policy *policy,
                           const struct fx_location *seen_from,
                           struct conditions *ret_conditions,
                           struct fx_err *err) FX_MUST_USE;
void fx_conditions_finish(struct conditions *conditions); /* zeroed ones are fine */

/* Warns of a condition that looks as if it were asked of the element at hand, and is not:
 * its glob leaves out other elements than that of `spec.location`. Errors: FX_ENOMEM. */
bool fx_conditions_warn(const struct conditions *conditions, const struct policy *policy,
                        struct fx_compilation *compilation,
                        struct fx_err *err) FX_MUST_USE;

/* Do all of them hold that are asked of the object? Errors: those of fx_regex_match(). */
bool fx_conditions_hold(const struct conditions *conditions, const json_t *object,
                        bool *ret_hold, struct fx_err *err) FX_MUST_USE;

/* And those that are asked of elements, at this place? `answers` are zeroed before the
 * walk. What a walk has written within an element does not count. Errors: the same. */
bool fx_conditions_hold_at(const struct conditions *conditions,
                           const struct fx_write_position *place, struct answers *answers,
                           bool *ret_hold, struct fx_err *err) FX_MUST_USE;

#endif
