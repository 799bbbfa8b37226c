/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/targets.h - `--targets` of `apply` and `diff`: applies rules that mutate existing
 * objects (engine/existing.h) to the given objects, which are the triggers and the
 * targets.
 */
#ifndef FX_CLI_TARGETS_H
#define FX_CLI_TARGETS_H

#include "cli/apply.h"

/* Each object, in its order, is the object of a request; the rules that it triggers
 * change the given objects, of which a later rule sees the changes. The objects
 * themselves are not mutated by other rules, because they exist already. Prints failures
 * to standard error, and adds every object to the emitter. */
enum fx_exit fx_targets_emit(const struct fx_apply_values *values,
                             struct fx_apply_inputs *inputs, struct fx_emitter *emitter);

/* Did the review trigger the rule of this name; NULL: any rule? */
bool fx_targets_are_triggered(const struct fx_review_result *result, const char *rule);

/* Applies the rules that the review triggered to one object, if they select it; only
 * those of this name, if `rule` is not NULL. *target is a counted reference. `question`
 * is that of the review. Errors: those of the rules. */
bool fx_targets_mutate(const struct fx_question *question, const struct fx_review *review,
                       const char *rule, json_t **target, struct fx_err *err) FX_MUST_USE;

#endif
