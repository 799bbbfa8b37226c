/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_schemas.h - which fields of a status the installed CRDs declare:
 * `status.byPod` as a list keyed by `id`, in which each replica owns its entry, as an
 * atomic value, or not at all; and whether they declare `status.conditions`. Private to
 * this room. Loop thread only.
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

/* The fields of a status. Zeroed is the default if the CRD cannot be read, which always
 * works. */
struct fx_status_schema {
    enum {
        FX_STATUS_ATOMIC, /* byPod is one value, as far as is known */
        FX_STATUS_KEYED,  /* byPod is a list keyed by `id` */
        FX_STATUS_NONE,   /* there is no status, or byPod is pruned */
    } by_pod;
    bool conditions; /* a list keyed by `type` */
};

/* Starts to read the CRD of each mutator kind of these APIs (cluster/policies/kinds.h),
 * again every ten minutes. `on_known` is called when all have been read once, and
 * whenever a schema changed. Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_status_schemas *
fx_status_schemas_create(uv_loop_t *loop, struct fx_kube_client *client, unsigned apis,
                         void (*on_known)(void *user), void *user,
                         struct fx_err *err) FX_MUST_USE;

/* Whether all CRDs have been read. */
bool fx_status_schemas_known(const struct fx_status_schemas *schemas);

/* Reports that there are objects of that kind. If its CRD did not exist when it was read,
 * all CRDs are read again now, and fx_status_schemas_known() is false until `on_known`.
 */
void fx_status_schemas_request(struct fx_status_schemas *schemas,
                               const struct fx_cluster_kind *kind);

/* The schema of that version of the resource. */
struct fx_status_schema fx_status_schemas_get(const struct fx_status_schemas *schemas,
                                              const struct fx_kube_resource *resource);

/* Reads the schema of a version from a CRD object. Pure. */
struct fx_status_schema fx_status_schema_read(const json_t *crd, const char *version);

void fx_status_schemas_close(struct fx_status_schemas *schemas); /* NULL is allowed */

#endif
