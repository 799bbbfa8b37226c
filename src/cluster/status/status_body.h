/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_body.h - the bodies of writes to a status. Private to this room.
 * Pure.
 */
#ifndef FX_CLUSTER_STATUS_STATUS_BODY_H
#define FX_CLUSTER_STATUS_STATUS_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "cluster/policies/policies.h"
#include "cluster/policies/seen_status.h"

#define FX_STATUS_MANAGER_PREFIX "fixpoint-"
#define FX_STATUS_MANAGER_BYTES  129 /* a field manager has 128 characters at most */

/* The field manager of the Pod's entries: `fixpoint-<pod>`. Of a name that is too long
 * only the end is used, in which the Pods of a Deployment differ. */
void fx_status_manager(const char *pod, char ret_manager[FX_STATUS_MANAGER_BYTES]);

/* The apply configuration for this very object (its uid) with `item` as the only element
 * of the list `status.<list>`. A new tree; NULL without memory. */
json_t *fx_status_apply(const struct fx_cluster_object *object, const char *list,
                        json_t *item) FX_MUST_USE;

/* A copy of the object with `entry` in its byPod, which is sorted by id (spec section 9):
 * instead of the entry with the same id, or as a new one. NULL without memory. */
json_t *fx_status_merge(json_t *object, json_t *entry) FX_MUST_USE;

/* A copy of the object without the entries of these ids (terminated by NULL). NULL
 * without memory. */
json_t *fx_status_drop(json_t *object, const char *const *ids) FX_MUST_USE;

#define FX_READY_MESSAGE_BYTES 32768 /* the limit of API servers */

/* The condition `Ready` (a metav1.Condition) in the status of a policy, a summary of an
 * entry of status.byPod (cluster/status/status.h): True, or False
 * with all errors as the message and the reason of the first one. The time of the
 * transition is that of `seen` if the status is the same, else `now`. A new tree; NULL
 * without memory. */
json_t *fx_ready_make(const json_t *entry, const struct fx_seen_ready *seen,
                      int64_t now) FX_MUST_USE;

#endif
