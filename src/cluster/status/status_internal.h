/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_internal.h - what the two files share that write statuses.
 */
#ifndef FX_CLUSTER_STATUS_STATUS_INTERNAL_H
#define FX_CLUSTER_STATUS_STATUS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <uv.h>

#include "base/macros.h"
#include "cluster/status/status.h"
#include "cluster/status/status_body.h"
#include "cluster/status/status_queue.h"
#include "cluster/status/status_schemas.h"
#include "kube/client.h"

#define FX_STATUS_WRITES 4 /* under way at a time */

/* What is written into a status, each by a field manager of its own. */
enum fx_status_part {
    FX_STATUS_ENTRY, /* of byPod: by every replica */
    FX_STATUS_READY, /* of conditions: by the holder of the Lease */
    FX_STATUS_PARTS,
};

struct fx_status_write {
    struct fx_cluster_status *status;
    struct fx_kube_call *call; /* NULL: free */
    enum fx_status_part part;
    char *key;
};

struct fx_cluster_status {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    struct fx_cluster_identity identity;
    const struct fx_cluster_policies *policies;
    struct fx_status_schemas *lists;
    struct fx_policies *built; /* counted; NULL: none yet */
    bool leads;
    size_t cursor; /* objects before it were looked at under `built` */
    bool reviewing;
    uint64_t again_ns; /* when all are looked at once more; 0: no need */
    struct fx_status_queue queues[FX_STATUS_PARTS];
    size_t turn; /* whose queue is asked first */
    struct fx_status_write writes[FX_STATUS_WRITES];
    uint64_t next_write_ns;
    struct fx_cluster_status_counts counts;
    enum fx_kube_reason logged; /* the last failure in the log */
    bool told_no_room[FX_CLUSTER_KINDS];
    char manager[FX_STATUS_MANAGER_BYTES];
};

/* ---- status.c ---- */

/* What a `void *` of ours is. */
struct fx_cluster_status *fx_status_of(void *data);

/* The next turn in so many milliseconds. */
void fx_status_run_in(struct fx_cluster_status *status, uint64_t ms);

/* Is that part of the object's status ours to write, and is there room for it? */
bool fx_status_has(const struct fx_cluster_status *status, enum fx_status_part part,
                   const struct fx_cluster_object *object);

/* The part as it ought to be, as a new tree; NULL without memory. */
json_t *fx_status_make(const struct fx_cluster_status *status, enum fx_status_part part,
                       const struct fx_cluster_object *object) FX_MUST_USE;

/* ---- status_write.c ---- */

/* Begins what is due, as far as there is room and it is time. */
void fx_status_write_some(struct fx_cluster_status *status);

/* When there is something to be begun; UINT64_MAX: no such time is known. */
uint64_t fx_status_next_write_ns(struct fx_cluster_status *status);

#endif
