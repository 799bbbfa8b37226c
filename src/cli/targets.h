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

#endif
