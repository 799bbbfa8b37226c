/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_body.h - the bodies of writes to a status. Private to this room.
 * Pure.
 */
#ifndef FX_CLUSTER_STATUS_STATUS_BODY_H
#define FX_CLUSTER_STATUS_STATUS_BODY_H

#include <jansson.h>

#include "base/macros.h"
#include "cluster/policies/policies.h"

#define FX_STATUS_MANAGER_PREFIX "fixpoint-"
#define FX_STATUS_MANAGER_BYTES  129 /* a field manager has 128 characters at most */

/* The field manager of that Pod's entries: `fixpoint-<pod>`; of a name too long for that
 * its end, in which Pods of one Deployment differ. */
void fx_status_manager(const char *pod, char ret_manager[FX_STATUS_MANAGER_BYTES]);

/* What is applied: that object (of that uid, so that no other one of its name is meant)
 * with this item alone in that list of its status. NULL without memory. */
json_t *fx_status_apply(const struct fx_cluster_object *object, const char *list,
                        json_t *item) FX_MUST_USE;

/* The object that was read with this entry in its list, which is sorted by id (spec
 * section 9): in place of one with the same id, or as a new one. A new tree; NULL without
 * memory. */
json_t *fx_status_merge(json_t *object, json_t *entry) FX_MUST_USE;

/* The same without the entries of those ids (NULL ends). */
json_t *fx_status_drop(json_t *object, const char *const *ids) FX_MUST_USE;

#endif
