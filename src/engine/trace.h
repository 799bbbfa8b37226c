/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/trace.h - the record of a review: which mutator, in which pass, changed which
 * field from what to what; and why the others changed nothing.
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

/* Stands for a provider instead of a mutator: it gave the value of a placeholder
 * (engine/external.h) after the last pass. `pass` is one more than the last pass. */
#define FX_TRACE_EXTERNAL UINT32_MAX

/* A field, a parameter or a variable that a mutator read to compute a value. The texts
 * quote objects, so they are never logged. */
struct fx_trace_read {
    struct fx_text name;         /* as the policy writes it: "params.data.team" */
    struct fx_text value;        /* compact JSON, cut if it is long; "absent" */
    struct fx_text owner;        /* "ConfigMap ops/settings", if another object has it */
    struct fx_trace_read *reads; /* of a variable: what its expression read */
    struct fx_trace_read *next;
};

/* What a mutator computed a value from. */
struct fx_trace_cause {
    struct fx_text part; /* the part of the policy that wrote it: "mutations[0]" */
    struct fx_trace_read *reads; /* NULL: the value is a constant */
    bool is_cut;                 /* there are more reads than these */
    /* Of an object or a list that several parts of the policy wrote: the next one. */
    struct fx_trace_cause *next;
};

/* A field that a mutator changed. */
struct fx_trace_change {
    uint32_t mutator;             /* index in the snapshot, or FX_TRACE_EXTERNAL */
    uint32_t pass;                /* from 1 */
    struct fx_text path;          /* JSON Pointer */
    json_t *from, *to;            /* counted; NULL if absent */
    struct fx_trace_cause *cause; /* in the arena; NULL if it is not known */
    bool undoes;                  /* of such a step */
};

/* The result of a mutator in a pass. If it is the same in the following passes, and the
 * mutator changes nothing, only the first of them has a step. Mutators in conflict have
 * no steps. */
struct fx_trace_step {
    uint32_t mutator, pass;
    struct fx_verdict verdict;
    struct fx_effect effect;
    const char *failure;  /* why the mutator is skipped from now on, or NULL */
    struct fx_text found; /* if it did not match: what the object has instead of what the
                           * criterion asks for (fx_mutator_ops.found) */
    bool is_late; /* it matches the result, but did not match in its only step, which has
                   * an entry of its own */
    bool undoes;  /* the mutator has failed, which undoes its policy (restores_policy) */
};

/* Texts are in the arena; the nodes are counted. */
struct fx_trace {
    struct fx_arena *arena;
    struct fx_trace_change *changes;
    size_t n_changes, cap_changes;
    struct fx_trace_step *steps;
    size_t n_steps, cap_steps;
    /* The placeholders that values may have, borrowed from the mutation; or NULL. */
    const struct fx_placeholders *placeholders;
};

void fx_trace_init(struct fx_trace *trace, struct fx_arena *arena);
void fx_trace_finish(struct fx_trace *trace); /* NULL and zeroed traces are fine */

/* Forgets all records, for a loop that begins again. */
void fx_trace_reset(struct fx_trace *trace);

/* Records a step, and each field in which `after` differs from `before`. False without
 * memory. */
bool fx_trace_record(struct fx_trace *trace, const struct fx_trace_step *step,
                     json_t *before, json_t *after) FX_MUST_USE;

/* Records each field in which `after` differs from `before` as a value from a provider.
 * False without memory. */
bool fx_trace_record_external(struct fx_trace *trace, uint32_t pass, json_t *before,
                              json_t *after) FX_MUST_USE;

#endif
