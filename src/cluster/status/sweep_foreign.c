/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_foreign.c - they are few: looked for one by one.
 */
#include "cluster/status/sweep_foreign.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/vec.h"

void fx_sweep_foreign_finish(struct fx_sweep_foreign *all) {
    for (size_t i = 0; i < all->n_items; i++) {
        free(all->items[i].id);
    }
    free(all->items);
    *all = (struct fx_sweep_foreign){0};
}

static struct fx_sweep_foreign_id *find(const struct fx_sweep_foreign *all,
                                        struct fx_text id) {
    for (size_t i = 0; i < all->n_items; i++) {
        if (fx_text_is(id, all->items[i].id)) {
            return &all->items[i];
        }
    }
    return NULL;
}

bool fx_sweep_foreign_see(struct fx_sweep_foreign *all, struct fx_text id,
                          uint64_t ripe_ns) {
    struct fx_sweep_foreign_id *known = find(all, id);
    if (known != NULL) {
        known->is_seen = true;
        return true;
    }
    if (all->n_items >= FX_LIMIT_SWEEP_FOREIGN_IDS) {
        return true;
    }
    char *copy = fx_text_dup(id);
    if (copy == NULL || !FX_VEC_GROW(all->items, all->n_items, all->cap_items)) {
        free(copy);
        return false;
    }
    all->items[all->n_items++] =
        (struct fx_sweep_foreign_id){.id = copy, .ripe_ns = ripe_ns, .is_seen = true};
    return true;
}

bool fx_sweep_foreign_is_due(const struct fx_sweep_foreign *all, struct fx_text id,
                             uint64_t now_ns) {
    const struct fx_sweep_foreign_id *known = find(all, id);
    return known != NULL && now_ns >= known->ripe_ns;
}

uint64_t fx_sweep_foreign_next(const struct fx_sweep_foreign *all) {
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < all->n_items; i++) {
        next = all->items[i].ripe_ns < next ? all->items[i].ripe_ns : next;
    }
    return next;
}

/* Has it had its last try with this look? */
static bool count_try(struct fx_sweep_foreign_id *one, uint64_t now_ns,
                      uint64_t rest_ns) {
    if (now_ns < one->ripe_ns || ++one->n_tries < FX_SWEEP_TRIES) {
        return false;
    }
    one->n_tries = 0;
    one->ripe_ns = now_ns + rest_ns;
    return true;
}

const char *fx_sweep_foreign_end_pass(struct fx_sweep_foreign *all, uint64_t now_ns,
                                      uint64_t rest_ns) {
    const char *left_alone = NULL;
    size_t n_kept = 0;
    for (size_t i = 0; i < all->n_items; i++) {
        struct fx_sweep_foreign_id one = all->items[i];
        if (!one.is_seen) {
            free(one.id);
            continue;
        }
        if (count_try(&one, now_ns, rest_ns)) {
            left_alone = one.id;
        }
        one.is_seen = false;
        all->items[n_kept++] = one;
    }
    all->n_items = n_kept;
    return left_alone;
}
