/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_alone.h - which mutators of a snapshot write where no other does, so
 * that nobody undoes what they do; private to snapshot.c.
 */
#ifndef FX_ENGINE_SNAPSHOT_ALONE_H
#define FX_ENGINE_SNAPSHOT_ALONE_H

#include <stdbool.h>

#include "base/macros.h"
#include "engine/snapshot.h"

/* Fills `alone`, one for each mutator of the snapshot: false for all of them where one
 * that is enabled may write anywhere. False without memory. */
bool fx_snapshot_find_alone(const struct fx_snapshot *snapshot, bool *alone) FX_MUST_USE;

#endif
