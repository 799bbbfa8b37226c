/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/ready.h - the condition `Ready` in the status of a policy, as metav1.Condition
 * has it: what one look says of all that status.byPod says. Private to this room. Pure:
 * the time is told.
 */
#ifndef FX_CLUSTER_READY_H
#define FX_CLUSTER_READY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"

#define FX_READY_MESSAGE_BYTES 32768 /* as API servers bound it */

/* The one that an object shows. Zeroed: none. */
struct fx_ready_seen {
    uint64_t digest; /* fx_ready_digest(); 0: there is none that is whole */
    int64_t since;   /* its lastTransitionTime, in seconds since 1970 */
    enum { FX_READY_UNKNOWN, FX_READY_TRUE, FX_READY_FALSE } status;
};

void fx_ready_see(const json_t *object, struct fx_ready_seen *ret_seen);

/* What it ought to be, by a replica's entry of status.byPod (cluster/status.h): True, or
 * False with all errors as its message, and the first one's reason. As long as the status
 * is the one that was seen, so is the time of its transition; else that is `now`. A new
 * tree; NULL without memory. */
json_t *fx_ready_make(const json_t *entry, const struct fx_ready_seen *seen,
                      int64_t now) FX_MUST_USE;

/* Tells one condition from another, whenever its status changed; never 0. */
uint64_t fx_ready_digest(const json_t *condition);

#endif
