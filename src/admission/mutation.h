/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/mutation.h - one object to its fixed point, and the difference: what the
 * webhook does between decoding and encoding, for every caller that has an object.
 *
 *   begin → (the calls are made and answered) → end
 *
 * Everything in between may take as long as it takes: a mutation holds nothing but
 * memory.
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
    /* Given; borrowed, and outlives the mutation. */
    const struct fx_snapshot *snapshot;
    struct fx_request request; /* `placeholders` and `inputs` are filled in here, and
                                * `namespace_` with the one below where it has none */
    struct fx_text namespace_; /* metadata.namespace for matching; empty: as it is */
    json_t *object;            /* stays as it is, unless it is spent */
    /* The owner's reference to `object`, if the owner needs neither the object nor the
     * values that the patch removes (`old`) after the patch is made: then the patch is
     * verified on the object itself. NULL: it is verified on a copy. */
    json_t **spent;
    bool is_part;             /* the object was read in part (value/json_part.h) */
    struct fx_inputs *inputs; /* what rules need besides the object; NULL: nothing is
                               * given, nothing can be fetched, and no provider called */
    struct fx_arena *arena;
    struct fx_trace *trace; /* or NULL */
    /* Why no provider can be asked at all ("failed to get client TLS certificate: …"), or
     * NULL: then an object with placeholders fails, whatever their failure policies. */
    const char *external_fault;

    /* After begin: the calls that `inputs` now wants; often none. */
    struct fx_external_calls calls;

    /* After end; all of it dies with the mutation. */
    bool wants_whole; /* a part was not enough: the patch would touch what has lost
                       * members, and is not verified; there is no result */
    json_t *result;   /* `object` itself where nothing changed */
    struct fx_patch patch;
    struct fx_outcome outcome; /* also after a failure of begin */

    /* Private. */
    struct fx_placeholders *placeholders;
    json_t *root;
};

/* Sets metadata.namespace for matching, converges, and finds the calls to make. Errors:
 * those of fx_converge (outcome.cycle and .cycle_fields are filled for FX_ENOCONVERGE,
 * .denial for FX_EDENIED) and of fx_external_collect. After FX_EINPUT the inputs that
 * are WANTED are to be fetched; then the mutation is finished and begun again. */
bool fx_mutation_begin(struct fx_mutation *mutation, struct fx_err *err) FX_MUST_USE;

/* Once every input is answered: replaces the placeholders, restores the namespace
 * the object came with (perhaps none), annotates what changed, diffs, and applies the
 * patch to a copy, or to what is spent, to verify that it gives the result. Errors: those
 * of fx_external_resolve; FX_EINTERNAL where the patch does not give the result. */
bool fx_mutation_end(struct fx_mutation *mutation, struct fx_err *err) FX_MUST_USE;

/* Verifies a patch before it is sent, since one that does not apply blocks the user even
 * under `failurePolicy: Ignore`: applies it to *root, copying on write, and compares the
 * result with `wanted`. Errors: FX_ENOMEM; all others are our own bug, FX_EINTERNAL. */
bool fx_mutation_verify(const struct fx_patch *patch, json_t **root, const json_t *wanted,
                        struct fx_err *err) FX_MUST_USE;

/* Sets metadata.namespace of the object (spec section 8, step 6), copying on write, since
 * an object need not have it: the request names the namespace. Writes nothing if the
 * object has it already, if `namespace_` is empty, or if the object cannot have metadata.
 * Errors: FX_ENOMEM. */
bool fx_namespace_enter(json_t **root, struct fx_text namespace_,
                        struct fx_err *err) FX_MUST_USE;

/* Drops what it holds. Zeroed ones are fine. */
void fx_mutation_finish(struct fx_mutation *mutation);

#endif
