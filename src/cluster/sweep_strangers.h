/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/sweep_strangers.h - ids of status entries that are no Pod of ours and of which
 * we do not know who wrote them, as another program's after a swap. Where their Pods are,
 * and whether they are gone, cannot be known: an id is waited for, then its entries are
 * removed, and where they come back somebody still writes them. Private to this room.
 * Pure.
 */
#ifndef FX_CLUSTER_SWEEP_STRANGERS_H
#define FX_CLUSTER_SWEEP_STRANGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* So many looks in a row may find entries that are to go; then the id is left alone. */
#define FX_SWEEP_TRIES 5u

struct fx_sweep_stranger {
    char *id;
    uint64_t ripe_ns; /* from then on its entries are removed */
    unsigned n_tries; /* looks that found it ripe */
    bool is_seen;     /* in the look under way */
};

/* Zeroed is empty. */
struct fx_sweep_strangers {
    struct fx_sweep_stranger *items;
    size_t n_items, cap_items;
};

void fx_sweep_strangers_finish(struct fx_sweep_strangers *all);

/* An entry of that id was seen. One that is new becomes ripe at `ripe_ns`; where there
 * are too many already, it is not noted. False without memory. */
bool fx_sweep_strangers_see(struct fx_sweep_strangers *all, struct fx_text id,
                            uint64_t ripe_ns) FX_MUST_USE;

bool fx_sweep_strangers_is_ripe(const struct fx_sweep_strangers *all, struct fx_text id,
                                uint64_t now_ns);

/* When the next one is ripe; UINT64_MAX where there is none. */
uint64_t fx_sweep_strangers_next(const struct fx_sweep_strangers *all);

/* A look at all objects is over: ids that it has not seen are forgotten, and those that
 * it found ripe have had a try. One that has had all is left alone until `rest_ns` later.
 * Returns such a one, or NULL; borrowed until the next change. */
const char *fx_sweep_strangers_end_look(struct fx_sweep_strangers *all, uint64_t now_ns,
                                        uint64_t rest_ns);

#endif
