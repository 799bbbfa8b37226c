/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret.h - our certificate where it is our own to make
 * (`--tls-secret`): CA and leaf kept in one Secret, watched by its name only, rotated in
 * two phases by whichever replica comes first (cluster/certificates/rotation.h decides;
 * resourceVersion settles who was first). What was good last is remembered, and stays in
 * use while the Secret is spoilt. Loop thread only. No key is ever logged.
 */
#ifndef FX_CLUSTER_CERTIFICATES_SECRET_H
#define FX_CLUSTER_CERTIFICATES_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "kube/client.h"
#include "kube/reflector.h"

struct fx_cluster_secret; /* opaque */

/* Borrowed. */
struct fx_cluster_secret_options {
    const char *namespace_, *name; /* of the Secret */
    const char *const *names;      /* that the leaf must have */
    size_t n_names;
    int64_t ca_validity_s, leaf_validity_s;
    int64_t wait_s; /* between the phases of a rotation */
    bool writes;    /* false: it is only read */
};

struct fx_cluster_secret_events {
    /* A chain and key to serve with, PEM, and the bundle to publish; borrowed. False
     * where there is no memory to publish it: then it is told again, within a minute. */
    void (*on_pair)(struct fx_text cert_pem, struct fx_text key_pem, void *user);
    bool (*on_bundle)(struct fx_text ca_bundle, int64_t ca_not_after, void *user);
    void (*on_state)(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user);
    void *user;
};

/* Begins: a Secret that is there is used at once, one that is not is made, if that is
 * wanted, after the first list. The options may go then. Errors: FX_EINVALID (names or
 * times of the options that make no sense), FX_ENOMEM. */
struct fx_cluster_secret *
fx_cluster_secret_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_secret_options *options,
                         const struct fx_cluster_secret_events *events,
                         struct fx_err *err) FX_MUST_USE;

/* What cluster/webhooks/webhooks.h says of the bundle that was handed out last. */
void fx_cluster_secret_published(struct fx_cluster_secret *secret, uint64_t since_ns);

/* Looks now, without waiting for the next moment of interest. */
void fx_cluster_secret_check(struct fx_cluster_secret *secret);

/* How the watch of it stands. */
void fx_cluster_secret_get_status(const struct fx_cluster_secret *secret,
                                  struct fx_kube_reflector_status *ret_status);

extern const struct fx_kube_resource fx_cluster_secrets;

void fx_cluster_secret_close(struct fx_cluster_secret *secret); /* NULL is fine */

#endif
