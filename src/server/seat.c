/* SPDX-License-Identifier: Apache-2.0
 *
 * server/seat.c - an offer under a lock, and a flag that says whether to look.
 */
#include "server/seat.h"

bool fx_seat_init(struct fx_seat *seat, struct fx_tally *tally) {
    *seat = (struct fx_seat){.tally = tally};
    return uv_mutex_init(&seat->lock) == 0;
}

void fx_seat_finish(struct fx_seat *seat) {
    fx_policies_unref(seat->policies);
    fx_policies_unref(seat->next);
    uv_mutex_destroy(&seat->lock);
}

static void leave(struct fx_tally *tally) {
    atomic_store_explicit(&tally->left, true, memory_order_release);
}

void fx_seat_offer(struct fx_seat *seat, struct fx_policies *policies,
                   struct fx_tally *tally) {
    uv_mutex_lock(&seat->lock);
    struct fx_policies *missed = seat->next;
    seat->next = fx_policies_ref(policies);
    if (tally != NULL && seat->next_tally != NULL) {
        leave(seat->next_tally);
    }
    if (tally != NULL) {
        seat->next_tally = tally;
    }
    atomic_store_explicit(&seat->is_offered, true, memory_order_release);
    uv_mutex_unlock(&seat->lock);
    fx_policies_unref(missed);
}

void fx_seat_look(struct fx_seat *seat) {
    if (!atomic_load_explicit(&seat->is_offered, memory_order_acquire)) {
        return;
    }
    struct fx_policies *before = seat->policies;
    uv_mutex_lock(&seat->lock);
    seat->policies = seat->next;
    if (seat->next_tally != NULL) {
        leave(seat->tally);
        seat->tally = seat->next_tally;
    }
    seat->next = NULL;
    seat->next_tally = NULL;
    atomic_store_explicit(&seat->is_offered, false, memory_order_relaxed);
    uv_mutex_unlock(&seat->lock);
    fx_policies_unref(before);
}
