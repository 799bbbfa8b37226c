/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_writer.h - writes the Secret: one write at a time, at a
 * limited rate, and logged with the step and its reason, never with a key. Private to
 * this room. Loop thread only.
 */
#ifndef FX_CLUSTER_CERTIFICATES_SECRET_WRITER_H
#define FX_CLUSTER_CERTIFICATES_SECRET_WRITER_H

#include <stdint.h>

#include <jansson.h>

#include "cluster/certificates/rotation.h"
#include "kube/backoff.h"
#include "kube/client.h"

/* The caller sets the first five, borrowed. */
struct fx_secret_writer {
    struct fx_kube_client *client;
    const char *namespace_, *name;
    /* A write has ended. The watch shows the result; if it does not, check again in so
     * many milliseconds. */
    void (*on_ended)(uint64_t check_in_ms, void *user);
    void *user;
    struct fx_kube_throttle throttle;
    struct fx_kube_call *call; /* in progress */
    enum fx_rotation_step step;
    char reason[FX_ROTATION_REASON];
    enum fx_kube_reason logged; /* the last failure in the log */
};

/* Sets the pauses between writes: 2 s, doubling to 5 min if the next write comes less
 * than `calm_ms` after the end of a pause. */
void fx_secret_writer_init(struct fx_secret_writer *writer, uint64_t calm_ms);

/* Writes the content of the rotation: creates the Secret, or applies it to the Secret
 * whose fx_kube_body_for() is `existing`. Returns 0 if the write has started; else
 * nothing was done, and the caller decides again in so many milliseconds. */
uint64_t fx_secret_writer_write(struct fx_secret_writer *writer, const json_t *existing,
                                const struct fx_rotation *rotation);

/* Cancels the write in progress. */
void fx_secret_writer_cancel(struct fx_secret_writer *writer);

#endif
