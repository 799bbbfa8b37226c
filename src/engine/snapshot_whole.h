/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_whole.h - mutators that read everything, but only of objects of some
 * kinds: objects of other kinds are still decoded in part. Private to this room, except
 * for fx_snapshot_part() (engine/snapshot.h).
 */
#ifndef FX_ENGINE_SNAPSHOT_WHOLE_H
#define FX_ENGINE_SNAPSHOT_WHOLE_H

#include <stdbool.h>

#include "base/macros.h"
#include "engine/snapshot.h"

/* Sets snapshot->whole and ->reads from its mutators. False without memory. */
bool fx_snapshot_find_reads(struct fx_snapshot *snapshot) FX_MUST_USE;

#endif
