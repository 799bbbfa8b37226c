/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policy_slot.h - the policies as one thread sees them. The main thread offers
 * others when there are some; the thread takes them when it begins its next review, and
 * not in the middle of one.
 */
#ifndef FX_SERVER_POLICY_SLOT_H
#define FX_SERVER_POLICY_SLOT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <uv.h>

#include "base/macros.h"
#include "policy/policies.h"
#include "server/mutator_counts.h"

struct fx_policy_slot {
    /* The thread's: counted; NULL before the first. */
    struct fx_policies *policies;
    struct fx_mutator_counts *counts; /* borrowed */
    /* Offered, and not yet taken. */
    atomic_bool has_next;
    uv_mutex_t lock;
    struct fx_policies *next;              /* counted */
    struct fx_mutator_counts *next_counts; /* NULL: that of before goes on */
};

/* With a counts for what is counted before the first offer. False where the system has no
 * room for a lock. */
bool fx_policy_slot_init(struct fx_policy_slot *slot,
                         struct fx_mutator_counts *counts) FX_MUST_USE;
void fx_policy_slot_finish(
    struct fx_policy_slot *slot); /* when nobody uses it any more */

/* On the main thread: from now on these, of which a reference is taken. The counts lives
 * until it is left; NULL, without memory for another: that of before goes on, by ids. */
void fx_policy_slot_publish(struct fx_policy_slot *slot, struct fx_policies *policies,
                            struct fx_mutator_counts *counts);

/* On the slot's own thread: takes what is offered, and leaves the counts of before. Costs
 * nothing where nothing is. */
void fx_policy_slot_refresh(struct fx_policy_slot *slot);

#endif
