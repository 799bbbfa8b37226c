/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/mutation.h - one object to its fixed point, and the difference: what the
 * webhook does between decoding and encoding, for everyone who has an object in hand.
 */
#ifndef FX_ADMISSION_MUTATION_H
#define FX_ADMISSION_MUTATION_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/converge.h"
#include "engine/request.h"
#include "engine/snapshot.h"
#include "engine/trace.h"
#include "value/patch.h"

/*
 * Mutates a reference of `object` (which stays as it is): sets metadata.namespace to
 * `namespace_` for matching (empty: leaves it), converges, restores the namespace the
 * object came with (perhaps none), diffs, and applies the patch to a copy to prove that
 * it gives the result. *ret_result is a new reference; equal to `object` itself where
 * nothing changed. Patch and outcome are the arena's. `trace` may be NULL.
 *
 * Errors: those of fx_converge (ret_outcome->cycle is filled for FX_ENOCONVERGE);
 * FX_EINTERNAL where the patch does not give the result.
 */
bool fx_mutate(const struct fx_snapshot *snapshot, const struct fx_request *request,
               struct fx_text namespace_, json_t *object, struct fx_arena *arena,
               struct fx_trace *trace, json_t **ret_result, struct fx_patch *ret_patch,
               struct fx_outcome *ret_outcome, struct fx_err *err) FX_MUST_USE;

#endif
