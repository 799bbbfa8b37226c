/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_schemas.h - how the installed CRDs keep `status.byPod`: as a list
 * keyed by `id`, in which each replica owns its entry, as one atomic value, or not at
 * all; and whether they keep `status.conditions`. Private to this room. Loop thread only.
 */
#ifndef FX_CLUSTER_STATUS_STATUS_SCHEMAS_H
#define FX_CLUSTER_STATUS_STATUS_SCHEMAS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/policies/kinds.h"
#include "kube/client.h"

struct fx_status_schemas; /* opaque */

/* What the status of an object has room for. Zeroed is what always works, where the CRD
 * may not be read. */
struct fx_status_schema {
    enum {
        FX_STATUS_ATOMIC, /* byPod is one value, for all that is known */
        FX_STATUS_KEYED,  /* a list keyed by `id` */
        FX_STATUS_NONE,   /* there is no status to be written, or byPod is pruned */
    } by_pod;
    bool conditions; /* a list keyed by `type` */
};

/* Asks for the CRD of each mutator kind of those APIs (cluster/policies/kinds.h), and
 * again every ten minutes. `on_known` is told when all have been asked for once, and when
 * that came to be another one. Errors: FX_ENOMEM. */
struct fx_status_schemas *
fx_status_schemas_create(uv_loop_t *loop, struct fx_kube_client *client, unsigned apis,
                         void (*on_known)(void *user), void *user,
                         struct fx_err *err) FX_MUST_USE;

bool fx_status_schemas_known(const struct fx_status_schemas *lists);

/* There are objects of that kind. Where its CRD was not there when it was asked for, all
 * are asked for again now, and nothing is known until `on_known` is told. */
void fx_status_schemas_request(struct fx_status_schemas *lists,
                               const struct fx_cluster_kind *kind);

/* The room in that version of the resource. */
struct fx_status_schema fx_status_schemas_get(const struct fx_status_schemas *lists,
                                              const struct fx_kube_resource *resource);

/* The same of a CRD object. Pure. */
struct fx_status_schema fx_status_schema_read(const json_t *crd, const char *version);

void fx_status_schemas_close(struct fx_status_schemas *lists); /* NULL is fine */

#endif
