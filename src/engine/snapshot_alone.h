/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_alone.h - private to snapshot.c: which mutators write where no other
 * mutator of the snapshot does, so that no other undoes their changes.
 */
#ifndef FX_ENGINE_SNAPSHOT_ALONE_H
#define FX_ENGINE_SNAPSHOT_ALONE_H

#include <stdbool.h>

#include "base/macros.h"
#include "engine/snapshot.h"

/* Fills `alone`, one entry for each mutator of the snapshot: true for an enabled mutator
 * that declares where it writes, if no other enabled mutator that does so writes there.
 * False without memory. */
bool fx_snapshot_find_alone(const struct fx_snapshot *snapshot, bool *alone) FX_MUST_USE;

#endif
