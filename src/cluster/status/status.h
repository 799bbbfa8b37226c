/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status.h - our own entry of each mutator's `status.byPod` (spec
 * sections 3.1 and 9): `id`, `mutatorUID`, `observedGeneration`, `operations`,
 * `enforced`, `errors`; and of the kinds that have one the condition `Ready`
 * (cluster/status/ready.h), which the holder of the Lease alone writes. Loop thread only.
 *
 * Written by server-side apply as the field manager `fixpoint-<pod>`, where the CRD makes
 * byPod a list keyed by `id`, as ours do. Where an installed CRD keeps it atomic
 * (those of other projects do), an apply would drop the entries of the others: then it is
 * read, merged and updated with its resourceVersion, again on a conflict. Which of the
 * two is read from the CRD itself; where that may not be read, the second always works.
 * The condition is applied, as `fixpoint`, where the CRD keys conditions by `type`. A CRD
 * without room for any of it is left alone, which is said once.
 *
 * Only what differs is written, a few at a time and at a bounded rate, the newest state
 * only; what fails is tried again with growing pauses.
 */
#ifndef FX_CLUSTER_STATUS_STATUS_H
#define FX_CLUSTER_STATUS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/policies/identity.h"
#include "cluster/policies/policies.h"
#include "kube/client.h"

struct fx_cluster_status; /* opaque */

struct fx_cluster_status_counts {
    uint64_t written, failed; /* since the start */
    size_t queued;            /* that are to be written */
};

/* `policies`, which reads those of `apis` (cluster/policies/kinds.h), is asked for
 * objects and outlives it. Errors: FX_ENOMEM. */
struct fx_cluster_status *
fx_cluster_status_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_identity *identity,
                         const struct fx_cluster_policies *policies, unsigned apis,
                         struct fx_err *err) FX_MUST_USE;

/* From now on (or no more) we hold the Lease. */
void fx_cluster_status_set_leader(struct fx_cluster_status *status, bool leads);

/* There is a new build: what every mutator's status says of it is compared with what it
 * ought to say. */
void fx_cluster_status_compare_all(struct fx_cluster_status *status,
                                   struct fx_policies *built);

/* This one's status was changed by somebody. */
void fx_cluster_status_compare_one(struct fx_cluster_status *status,
                                   struct fx_policies *built,
                                   const struct fx_cluster_object *object);

/* The entry of one mutator under the policies in force, as a new tree; NULL without
 * memory. Errors: those of its findings (severity error: no type; conflicts:
 * `ErrConflictingSchema`), and quarantine. Pure. */
json_t *fx_cluster_status_entry(const struct fx_cluster_identity *identity,
                                const struct fx_policies *built,
                                const struct fx_cluster_object *object) FX_MUST_USE;

/* What an error of an entry is about, in one word: Invalid, Conflicting, Quarantined. */
const char *fx_cluster_status_reason(const json_t *error);

/* Has the object as it stands been built, so that there is something to say of it? */
bool fx_cluster_status_is_built(const struct fx_policies *built,
                                const struct fx_cluster_object *object);

void fx_cluster_status_get_counts(const struct fx_cluster_status *status,
                                  struct fx_cluster_status_counts *ret_counts);

void fx_cluster_status_close(struct fx_cluster_status *status); /* NULL is fine */

#endif
