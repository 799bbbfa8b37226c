/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/target.h - private: what every kind has: which objects it mutates
 * (match, applyTo), and where in them (location, path tests). A kind's own struct begins
 * with it.
 */
#ifndef FX_MUTATORS_GATEKEEPER_TARGET_H
#define FX_MUTATORS_GATEKEEPER_TARGET_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/match.h"
#include "engine/mutator.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/path_tests.h"
#include "mutators/gatekeeper/policy.h"

struct target {
    struct fx_mutator mutator; /* first: the engine sees nothing else */
    struct fx_location *location;
    struct fx_path_tests *tests;  /* or NULL */
    struct fx_apply_to *apply_to; /* NULL: a kind without it */
    struct fx_match *match;
    struct fx_schema_step *schema; /* backs mutator.schema */
};

/* Fills the head and compiles `match`. `target` is zeroed; after a failure, as after
 * everything else, fx_target_finish() frees what it holds. Errors: FX_EINVALID (wrong
 * types within match; a name over 63 bytes), FX_ENOMEM. */
bool fx_target_init(struct target *target, const struct policy *policy,
                    const struct fx_mutator_ops *ops, struct fx_err *err) FX_MUST_USE;
void fx_target_finish(struct target *target);

/* Parses `spec.location`. On failure the error has the node and span, and the parser's
 * words, before which each kind puts its own. */
bool fx_target_parse_location(struct target *target, const struct policy *policy,
                              struct fx_err *err) FX_MUST_USE;

/* `spec.location` as it was written; NULL, "" where it is missing. */
const json_t *fx_target_location_node(const struct policy *policy);
struct fx_text fx_target_location_text(const struct policy *policy);

/* Compiles `spec.parameters.pathTests` against the location, which is parsed. */
bool fx_target_compile_path_tests(struct target *target, const struct policy *policy,
                                  struct fx_err *err) FX_MUST_USE;

/* Compiles `spec.applyTo`. */
bool fx_target_compile_apply_to(struct target *target, const struct policy *policy,
                                struct fx_err *err) FX_MUST_USE;

/* Gives the engine the target's schema (spec section 6): what stands at the location's
 * end is of type `terminal`. */
bool fx_target_set_schema(struct target *target, enum fx_schema_type terminal,
                          struct fx_err *err) FX_MUST_USE;

/* The engine's match slot for every kind. */
bool fx_target_match(const struct fx_mutator *self, const struct fx_request *request,
                     const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                     struct fx_err *err);

#endif
