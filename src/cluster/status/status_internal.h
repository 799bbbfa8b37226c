/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_internal.h - what status.c (which parts differ) and
 * status_write.c (writing them) share.
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

#define FX_STATUS_WRITES 4 /* in progress at a time */

/* The parts of a status, each written by a field manager of its own. */
enum fx_status_part {
    FX_STATUS_ENTRY, /* in byPod: by every replica */
    FX_STATUS_READY, /* in conditions: by the holder of the Lease */
    FX_STATUS_PARTS,
};

struct fx_status_write {
    struct fx_cluster_status *status;
    struct fx_kube_call *call; /* NULL: none */
    enum fx_status_part part;
    char *key; /* NULL: not in use */
};

struct fx_cluster_status {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    struct fx_cluster_identity identity;
    const struct fx_cluster_policies *policies;
    struct fx_status_schemas *schemas;
    struct fx_policies *built; /* the active policies; counted; NULL: none yet */
    bool leads;
    size_t cursor; /* objects before it were compared with `built` */
    bool comparing;
    uint64_t again_ns; /* when to compare all objects again; 0: never */
    struct fx_status_queue queues[FX_STATUS_PARTS];
    size_t next_part; /* the part whose queue is used next */
    struct fx_status_write writes[FX_STATUS_WRITES];
    uint64_t next_write_ns;
    struct fx_cluster_status_counts counts;
    enum fx_kube_reason logged; /* the last failure in the log */
    bool logged_no_field[FX_CLUSTER_KINDS_MAX];
    char manager[FX_STATUS_MANAGER_BYTES];
};

/* ---- status.c ---- */

/* Casts the user data of a callback. */
struct fx_cluster_status *fx_status_of(void *data);

/* Sets the timer: compares and writes again in `ms` milliseconds. */
void fx_status_run_in(struct fx_cluster_status *status, uint64_t ms);

/* Whether this replica writes that part of the object's status: the CRD has the field,
 * and for FX_STATUS_READY this replica leads. */
bool fx_status_has(const struct fx_cluster_status *status, enum fx_status_part part,
                   const struct fx_cluster_object *object);

/* The part as it should be, as a new tree; NULL without memory. */
json_t *fx_status_make(const struct fx_cluster_status *status, enum fx_status_part part,
                       const struct fx_cluster_object *object) FX_MUST_USE;

/* ---- status_write.c ---- */

/* Starts the next write that is due, if the rate and the number of writes in progress
 * allow.
 */
void fx_status_write_next(struct fx_cluster_status *status);

/* When to call fx_status_write_next() again; UINT64_MAX: not known. */
uint64_t fx_status_next_write_ns(struct fx_cluster_status *status);

#endif
