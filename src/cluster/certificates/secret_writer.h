/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_writer.h - one write of our Secret at a time, not too
 * often, and told of in the log: the step and its reason, never a key. Private to this
 * room. Loop thread only.
 */
#ifndef FX_CLUSTER_CERTIFICATES_SECRET_WRITER_H
#define FX_CLUSTER_CERTIFICATES_SECRET_WRITER_H

#include <stdint.h>

#include <jansson.h>

#include "cluster/certificates/rotation.h"
#include "kube/client.h"
#include "kube/backoff.h"

/* Its user sets the first five, borrowed, and the pace's calm. */
struct fx_secret_writer {
    struct fx_kube_client *client;
    const char *namespace_, *name;
    /* A write has ended: what came of it, by whomever, is brought by the watch; where it
     * does not come, it is time to look again in so many milliseconds. */
    void (*on_ended)(uint64_t look_in_ms, void *user);
    void *user;
    struct fx_kube_throttle pace;
    struct fx_kube_call *call; /* under way */
    enum fx_rotation_step step;
    char reason[FX_ROTATION_REASON];
    enum fx_kube_reason told; /* the failure that was logged last */
};

/* With the pauses of this room: 2 s after a write, doubling to 5 min where the next one
 * is wanted before `calm_ms` more have passed. */
void fx_secret_writer_init(struct fx_secret_writer *writer, uint64_t calm_ms);

/* Writes what the rotation says: creates the Secret, or where there is one applies it to
 * that one, whose frame it is (kube/body.h). 0: under way; else nothing was done, and
 * it is time to decide again in so many milliseconds. */
uint64_t fx_secret_writer_write(struct fx_secret_writer *writer, const json_t *frame,
                                const struct fx_rotation *rotation);

void fx_secret_writer_cancel(struct fx_secret_writer *writer);

#endif
