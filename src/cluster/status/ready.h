/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/ready.h - the condition `Ready` (a metav1.Condition) in the status of a
 * policy: a summary of an entry of status.byPod. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_STATUS_READY_H
#define FX_CLUSTER_STATUS_READY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "cluster/policies/seen_status.h"

#define FX_READY_MESSAGE_BYTES 32768 /* the limit of API servers */

/* The condition for an entry of status.byPod (cluster/status/status.h): True, or False
 * with all errors as the message and the reason of the first one. The time of the
 * transition is that of `seen` if the status is the same, else `now`. A new tree; NULL
 * without memory. */
json_t *fx_ready_make(const json_t *entry, const struct fx_seen_ready *seen,
                      int64_t now) FX_MUST_USE;

#endif
