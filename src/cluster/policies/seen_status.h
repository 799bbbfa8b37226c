/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/seen_status.h - what the status of a policy object in the cluster
 * shows of Fixpoint's own parts: its entry of `status.byPod` and the condition `Ready`.
 * Pure.
 */
#ifndef FX_CLUSTER_POLICIES_SEEN_STATUS_H
#define FX_CLUSTER_POLICIES_SEEN_STATUS_H

#include <stdint.h>

#include <jansson.h>

/* The condition `Ready` that an object shows. Zeroed: none. */
struct fx_seen_ready {
    uint64_t digest; /* fx_ready_digest(); 0: there is no complete condition */
    int64_t since;   /* its lastTransitionTime, in seconds since 1970 */
    enum { FX_READY_UNKNOWN, FX_READY_TRUE, FX_READY_FALSE } status;
};

/* Reads the condition `Ready` of the object. Without a condition, or with one whose
 * lastTransitionTime is not a date, `*ret_seen` is zeroed, so that it is written again.
 */
void fx_ready_read(const json_t *object, struct fx_seen_ready *ret_seen);

/* A digest of a condition without its lastTransitionTime. Never 0. */
uint64_t fx_ready_digest(const json_t *condition);

/* A digest of an entry of `status.byPod`; the order of its fields does not matter. Never
 * 0. */
uint64_t fx_status_digest(const json_t *entry);

/* The digest of the entry of `status.byPod` whose id is `pod`; 0 if there is none. */
uint64_t fx_status_digest_of_pod(const json_t *object, const char *pod);

#endif
