/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespaces.h - the namespaces of the cluster, for selectors: watched
 * as metadata only, kept as short texts (name and labels; ten thousand take a megabyte or
 * two), and converted to objects for the reviews that need them. Whole namespaces are
 * fetched on request and cached, within limits, until the watch reports a change. Loop
 * thread only, except fx_cluster_namespaces_find() and
 * fx_cluster_namespaces_find_whole().
 */
#ifndef FX_CLUSTER_REFERENCES_NAMESPACES_H
#define FX_CLUSTER_REFERENCES_NAMESPACES_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "cluster/references/fetches.h"
#include "kube/client.h"
#include "kube/reflector.h"

struct fx_cluster_namespaces; /* opaque */

typedef void fx_cluster_on_state(const struct fx_kube_resource *resource,
                                 enum fx_kube_state state,
                                 const struct fx_kube_failure *failure, void *user);

/* Starts watching. `on_state` is called when the state of the watch changes. Returns NULL
 * on failure; errors: FX_ENOMEM. */
struct fx_cluster_namespaces *
fx_cluster_namespaces_create(uv_loop_t *loop, struct fx_kube_client *client,
                             fx_cluster_on_state *on_change, void *user,
                             struct fx_err *err) FX_MUST_USE;

/* The namespace with that name as a new Namespace object (v1; metadata with name and
 * labels). NULL: not known, or without memory (sets `*ret_nomem`). Any thread: a reader
 * waits only while a change is being made. */
json_t *fx_cluster_namespaces_find(struct fx_cluster_namespaces *namespaces,
                                   struct fx_text name, bool *ret_nomem) FX_MUST_USE;

/* The whole namespace with that name, after fx_kube_object_strip(), as a new reference to
 * a shared object. NULL: it is not in the cache. Any thread, as above. */
json_t *fx_cluster_namespaces_find_whole(struct fx_cluster_namespaces *namespaces,
                                         struct fx_text name) FX_MUST_USE;

/* The namespace to fetch. */
struct fx_cluster_namespace_request {
    struct fx_text name;
    bool whole;           /* false: name and labels only */
    uint64_t deadline_ns; /* 0: the default timeout */
};

/* Fetches a namespace that is not known (it may be newer than the watch). The result is
 * reported as in fetches.h, but never after fx_cluster_namespaces_close(). False without
 * memory, or if too many requests are in progress. */
bool fx_cluster_namespaces_fetch(struct fx_cluster_namespaces *namespaces,
                                 const struct fx_cluster_namespace_request *request,
                                 fx_cluster_on_fetched *on_done, void *user) FX_MUST_USE;

/* Is the first list complete? */
bool fx_cluster_namespaces_ready(const struct fx_cluster_namespaces *namespaces);

void fx_cluster_namespaces_get_status(const struct fx_cluster_namespaces *namespaces,
                                      struct fx_kube_reflector_status *ret_status);

/* Stops, and cancels fetches in progress. NULL is allowed. */
void fx_cluster_namespaces_close(struct fx_cluster_namespaces *namespaces);

#endif
