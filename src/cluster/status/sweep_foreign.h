/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_foreign.h - ids of status entries that another program wrote, as
 * the controller that Fixpoint replaced. Whether its Pods still exist cannot be known:
 * after a waiting time the entries are removed, and if they come back, somebody still
 * writes them. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_STATUS_SWEEP_FOREIGN_H
#define FX_CLUSTER_STATUS_SWEEP_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* After so many passes in a row that found entries to remove, the id is left alone. */
#define FX_SWEEP_TRIES 5u

struct fx_sweep_foreign_id {
    char *id;
    uint64_t due_ns;  /* when its entries are removed */
    unsigned n_tries; /* passes that found it due */
    bool is_seen;     /* in the current pass */
};

/* Zeroed is empty. A short list, searched linearly. */
struct fx_sweep_foreign {
    struct fx_sweep_foreign_id *items;
    size_t n_items, cap_items;
};

void fx_sweep_foreign_finish(struct fx_sweep_foreign *foreign);

/* Reports an entry with that id. A new id is due at `due_ns`; if there are too many ids,
 * it is ignored. False without memory. */
bool fx_sweep_foreign_see(struct fx_sweep_foreign *foreign, struct fx_text id,
                          uint64_t due_ns) FX_MUST_USE;

bool fx_sweep_foreign_is_due(const struct fx_sweep_foreign *foreign, struct fx_text id,
                             uint64_t now_ns);

/* When the next id is due; UINT64_MAX: none. */
uint64_t fx_sweep_foreign_next(const struct fx_sweep_foreign *foreign);

/* Ends a pass over all objects: forgets ids that were not seen, and counts a try for
 * those that are due. After the last try an id is left alone for `rest_ns`. Returns such
 * an id, borrowed until the next change, or NULL. */
const char *fx_sweep_foreign_end_pass(struct fx_sweep_foreign *foreign, uint64_t now_ns,
                                      uint64_t rest_ns);

#endif
