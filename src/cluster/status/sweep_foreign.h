/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_foreign.h - ids of status entries that are no Pod of ours and of
 * which we do not know who wrote them, as another program's after a swap. Where their
 * Pods are, and whether they are gone, cannot be known: an id is waited for, then its
 * entries are removed, and where they come back somebody still writes them. Private to
 * this room. Pure.
 */
#ifndef FX_CLUSTER_STATUS_SWEEP_FOREIGN_H
#define FX_CLUSTER_STATUS_SWEEP_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* So many looks in a row may find entries that are to go; then the id is left alone. */
#define FX_SWEEP_TRIES 5u

struct fx_sweep_foreign_id {
    char *id;
    uint64_t ripe_ns; /* from then on its entries are removed */
    unsigned n_tries; /* looks that found it ripe */
    bool is_seen;     /* in the look under way */
};

/* Zeroed is empty. */
struct fx_sweep_foreign {
    struct fx_sweep_foreign_id *items;
    size_t n_items, cap_items;
};

void fx_sweep_foreign_finish(struct fx_sweep_foreign *all);

/* An entry of that id was seen. One that is new becomes ripe at `ripe_ns`; where there
 * are too many already, it is not noted. False without memory. */
bool fx_sweep_foreign_see(struct fx_sweep_foreign *all, struct fx_text id,
                          uint64_t ripe_ns) FX_MUST_USE;

bool fx_sweep_foreign_is_due(const struct fx_sweep_foreign *all, struct fx_text id,
                             uint64_t now_ns);

/* When the next one is ripe; UINT64_MAX where there is none. */
uint64_t fx_sweep_foreign_next(const struct fx_sweep_foreign *all);

/* A look at all objects is over: ids that it has not seen are forgotten, and those that
 * it found ripe have had a try. One that has had all is left alone until `rest_ns` later.
 * Returns such a one, or NULL; borrowed until the next change. */
const char *fx_sweep_foreign_end_pass(struct fx_sweep_foreign *all, uint64_t now_ns,
                                      uint64_t rest_ns);

#endif
