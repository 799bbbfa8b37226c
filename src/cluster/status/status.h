/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status.h - writes this replica's entry of each mutator's `status.byPod`
 * (spec sections 3.1 and 9): `id`, `mutatorUID`, `observedGeneration`, `operations`,
 * `enforced`, `errors`; and, for kinds that have one, the condition `Ready`
 * (cluster/status/status_internal.h), which only the holder of the Lease writes. Loop
 * thread only.
 *
 * The entry is written by server-side apply as the field manager `fixpoint-<pod>` if the
 * CRD declares byPod as a list keyed by `id`, as ours do. If an installed CRD keeps byPod
 * atomic (those of other projects do), an apply would remove the entries of other
 * replicas: then the object is read, merged and updated with its resourceVersion, and
 * again after a conflict. The CRD is read to decide. If reading it is not permitted, the
 * second way is used, which always works. The condition is applied as `fixpoint`, if the
 * CRD declares conditions as a list keyed by `type`. If a CRD has none of these fields
 * (as those of other projects), nothing is written, and this is logged once.
 *
 * `typeChecking` and `observedGeneration` are applied as `fixpoint`, too, if the CRD
 * declares them.
 *
 * Only differences are written, a few at a time and at a limited rate; failed writes are
 * retried after growing pauses.
 */
#ifndef FX_CLUSTER_STATUS_STATUS_H
#define FX_CLUSTER_STATUS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "cluster/policies/policies.h"
#include "engine/schemas.h"
#include "kube/client.h"

struct fx_cluster_status; /* opaque */

/* Reports schemas, once, on the loop, perhaps at once. The callee takes the catalog;
 * NULL: they could not be fetched, for the reason `failure`. */
typedef void fx_on_type_schemas(struct fx_schema_catalog *catalog_take,
                                const struct fx_err *failure, void *user);

/* Where the schemas for `typeChecking` come from. */
struct fx_type_source {
    /* Fetches those of a group and version. False if that cannot begin. */
    bool (*fetch)(void *source, struct fx_text group, struct fx_text version,
                  fx_on_type_schemas *on_done, void *user);
    void *user; /* the argument `source` */
};

struct fx_cluster_status_counts {
    uint64_t written, failed; /* since the start */
    size_t queued;            /* not written yet */
};

/* Creates the writer of statuses for the objects of `policies`, which must outlive it.
 * `apis`: the APIs that `policies` watches (cluster/policies/kinds.h). Returns NULL on
 * failure; errors: FX_ENOMEM. */
struct fx_cluster_status *
fx_cluster_status_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_identity *identity,
                         const struct fx_cluster_policies *policies, unsigned apis,
                         struct fx_err *err) FX_MUST_USE;

/* Lets the holder of the Lease write `typeChecking` and `observedGeneration` of kinds
 * that have them: the warnings of type_checks.h, as API servers write them for
 * ValidatingAdmissionPolicies. The source must be ready as long as `status`; fetches that
 * are under way when that is closed must end without a report. Errors: FX_ENOMEM. */
bool fx_cluster_status_check_types(struct fx_cluster_status *status,
                                   const struct fx_type_source *source,
                                   struct fx_err *err) FX_MUST_USE;

/* Reports whether this replica holds the Lease. */
void fx_cluster_status_set_leader(struct fx_cluster_status *status, bool leads);

/* Reports the active policies: compares every mutator's status with the wanted one. Takes
 * a new reference. */
void fx_cluster_status_compare_all(struct fx_cluster_status *status,
                                   struct fx_policies *built);

/* Reports that the status of one object changed in the cluster. */
void fx_cluster_status_compare_one(struct fx_cluster_status *status,
                                   struct fx_policies *built,
                                   const struct fx_cluster_object *object);

/* The entry of one mutator under the active policies, as a new tree; NULL without memory.
 * Its errors are the mutator's findings (severity error; no type), conflicts
 * (`ErrConflictingSchema`), and quarantine. Pure. */
json_t *fx_cluster_status_entry(const struct fx_cluster_identity *identity,
                                const struct fx_policies *built,
                                const struct fx_cluster_object *object) FX_MUST_USE;

/* The reason of an error of an entry, in one word: Invalid, Conflicting, Quarantined. */
const char *fx_cluster_status_reason(const json_t *error);

/* Does the build contain this version of the object, so that its status is known? */
bool fx_cluster_status_is_built(const struct fx_policies *built,
                                const struct fx_cluster_object *object);

void fx_cluster_status_get_counts(const struct fx_cluster_status *status,
                                  struct fx_cluster_status_counts *ret_counts);

/* Stops, and cancels writes in progress. NULL is allowed. */
void fx_cluster_status_close(struct fx_cluster_status *status);

#endif
