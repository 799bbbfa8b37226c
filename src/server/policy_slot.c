/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policy_slot.c - an offer under a lock, and a flag that says whether to look.
 */
#include "server/policy_slot.h"

bool fx_policy_slot_init(struct fx_policy_slot *slot, struct fx_mutator_counts *counts) {
    *slot = (struct fx_policy_slot){.counts = counts};
    return uv_mutex_init(&slot->lock) == 0;
}

void fx_policy_slot_finish(struct fx_policy_slot *slot) {
    fx_policies_unref(slot->policies);
    fx_policies_unref(slot->next);
    uv_mutex_destroy(&slot->lock);
}

static void leave(struct fx_mutator_counts *counts) {
    atomic_store_explicit(&counts->left, true, memory_order_release);
}

void fx_policy_slot_publish(struct fx_policy_slot *slot, struct fx_policies *policies,
                            struct fx_mutator_counts *counts) {
    uv_mutex_lock(&slot->lock);
    struct fx_policies *missed = slot->next;
    slot->next = fx_policies_ref(policies);
    if (counts != NULL && slot->next_counts != NULL) {
        leave(slot->next_counts);
    }
    if (counts != NULL) {
        slot->next_counts = counts;
    }
    atomic_store_explicit(&slot->has_next, true, memory_order_release);
    uv_mutex_unlock(&slot->lock);
    fx_policies_unref(missed);
}

void fx_policy_slot_refresh(struct fx_policy_slot *slot) {
    if (!atomic_load_explicit(&slot->has_next, memory_order_acquire)) {
        return;
    }
    struct fx_policies *before = slot->policies;
    uv_mutex_lock(&slot->lock);
    slot->policies = slot->next;
    if (slot->next_counts != NULL) {
        leave(slot->counts);
        slot->counts = slot->next_counts;
    }
    slot->next = NULL;
    slot->next_counts = NULL;
    atomic_store_explicit(&slot->has_next, false, memory_order_relaxed);
    uv_mutex_unlock(&slot->lock);
    fx_policies_unref(before);
}
