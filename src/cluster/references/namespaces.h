/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespaces.h - the namespaces of a cluster, for selectors: watched
 * as metadata only, kept as short texts (name and labels), made into trees for the review
 * that asks. Ten thousand of them cost a megabyte or two. Those that are asked for whole
 * are kept so, within bounds, until the watch tells of a change. Loop thread only, but
 * for fx_cluster_namespaces_find() and _find_whole().
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

/* Begins to watch. Errors: FX_ENOMEM. */
struct fx_cluster_namespaces *
fx_cluster_namespaces_create(uv_loop_t *loop, struct fx_kube_client *client,
                             fx_cluster_on_state *told, void *user,
                             struct fx_err *err) FX_MUST_USE;

/* The namespace of that name as a new Namespace object (v1; metadata with name and
 * labels), or NULL: not known, or (`*ret_nomem`) no memory. From any thread: those who
 * ask wait only while a change is made, which is the work of a moment. */
json_t *fx_cluster_namespaces_find(struct fx_cluster_namespaces *namespaces,
                                   struct fx_text name, bool *ret_nomem) FX_MUST_USE;

/* All of the namespace of that name, without what nobody reads, as a new reference that
 * is shared with others; NULL: not at hand, ask for it. From any thread, likewise. */
json_t *fx_cluster_namespaces_find_whole(struct fx_cluster_namespaces *namespaces,
                                         struct fx_text name) FX_MUST_USE;

/* Which one is wanted. */
struct fx_cluster_namespace_request {
    struct fx_text name;
    bool whole;           /* else name and labels */
    uint64_t deadline_ns; /* 0: none of its own */
};

/* Asks the API server for one that is not known (it may be younger than the watch). How
 * that ends, and its failures: cluster/references/fetches.h. Cancelled, and not told,
 * when the namespaces are closed. False without memory, or where too many are asked for
 * already.
 */
bool fx_cluster_namespaces_fetch(struct fx_cluster_namespaces *namespaces,
                                 const struct fx_cluster_namespace_request *wish,
                                 fx_cluster_on_fetched *on_done, void *user) FX_MUST_USE;

/* Has the first list been told? */
bool fx_cluster_namespaces_ready(const struct fx_cluster_namespaces *namespaces);

void fx_cluster_namespaces_get_status(const struct fx_cluster_namespaces *namespaces,
                                      struct fx_kube_reflector_status *ret_status);

/* Ends it. Fetches under way are cancelled. NULL is fine. */
void fx_cluster_namespaces_close(struct fx_cluster_namespaces *namespaces);

#endif
