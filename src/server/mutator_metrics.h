/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutator_metrics.h - what each mutator did: fixpoint_mutator_*, by its id.
 * At most so many mutators are told apart; the others are counted together. Main
 * thread only.
 */
#ifndef FX_SERVER_MUTATOR_METRICS_H
#define FX_SERVER_MUTATOR_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "engine/snapshot.h"
#include "metrics/registry.h"
#include "server/mutator_counts.h"

struct fx_mutator_metrics; /* opaque */

/* Adds the families to the registry, which outlives it. NULL without memory. */
struct fx_mutator_metrics *fx_mutator_metrics_create(struct fx_registry *registry,
                                                     size_t max_mutators) FX_MUST_USE;
void fx_mutator_metrics_destroy(struct fx_mutator_metrics *metrics); /* NULL is fine */

/* From now on reviews are those of this snapshot: mutators that it does not have any more
 * lose their series, and what they did goes with them. */
void fx_mutator_metrics_set_snapshot(struct fx_mutator_metrics *metrics,
                                     struct fx_snapshot *snapshot);

/* Adds what was counted in a counts since the last time. What came under an earlier
 * snapshot counts by the names of the mutators there still are. */
void fx_mutator_metrics_collect(struct fx_mutator_metrics *metrics,
                                struct fx_mutator_counts *counts);

#endif
