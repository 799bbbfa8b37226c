/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/passes.h - single passes of the loop (engine/converge.h) over a list of mutators
 * in any order, for analysis. The caller decides how many passes there are.
 *
 * The index is not used: each mutator of the list has a step in every pass, whatever the
 * object becomes. The first failure of a mutator ends the passes, even if a review would
 * ignore it.
 */
#ifndef FX_ENGINE_PASSES_H
#define FX_ENGINE_PASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/request.h"
#include "engine/snapshot.h"

/* The input of the passes. Everything is borrowed and outlives them. */
struct fx_passes_input {
    const struct fx_snapshot *snapshot;
    const struct fx_request *request;
    const uint32_t *order; /* indices in the snapshot, each at most once */
    size_t n_order;
    size_t *steps_left;     /* each match takes one; at 0 the passes end */
    struct fx_arena *arena; /* for memory until fx_passes_close() */
    /* Called after each change with the object before it; may be NULL. If it returns
     * false, the pass ends with `err`. */
    bool (*changed)(void *user, uint32_t mutator, json_t *before, json_t *after,
                    struct fx_err *err);
    void *user;
};

struct fx_passes; /* opaque; its memory is the arena's */

/* The result of a pass. */
struct fx_pass_result {
    bool changed;       /* a mutator changed something */
    bool once_changed;  /* a mutator that is not reinvoked changed something */
    bool again_changed; /* a mutator that is reinvoked if needed changed something */
    bool once_applied;  /* a mutator that is not reinvoked matched and ran */
    bool exhausted;     /* no steps were left, so the pass is not complete */
    const struct fx_mutator *failed; /* its match or mutation failed; or NULL */
    struct fx_err failure;           /* the error of `failed`, without a prefix */
};

/* Prepares passes over `object`, which does not change. NULL without memory. */
struct fx_passes *fx_passes_open(const struct fx_passes_input *input,
                                 json_t *object) FX_MUST_USE;
void fx_passes_close(struct fx_passes *passes); /* NULL is fine */

/* Runs one pass. After a pass that failed or was exhausted no other may follow. Errors:
 * only internal ones (FX_ENOMEM, FX_EDEADLINE), and those of `changed`. */
bool fx_passes_run(struct fx_passes *passes, struct fx_pass_result *ret_result,
                   struct fx_err *err) FX_MUST_USE;

/* Returns the number of passes within which the mutators settle, or never do, as in the
 * loop. */
size_t fx_passes_most(const struct fx_passes *passes);

/* Returns the object after the last pass, borrowed until the next one. */
json_t *fx_passes_object(const struct fx_passes *passes);

/* Has the mutator, which is not reinvoked, had its step? fx_passes_set_done() makes it
 * count as such; call it before the first pass. */
bool fx_passes_is_done(const struct fx_passes *passes, uint32_t mutator);
void fx_passes_set_done(struct fx_passes *passes, uint32_t mutator);

#endif
