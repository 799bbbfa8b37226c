/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_plan.h - which entries of `status.byPod` are obsolete, and how
 * each is removed. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_STATUS_SWEEP_PLAN_H
#define FX_CLUSTER_STATUS_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

/* A sorted set of names. Zeroed is empty. */
struct fx_sweep_names {
    char **items;
    size_t n_items, cap_items;
};

void fx_sweep_names_finish(struct fx_sweep_names *names);

/* Adds a name; false without memory, or if there are too many. Fast for names that come
 * in their order, as from an API server. */
bool fx_sweep_names_add(struct fx_sweep_names *names, struct fx_text name) FX_MUST_USE;

bool fx_sweep_names_has(const struct fx_sweep_names *names, struct fx_text name);
bool fx_sweep_names_hold_all(const struct fx_sweep_names *names,
                             const struct fx_sweep_names *others);

/* Adds the names of the items of a page of a list. */
bool fx_sweep_names_add_page(struct fx_sweep_names *names,
                             const json_t *list) FX_MUST_USE;

/* How an entry is removed. */
enum fx_sweep_method {
    FX_SWEEP_NONE,    /* not at all: its id is not a Pod name, or our own Pod */
    FX_SWEEP_APPLY,   /* its Pod's field manager owns it in a list keyed by `id`: an empty
                       * apply as that manager removes it */
    FX_SWEEP_DROP,    /* it is of a Pod of our Deployment: update the object without it */
    FX_SWEEP_FOREIGN, /* it is of another program: the same,
                       * but later */
};

/* How to remove the entry with that id from this object, which has its managedFields. */
enum fx_sweep_method fx_sweep_method_of(const json_t *object, struct fx_text id,
                                        const char *own_pod);

/* Whether both are Pods of one Deployment: equal names but for the last two parts. */
bool fx_sweep_is_sibling(struct fx_text id, const char *own_pod);

/* ---- ids of other programs ---- */

/* Ids of status entries that another program wrote, as the controller that Fixpoint
 * replaced. Whether its Pods still exist cannot be known: after a waiting time the
 * entries are removed; if they come back, their writer still runs. */

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
