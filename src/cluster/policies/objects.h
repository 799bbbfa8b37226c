/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/objects.h - the policy objects of the cluster, sorted by key. Private
 * to this room. Pure.
 */
#ifndef FX_CLUSTER_POLICIES_OBJECTS_H
#define FX_CLUSTER_POLICIES_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"
#include "cluster/policies/kinds.h"
#include "cluster/policies/policies.h"

/* Zeroed is empty. */
struct fx_cluster_objects {
    struct fx_cluster_object **items;
    size_t n_items, cap_items;
};

void fx_cluster_objects_finish(struct fx_cluster_objects *objects);

enum fx_object_change {
    FX_OBJECT_SAME,   /* no kept field */
    FX_OBJECT_STATUS, /* only Fixpoint's own part of the status */
    FX_OBJECT_POLICY, /* the policy */
};

/* The resource and version in which an object was read. */
struct fx_object_source {
    const struct fx_cluster_kind *kind;
    const struct fx_kube_resource *resource;
    const char *pod; /* the id of this replica's status entry */
};

/* Adds the object, or replaces the object with its key. The kept text is replaced only if
 * it changed. `*ret_item` is borrowed. False without memory, or for a name longer than an
 * API server allows; then nothing has changed. */
bool fx_cluster_objects_put(struct fx_cluster_objects *objects,
                            const struct fx_object_source *source, json_t *object,
                            struct fx_cluster_object **ret_item,
                            enum fx_object_change *ret_change) FX_MUST_USE;

/* Removes the object with that kind, namespace and name; false if there is none.
 * Allocates nothing. */
bool fx_cluster_objects_remove(struct fx_cluster_objects *objects,
                               const struct fx_cluster_kind *kind,
                               struct fx_text namespace_, struct fx_text name);

/* The object with that key, borrowed, or NULL. */
struct fx_cluster_object *
fx_cluster_objects_find(const struct fx_cluster_objects *objects, const char *key);

#endif
