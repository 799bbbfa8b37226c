/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret.h - the server certificate in a Secret that Fixpoint
 * maintains (`--tls-secret`): CA and certificate, watched by name and rotated in two
 * phases. Any replica may do a step: cluster/certificates/rotation.h decides, and the
 * resourceVersion settles which replica was first. The last good content stays in use
 * while the Secret is invalid. Loop thread only. No key is ever logged.
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

/* Copied by fx_cluster_secret_create(). */
struct fx_cluster_secret_options {
    const char *namespace_, *name; /* of the Secret */
    const char *const *names;      /* the DNS names of the certificate */
    size_t n_names;
    int64_t ca_validity_s, leaf_validity_s;
    int64_t wait_s; /* between the phases of a rotation */
    bool writes;    /* false: the Secret is only read */
};

/* Callbacks, on the loop. Texts are borrowed. */
struct fx_cluster_secret_events {
    /* A new certificate chain and key to serve with (PEM). */
    void (*on_pair)(struct fx_text cert_pem, struct fx_text key_pem, void *user);
    /* A new CA bundle to publish. Returns false without memory: then it is called again
     * within a minute. */
    bool (*on_bundle)(struct fx_text ca_bundle, int64_t ca_not_after, void *user);
    void (*on_state)(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user);
    void *user;
};

/* Starts to watch the Secret. An existing Secret is used at once. If there is none after
 * the first list, it is created (only if `writes`). Returns NULL on failure; errors:
 * FX_EINVALID (invalid names or times in the options), FX_ENOMEM. */
struct fx_cluster_secret *
fx_cluster_secret_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_secret_options *options,
                         const struct fx_cluster_secret_events *events,
                         struct fx_err *err) FX_MUST_USE;

/* Reports the time since when every webhook configuration holds the last bundle
 * (`on_published` of cluster/webhooks/webhooks.h). */
void fx_cluster_secret_published(struct fx_cluster_secret *secret, uint64_t since_ns);

/* Checks the Secret now, without waiting for the timer. */
void fx_cluster_secret_check(struct fx_cluster_secret *secret);

/* The status of the watch. */
void fx_cluster_secret_get_status(const struct fx_cluster_secret *secret,
                                  struct fx_kube_reflector_status *ret_status);

extern const struct fx_kube_resource fx_cluster_secrets;

/* Stops. The memory is freed when no worker uses it any more. NULL is allowed. */
void fx_cluster_secret_close(struct fx_cluster_secret *secret);

#endif
