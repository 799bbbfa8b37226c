/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kinds.h - remembers the resources of kinds that were read from the API server
 * (kube/discovery.h), for a while, since a kind may get another resource.
 */
#ifndef FX_KUBE_KINDS_H
#define FX_KUBE_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "kube/discovery.h"
#include "kube/resource.h"

struct fx_kube_kind {
    char *texts; /* of the resource, owned */
    struct fx_kube_resource resource;
    bool is_namespaced;
    uint64_t until_ns; /* when the resource is read again */
};

/* The kinds, the oldest first, at most FX_LIMIT_FETCHED_KINDS. Zeroed is empty. */
struct fx_kube_kinds {
    struct fx_kube_kind *items;
    size_t n_items, cap_items;
};

void fx_kube_kinds_finish(struct fx_kube_kinds *kinds);

/* Finds the resource of a kind. `wanted` has group, version and kind. Kinds that every
 * API server has need not be read. NULL: it is not known, and has to be read. Borrowed
 * until the next change of the list. */
const struct fx_kube_kind *fx_kube_kinds_find(struct fx_kube_kinds *kinds,
                                              const struct fx_kube_resource *wanted);

/* Adds a kind that was read, and returns it, borrowed. NULL without memory. */
const struct fx_kube_kind *
fx_kube_kinds_keep(struct fx_kube_kinds *kinds,
                   const struct fx_kube_discovered *discovered) FX_MUST_USE;

/* Forgets a kind, because its resource is gone. */
void fx_kube_kinds_forget(struct fx_kube_kinds *kinds,
                          const struct fx_kube_resource *wanted);

#endif
