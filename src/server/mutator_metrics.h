/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutator_metrics.h - what each mutator did: fixpoint_mutator_*, by its id.
 * At most so many mutators are told apart; the others are counted together. Loop thread
 * only.
 */
#ifndef FX_SERVER_MUTATOR_METRICS_H
#define FX_SERVER_MUTATOR_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "engine/converge.h"
#include "engine/snapshot.h"
#include "metrics/registry.h"

struct fx_mutator_metrics; /* opaque */

/* Adds the families to the registry, which outlives it. NULL without memory. */
struct fx_mutator_metrics *fx_mutator_metrics_create(struct fx_registry *registry,
                                                     size_t max_mutators) FX_MUST_USE;
void fx_mutator_metrics_destroy(struct fx_mutator_metrics *metrics); /* NULL is fine */

/* From now on reviews are those of this snapshot: mutators that it does not have any more
 * lose their series, and what they did goes with them. */
void fx_mutator_metrics_take(struct fx_mutator_metrics *metrics,
                             struct fx_snapshot *snapshot);

/* Counts how the mutators of a review fared. One under an earlier snapshot is counted by
 * the names of those there still are. */
void fx_mutator_metrics_count(struct fx_mutator_metrics *metrics,
                              const struct fx_snapshot *snapshot,
                              const struct fx_outcome *outcome);

#endif
