/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/invoke.h - private: runs a policy with one binding and one
 * parameter on an object: match conditions, then mutations
 * (spec/mutating-admission-policy.md sections 5, 7 and 10).
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_INVOKE_H
#define FX_MUTATORS_ADMISSION_POLICY_INVOKE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/request.h"
#include "mutators/admission_policy/activation.h"
#include "mutators/admission_policy/policy.h"
#include "mutators/admission_policy/target.h"

struct fx_failure;

/* Evaluates all match conditions. MAP_EVALUATED: *ret_false is the index of the first one
 * that is false, or their number. MAP_FAILED: none is false, and some failed; `message`
 * says why, and `part` which of them. */
enum map_evaluation fx_map_check_conditions(struct map_activation *activation,
                                            json_t *object, size_t *ret_false,
                                            struct fx_buf *message, struct fx_buf *part,
                                            struct fx_err *err);

/* Adds a failure of the rule to the request: with code 403 and the reason of `failure`
 * ("Invalid" or "Forbidden"), or, if the policy ignores failures, without a code. The
 * names of policy and binding are put before its message. Errors: FX_ENOMEM. */
bool fx_map_report(const struct map_rule *rule, const struct fx_request *request,
                   const struct fx_failure *failure, struct fx_err *err) FX_MUST_USE;

/* How explanations name a mutation: "mutations[0]". */
#define MAP_PART_BYTES 40u
void fx_map_name_mutation(size_t index, char ret_part[MAP_PART_BYTES]);

/* What the mutations of a policy did. */
struct map_mutated {
    size_t n_succeeded; /* some of them without a change */
    bool failed;        /* some failed; these are reported */
    struct fx_map_change change;
};

/* Runs the mutations, one after the other, on *root: other owners of its nodes do not see
 * the change. If the object is the same afterwards, so are *root and its nodes. `reports`
 * says whether failures are added to the request. Errors: internal ones, and FX_EINPUT;
 * then *root is unchanged, or, after FX_ENOMEM, may be half written. */
bool fx_map_mutate(struct map_activation *activation, const struct map_rule *rule,
                   bool reports, json_t **root, struct map_mutated *ret_mutated,
                   struct fx_err *err) FX_MUST_USE;

/* Runs one mutation, for explanations; its failure is not reported, and leaves *root as
 * it was. Errors: internal ones, and FX_EINPUT. */
bool fx_map_mutate_one(struct map_activation *activation, const struct map_rule *rule,
                       size_t index, json_t **root, struct fx_err *err) FX_MUST_USE;

#endif
