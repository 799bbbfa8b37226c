/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/config.h - how to reach an API server, and as whom: from a kubeconfig file, or
 * from what a Pod is given. Reads files, opens no socket.
 */
#ifndef FX_KUBE_CONFIG_H
#define FX_KUBE_CONFIG_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"

/* All text is its own. Zeroed is empty. */
struct fx_kube_config {
    char *server;      /* "https://10.96.0.1:443", with a path where a proxy wants one */
    char *server_name; /* expected in the certificate; NULL: the host of `server` */
    char *ca_pem;      /* NULL: any certificate (insecure-skip-tls-verify), or plain */
    char *cert_pem;    /* a client certificate and its key, or NULL */
    struct fx_buf key_pem; /* wiped at the end */
    struct fx_buf token;   /* a bearer token; empty: none */
    char *token_file;      /* read again as it rotates, and before `token`; or NULL */
    char *namespace_;      /* of the context, or of the Pod; NULL: none given */
    char *context;         /* its name; NULL: the Pod's own */
};

/* Wipes keys and tokens, and frees all. NULL and zeroed are fine. */
void fx_kube_config_finish(struct fx_kube_config *config);

/*
 * Reads a kubeconfig (v1, YAML or JSON) as kubectl does: `context` (NULL: the file's
 * current-context), its cluster and its user; what the others hold is not looked at. File
 * names start at the kubeconfig's folder, and what is named must be readable; the same as
 * data and as a file is an error, and so is a name that two entries have. A `tokenFile`
 * goes before a `token`, which stands in until the file can be read. Without an
 * authority, those that the system trusts count (SSL_CERT_FILE, or where distributions
 * keep them). To an http:// server nobody's token or certificate is shown, as with
 * kubectl.
 *
 * Refused with a sentence that says what to do instead: `exec`, `auth-provider`, user and
 * password, impersonation, `proxy-url`; and what kubectl silently takes for nothing: a
 * cluster or user that is not in the file, a key without a certificate, an address
 * without a scheme. Further fields are ignored.
 *
 * Errors name the file and the field, as in
 * `/root/.kube/config:7:33: clusters[1].cluster.certificate-authority-data: no base64`,
 * and never a secret: FX_EIO (a file cannot be read), FX_ESYNTAX, FX_EINVALID, FX_ELIMIT,
 * FX_ENOMEM.
 */
bool fx_kube_config_read(const char *file, const char *context,
                         struct fx_kube_config *ret_config,
                         struct fx_err *err) FX_MUST_USE;

/* What a Pod is given: KUBERNETES_SERVICE_HOST and _PORT in the environment, and the
 * files `token`, `ca.crt` and `namespace` (which may be missing) of the service account
 * in `folder` (NULL: /var/run/secrets/kubernetes.io/serviceaccount). Errors: as above;
 * FX_EINVALID where this is no Pod, FX_EIO for one without a service account's token
 * (`automountServiceAccountToken: false`). */
bool fx_kube_config_in_cluster(const char *folder, struct fx_kube_config *ret_config,
                               struct fx_err *err) FX_MUST_USE;

#endif
