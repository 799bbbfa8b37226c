/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/changes.c - counts the changes of each target by each rule, for one
 * minute from the first one.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "cluster/existing/existing_internal.h"

#define WINDOW_NS (UINT64_C(1000000) * FX_LIMIT_EXISTING_CHANGES_MS)

static int compare_digest(const void *key, const void *item) {
    const uint64_t *digest = key;
    const struct fx_existing_change *change = item;
    return *digest < change->digest ? -1 : *digest > change->digest;
}

static void drop_old(struct fx_existing_changes *changes, uint64_t now_ns) {
    size_t kept = 0;
    for (size_t i = 0; i < changes->n_items; i++) {
        if (now_ns - changes->items[i].from_ns < WINDOW_NS) {
            changes->items[kept++] = changes->items[i];
        }
    }
    changes->n_items = kept;
}

/* Returns the index of the entry of the digest, or where it would be inserted. */
static size_t find_change(const struct fx_existing_changes *changes, uint64_t digest,
                          bool *ret_found) {
    return fx_sorted_find(changes->items, changes->n_items, sizeof *changes->items,
                          &digest, compare_digest, ret_found);
}

/* False if there is no room. */
static bool add_change(struct fx_existing_changes *changes, uint64_t digest,
                       uint64_t now_ns) {
    bool found = false;
    if (changes->n_items == FX_LIMIT_EXISTING_TARGETS) {
        drop_old(changes, now_ns);
    }
    if (changes->n_items == FX_LIMIT_EXISTING_TARGETS ||
        !FX_VEC_GROW(changes->items, changes->n_items, changes->cap_items)) {
        return false;
    }
    const size_t at = find_change(changes, digest, &found);
    FX_SORTED_INSERT(changes->items, changes->n_items, at);
    changes->items[at] = (struct fx_existing_change){digest, now_ns, 1};
    return true;
}

bool fx_existing_changes_take(struct fx_existing_changes *changes, uint64_t digest,
                              uint64_t now_ns) {
    bool found = false;
    const size_t at = find_change(changes, digest, &found);
    if (!found) {
        return add_change(changes, digest, now_ns);
    }
    struct fx_existing_change *change = &changes->items[at];
    if (now_ns - change->from_ns >= WINDOW_NS) {
        *change = (struct fx_existing_change){digest, now_ns, 0};
    }
    if (change->n_changes >= FX_LIMIT_EXISTING_CHANGES) {
        return false;
    }
    change->n_changes++;
    return true;
}

void fx_existing_changes_finish(struct fx_existing_changes *changes) {
    free(changes->items);
    *changes = (struct fx_existing_changes){0};
}
