/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge.h - the loop: every mutator, in order, again and again, until a whole
 * pass leaves the object as it was (design section 5, spec section 5).
 */
#ifndef FX_ENGINE_CONVERGE_H
#define FX_ENGINE_CONVERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/request.h"
#include "engine/snapshot.h"
#include "engine/trace.h"

/* What came of it. */
struct fx_outcome {
    bool mutated;        /* the object differs from what came in */
    uint32_t iterations; /* passes run, the last quiet one included */
    /* The mutators that applied in a pass that changed something, ascending indices in
     * the snapshot; the arena's memory. */
    uint32_t *applied;
    size_t n_applied;
    /* The mutator whose match or mutation failed, borrowed from the snapshot; or NULL. */
    const struct fx_mutator *failed;
    /* Where there is no fixed point: those that changed something in the last pass, in
     * order, and for each the first field it changed (JSON Pointer). The arena's. */
    struct fx_contender {
        uint32_t mutator;
        struct fx_text path;
    } * cycle;
    size_t n_cycle;
};

/*
 * Mutates *root to its fixed point. *root is one reference: it is replaced as needed, and
 * trees that share nodes with it are not touched. `trace` may be NULL.
 *
 * Errors, with the words of spec section 5: FX_EMUTATE (a match or a mutation failed),
 * FX_ENOCONVERGE (ret_outcome->cycle tells the contenders), FX_EDEADLINE (looked at
 * between mutators), FX_ENOMEM. After an error *root is a tree to be dropped.
 */
bool fx_converge(const struct fx_snapshot *snapshot, const struct fx_request *request,
                 struct fx_arena *arena, struct fx_trace *trace, json_t **root,
                 struct fx_outcome *ret_outcome, struct fx_err *err) FX_MUST_USE;

#endif
