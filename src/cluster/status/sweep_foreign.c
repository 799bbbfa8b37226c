/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_foreign.c - a short list of ids.
 */
#include "cluster/status/sweep_foreign.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/vec.h"

void fx_sweep_foreign_finish(struct fx_sweep_foreign *foreign) {
    for (size_t i = 0; i < foreign->n_items; i++) {
        free(foreign->items[i].id);
    }
    free(foreign->items);
    *foreign = (struct fx_sweep_foreign){0};
}

static struct fx_sweep_foreign_id *find(const struct fx_sweep_foreign *foreign,
                                        struct fx_text id) {
    for (size_t i = 0; i < foreign->n_items; i++) {
        if (fx_text_is(id, foreign->items[i].id)) {
            return &foreign->items[i];
        }
    }
    return NULL;
}

bool fx_sweep_foreign_see(struct fx_sweep_foreign *foreign, struct fx_text id,
                          uint64_t due_ns) {
    struct fx_sweep_foreign_id *known = find(foreign, id);
    if (known != NULL) {
        known->is_seen = true;
        return true;
    }
    if (foreign->n_items >= FX_LIMIT_SWEEP_FOREIGN_IDS) {
        return true;
    }
    char *copy = fx_text_dup(id);
    if (copy == NULL ||
        !FX_VEC_GROW(foreign->items, foreign->n_items, foreign->cap_items)) {
        free(copy);
        return false;
    }
    foreign->items[foreign->n_items++] =
        (struct fx_sweep_foreign_id){.id = copy, .due_ns = due_ns, .is_seen = true};
    return true;
}

bool fx_sweep_foreign_is_due(const struct fx_sweep_foreign *foreign, struct fx_text id,
                             uint64_t now_ns) {
    const struct fx_sweep_foreign_id *known = find(foreign, id);
    return known != NULL && now_ns >= known->due_ns;
}

uint64_t fx_sweep_foreign_next(const struct fx_sweep_foreign *foreign) {
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < foreign->n_items; i++) {
        next = foreign->items[i].due_ns < next ? foreign->items[i].due_ns : next;
    }
    return next;
}

/* Counts a try, if the id is due; true if it was the last one. */
static bool count_try(struct fx_sweep_foreign_id *one, uint64_t now_ns,
                      uint64_t rest_ns) {
    if (now_ns < one->due_ns || ++one->n_tries < FX_SWEEP_TRIES) {
        return false;
    }
    one->n_tries = 0;
    one->due_ns = now_ns + rest_ns;
    return true;
}

const char *fx_sweep_foreign_end_pass(struct fx_sweep_foreign *foreign, uint64_t now_ns,
                                      uint64_t rest_ns) {
    const char *left_alone = NULL;
    size_t n_kept = 0;
    for (size_t i = 0; i < foreign->n_items; i++) {
        struct fx_sweep_foreign_id one = foreign->items[i];
        if (!one.is_seen) {
            free(one.id);
            continue;
        }
        if (count_try(&one, now_ns, rest_ns)) {
            left_alone = one.id;
        }
        one.is_seen = false;
        foreign->items[n_kept++] = one;
    }
    foreign->n_items = n_kept;
    return left_alone;
}
