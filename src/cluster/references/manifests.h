/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/manifests.h - whole objects of one resource, of those that were
 * asked for of late, each until a watch tells that it has changed. So many of so many
 * bytes; whoever came first has to go. Private to this room. Pure; whose lock it needs is
 * the caller's business.
 */
#ifndef FX_CLUSTER_REFERENCES_MANIFESTS_H
#define FX_CLUSTER_REFERENCES_MANIFESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/text.h"

/* Zeroed is empty. */
struct fx_cluster_manifests {
    struct fx_cluster_manifest {
        json_t *object; /* counted */
        size_t bytes;   /* of its text */
        uint64_t turn;  /* in which it came */
    } *items;           /* sorted by name */
    size_t n_items, cap_items, bytes;
    uint64_t turn;
};

void fx_cluster_manifests_finish(struct fx_cluster_manifests *manifests);

/* Keeps the object, which has a name, in place of what is kept of that name; a reference
 * is taken. One that is too large, or for which there is no memory, is not kept. */
void fx_cluster_manifests_put(struct fx_cluster_manifests *manifests, json_t *object);

/* The object of that name, borrowed; NULL where none is kept. */
json_t *fx_cluster_manifests_find(const struct fx_cluster_manifests *manifests,
                                  struct fx_text name);

/* The object of that name has this metadata.resourceVersion now: unless it is the one
 * that is kept, that is not kept any longer. */
void fx_cluster_manifests_note(struct fx_cluster_manifests *manifests,
                               struct fx_text name, struct fx_text version);

void fx_cluster_manifests_remove(struct fx_cluster_manifests *manifests,
                                 struct fx_text name);

#endif
