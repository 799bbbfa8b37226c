/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/expand.h - `--expand`: behind an object, what controllers will make of it, and of
 * that in turn, as ExpansionTemplates say (spec section 10).
 */
#ifndef FX_CLI_EXPAND_H
#define FX_CLI_EXPAND_H

#include <stdbool.h>

#include "cli/answer.h"
#include "cli/input.h"
#include "cli/output.h"

/* Makes the resultants of `object` from `generator`, its mutated form, mutates each, and
 * calls `take` with it and its result, also after a failure; then expands the results. At
 * most FX_LIMIT_RESULTANTS of one object, 30 levels deep. Returns the worst status. */
enum fx_exit fx_expand(const struct fx_question *question,
                       const struct fx_input_object *object, json_t *generator,
                       enum fx_exit (*take)(void *user,
                                            const struct fx_input_object *resultant,
                                            const struct fx_answer *answer,
                                            const struct fx_err *failure),
                       void *user);

#endif
