/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_plan.h - which entries of `status.byPod` are obsolete, and how
 * each is removed. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_STATUS_SWEEP_PLAN_H
#define FX_CLUSTER_STATUS_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
