/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/trace.h - what happened in a review: which mutator, in which pass, changed which
 * field from what to what; and why the others did not act.
 */
#ifndef FX_ENGINE_TRACE_H
#define FX_ENGINE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/text.h"
#include "engine/external.h"
#include "engine/mutator.h"

/* In place of a mutator: the value came for a placeholder (engine/external.h), after the
 * last pass; its `pass` is one more than there were. */
#define FX_TRACE_EXTERNAL UINT32_MAX

/* One field that one mutator changed. */
struct fx_trace_change {
    uint32_t mutator;    /* index in the snapshot, or FX_TRACE_EXTERNAL */
    uint32_t pass;       /* from 1 */
    struct fx_text path; /* JSON Pointer */
    json_t *from, *to;   /* counted; NULL: absent */
};

/* How one mutator fared in one pass. One that goes on faring the same, and changes
 * nothing, has a step only in the first of these passes. Mutators in conflict have none.
 */
struct fx_trace_step {
    uint32_t mutator, pass;
    struct fx_verdict verdict;
    struct fx_effect effect;
    const char
        *failure; /* why it is left out from here on (fx_outcome.skipped), or NULL */
    struct fx_text found; /* of a match that said no: what the object has instead of what
                           * the criterion asks for (fx_mutator_ops.found) */
    bool is_late; /* it matches what came of it all, but was asked before that; only this
                   * is told of it here */
};

/* Texts are the arena's; the nodes are counted. */
struct fx_trace {
    struct fx_arena *arena;
    struct fx_trace_change *changes;
    size_t n_changes, cap_changes;
    struct fx_trace_step *steps;
    size_t n_steps, cap_steps;
    /* What tells placeholders among the values; borrowed from the mutation. Or NULL. */
    const struct fx_placeholders *placeholders;
};

void fx_trace_init(struct fx_trace *trace, struct fx_arena *arena);
void fx_trace_finish(struct fx_trace *trace); /* NULL, zeroed are fine */

/* Forgets what was recorded, for a loop that begins again. */
void fx_trace_reset(struct fx_trace *trace);

/* Records how a mutator fared, and each field in which `after` differs from `before`.
 * False without memory. */
bool fx_trace_record(struct fx_trace *trace, const struct fx_trace_step *step,
                     json_t *before, json_t *after) FX_MUST_USE;

/* Records each field in which `after` differs from `before` as a value that came for a
 * placeholder. False without memory. */
bool fx_trace_record_external(struct fx_trace *trace, uint32_t pass, json_t *before,
                              json_t *after) FX_MUST_USE;

#endif
