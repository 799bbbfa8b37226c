/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/mutation.h - mutates an object to its fixed point, and makes the patch: what
 * the webhook does between decoding and encoding, for any caller that has an object.
 *
 *   begin → (the calls are made and answered) → end
 *
 * The calls may take any time: meanwhile a mutation has only memory.
 */
#ifndef FX_ADMISSION_MUTATION_H
#define FX_ADMISSION_MUTATION_H

#include <stdbool.h>

#include <jansson.h>

#include "admission/external.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/converge.h"
#include "engine/request.h"
#include "engine/snapshot.h"
#include "engine/trace.h"
#include "value/patch.h"

struct fx_mutation {
    /* Set by the caller; borrowed, and must outlive the mutation. */
    const struct fx_snapshot *snapshot;
    struct fx_request request; /* `placeholders`, `inputs`, and a missing `namespace_` are
                                * filled in by fx_mutation_begin() */
    struct fx_text namespace_; /* metadata.namespace for matching; empty for no change */
    json_t *object;            /* not changed, unless it is `*spent` */
    /* The owner's reference to `object`, if the owner needs neither the object nor the
     * values that the patch removes (`old`) after the patch is made: then the patch is
     * verified on the object itself. NULL if it shall be verified on a copy. */
    json_t **spent;
    bool is_part;             /* the object was read in part (value/json_part.h) */
    struct fx_inputs *inputs; /* what rules need besides the object; NULL if nothing is
                               * given or can be fetched, and no provider can be called */
    struct fx_arena *arena;
    struct fx_trace *trace; /* may be NULL */
    /* Why no provider can be called at all ("failed to get client TLS certificate: …").
     * Then an object with placeholders fails, whatever their failure policies are. NULL
     * if providers can be called. */
    const char *external_fault;

    /* Set by begin: the calls that are to be made, often none. */
    struct fx_external_calls calls;

    /* Set by end; freed with the mutation. */
    bool wants_whole; /* a part was not enough, because the patch would change an object
                       * that lacks members; the patch is not verified, and there is no
                       * result */
    json_t *result;   /* `object` itself if nothing changed */
    struct fx_patch patch;
    struct fx_outcome outcome; /* also set if begin fails */

    /* Private. */
    struct fx_placeholders *placeholders;
    json_t *root;
};

/* Sets metadata.namespace for matching, converges, and finds the calls to make. Errors:
 * those of fx_converge() (outcome.cycle and .cycle_fields are filled for FX_ENOCONVERGE,
 * .denial for FX_EDENIED) and of fx_external_collect(). After FX_EINPUT the caller
 * fetches the inputs that are WANTED, finishes the mutation, and begins it again. */
bool fx_mutation_begin(struct fx_mutation *mutation, struct fx_err *err) FX_MUST_USE;

/* Called after every input is answered. Replaces the placeholders, restores the namespace
 * of the incoming object (which may have none), annotates a changed object, makes the
 * patch, and verifies that it gives the result by applying it to a copy, or to *spent.
 * Errors: those of fx_external_resolve(); FX_EINTERNAL if the patch does not give the
 * result. */
bool fx_mutation_end(struct fx_mutation *mutation, struct fx_err *err) FX_MUST_USE;

/* Verifies a patch before it is sent, because a patch that does not apply blocks the user
 * even under `failurePolicy: Ignore`: applies it to *root, copying on write, and compares
 * the result with `wanted`. Errors: FX_ENOMEM; FX_EINTERNAL for all others, which are
 * bugs. */
bool fx_mutation_verify(const struct fx_patch *patch, json_t **root, const json_t *wanted,
                        struct fx_err *err) FX_MUST_USE;

/* Sets metadata.namespace of the object to that of the request (spec section 8, step 6),
 * copying on write, because an object need not have it. Writes nothing if the object
 * already has it, if `namespace_` is empty, or if the object cannot have metadata.
 * Errors: FX_ENOMEM. */
bool fx_namespace_enter(json_t **root, struct fx_text namespace_,
                        struct fx_err *err) FX_MUST_USE;

/* Drops the results. Zeroed mutations are fine. */
void fx_mutation_finish(struct fx_mutation *mutation);

#endif
