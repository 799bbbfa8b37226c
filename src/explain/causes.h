/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/causes.h - private: the causes of the steps of a field, each once.
 */
#ifndef FX_EXPLAIN_CAUSES_H
#define FX_EXPLAIN_CAUSES_H

#include "explain/report.h"

/* Adds the causes of a change to the step, if they are known. False without memory. */
bool fx_explain_causes_add(struct fx_arena *arena, struct fx_explain_field_step *step,
                           const struct fx_trace_change *change) FX_MUST_USE;

/* Adds causes of another step. False without memory. */
bool fx_explain_causes_copy(struct fx_arena *arena, struct fx_explain_field_step *step,
                            const struct fx_explain_cause *causes) FX_MUST_USE;

#endif
