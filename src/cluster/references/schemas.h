/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/schemas.h - the schemas of the API server's kinds (GET /openapi/v3),
 * for reviews that merge objects. The document of a group and version is fetched when a
 * review first needs it, and again when its hash in the server's list changes. The list
 * is read again after 30 seconds if a review needs a schema then; that review waits for
 * it. For a document that the list does not have, it is read again after five seconds,
 * because a CustomResourceDefinition may be new. A document is parsed on the loop, which
 * takes some ten milliseconds for the largest.
 *
 * If the list or a document cannot be read, what was read before counts, else nothing:
 * then rules use the built-in table (engine/schemas.h). After a failure of the list it is
 * read again after five seconds, and a document with the next list.
 */
#ifndef FX_CLUSTER_REFERENCES_SCHEMAS_H
#define FX_CLUSTER_REFERENCES_SCHEMAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/list.h"
#include "base/macros.h"
#include "base/text.h"
#include "cluster/references/schema_store.h"
#include "engine/schemas.h"
#include "kube/client.h"

struct fx_cluster_schemas {
    struct fx_kube_client *client;
    struct fx_list_link *waiting;   /* requests of reviews */
    struct fx_list_link *documents; /* being fetched */
    size_t n_waiting;
    struct fx_kube_call *list_call; /* NULL: the list is not being read */

    uv_mutex_t lock; /* for the store: the loop writes, all threads read */
    struct fx_schema_store store;
};

/* The client is borrowed until fx_cluster_schemas_finish(). False without memory. */
bool fx_cluster_schemas_init(struct fx_cluster_schemas *schemas,
                             struct fx_kube_client *client) FX_MUST_USE;

/* Cancels all requests without calling their callbacks. */
void fx_cluster_schemas_finish(struct fx_cluster_schemas *schemas);

/* Finds the schemas of a group and version: see fx_schemas_look_up. WAIT: call
 * fx_cluster_schemas_fetch(). Any thread. */
enum fx_lookup fx_cluster_schemas_find(struct fx_cluster_schemas *schemas,
                                       struct fx_text group, struct fx_text version,
                                       struct fx_schema_catalog **ret_catalog,
                                       struct fx_err *err);

/* Reports the result, once, on the loop, perhaps at once. The callee takes the catalog;
 * if it is NULL, `failure` is the reason. */
typedef void fx_cluster_on_schemas(struct fx_schema_catalog *catalog_take,
                                   const struct fx_err *failure, void *user);

/* Fetches the schemas of a group and version. `deadline_ns` 0: the default timeout. False
 * without memory, or if too many reviews are waiting. Loop thread only. */
bool fx_cluster_schemas_fetch(struct fx_cluster_schemas *schemas, struct fx_text group,
                              struct fx_text version, uint64_t deadline_ns,
                              fx_cluster_on_schemas *on_done, void *user) FX_MUST_USE;

#endif
