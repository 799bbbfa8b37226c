/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/annotate.h - saying in the object itself who changed it, where a cluster asks
 * for that (Gatekeeper's --mutation-annotations, spec section 5).
 */
#ifndef FX_ADMISSION_ANNOTATE_H
#define FX_ADMISSION_ANNOTATE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/converge.h"
#include "engine/snapshot.h"

/* Writes the annotations `gatekeeper.sh/mutation-id` and `gatekeeper.sh/mutations` into
 * *root: the id, and the sorted `<Kind>//<name>:<generation>` of the mutators that
 * applied in a pass that changed something. An object whose metadata is no object stays
 * as it is. Errors: FX_ENOMEM. */
bool fx_annotate(const struct fx_snapshot *snapshot, const struct fx_outcome *outcome,
                 const char *mutation_id, struct fx_arena *arena, json_t **root,
                 struct fx_err *err) FX_MUST_USE;

#endif
