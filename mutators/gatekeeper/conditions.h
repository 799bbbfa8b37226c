/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/conditions.h - private: `spec.conditions` of Fixpoint's own group:
 * conditions on other fields of the object.
 *
 * A condition whose location shares a glob with `spec.location` is evaluated for each
 * element. Any other condition is evaluated once for the object.
 */
#ifndef FX_MUTATORS_GATEKEEPER_CONDITIONS_H
#define FX_MUTATORS_GATEKEEPER_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/regex.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/write.h"
#include "mutators/gatekeeper/other_location.h"
#include "mutators/gatekeeper/policy.h"

/* operator, as written */
#define CONDITION_OPERATORS(X)        \
    X(EXISTS, "Exists")               \
    X(DOES_NOT_EXIST, "DoesNotExist") \
    X(IN, "In")                       \
    X(NOT_IN, "NotIn")                \
    X(MATCHES, "Matches")

enum condition_operator {
#define X(name, text) CONDITION_##name,
    CONDITION_OPERATORS(X)
#undef X
};

struct policy_condition {
    struct other_location field;
    enum condition_operator relation; /* the `operator` */
    json_t *values;                   /* In, NotIn: the list, counted */
    json_t *strings;                  /* In, NotIn: the strings of the list, as keys */
    struct fx_regex **patterns;       /* Matches */
    size_t n_patterns;
};

/* The criterion of a condition that did not hold, for verdicts. */
#define CRITERION_CONDITIONS "conditions"

/* Immutable once made. */
struct conditions {
    struct policy_condition *items;
    size_t n_items;
    bool vary; /* some condition is evaluated for elements */
};

/* The results in one walk: for each condition, the result at its last position. */
struct answers {
    const json_t *keys[FX_LIMIT_CONDITIONS]; /* fx_other_location_key() */
    bool held[FX_LIMIT_CONDITIONS];
};

/* Compiles `spec.conditions`; in other groups there are none. `seen_from` is
 * `spec.location`; it and the policy outlive the conditions. Each error has the field as
 * a prefix ("spec.conditions[2].operator: …") and its node. Errors: FX_EINVALID,
 * FX_ESYNTAX (with the span), FX_ELIMIT, FX_ENOMEM. */
bool fx_conditions_compile(const struct policy *policy,
                           const struct fx_location *seen_from,
                           struct conditions *ret_conditions,
                           struct fx_err *err) FX_MUST_USE;
void fx_conditions_finish(struct conditions *conditions); /* zeroed ones are fine */

/* Warns about a condition that seems to be evaluated for each element but is not, because
 * its glob has other exceptions than the glob of `spec.location`. Errors: FX_ENOMEM. */
bool fx_conditions_warn(const struct conditions *conditions, const struct policy *policy,
                        struct fx_compilation *compilation,
                        struct fx_err *err) FX_MUST_USE;

/* Finds out whether all conditions on the object hold. Errors: those of
 * fx_regex_match(). */
bool fx_conditions_hold(const struct conditions *conditions, const json_t *object,
                        bool *ret_hold, struct fx_err *err) FX_MUST_USE;

/* Finds out whether all conditions on elements hold at this position. `answers` is zeroed
 * before the walk. Changes that the walk itself made within an element do not count.
 * Errors: those of fx_regex_match(). */
bool fx_conditions_hold_at(const struct conditions *conditions,
                           const struct fx_write_position *position,
                           struct answers *answers, bool *ret_hold,
                           struct fx_err *err) FX_MUST_USE;

#endif
