/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/ready.h - the condition `Ready` in the status of a policy, as
 * metav1.Condition has it: what one look says of all that status.byPod says. Private to
 * this room. Pure: the time is told.
 */
#ifndef FX_CLUSTER_STATUS_READY_H
#define FX_CLUSTER_STATUS_READY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "cluster/policies/seen_status.h"

#define FX_READY_MESSAGE_BYTES 32768 /* as API servers bound it */

/* What it ought to be, by a replica's entry of status.byPod (cluster/status/status.h):
 * True, or False with all errors as its message, and the first one's reason. As long as
 * the status is the one that was seen, so is the time of its transition; else that is
 * `now`. A new tree; NULL without memory. */
json_t *fx_ready_make(const json_t *entry, const struct fx_seen_ready *seen,
                      int64_t now) FX_MUST_USE;

#endif
