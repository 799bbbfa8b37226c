/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/config.h - the address of an API server and the credentials for it: from a
 * kubeconfig file, or from the environment of a Pod. Reads files; opens no socket.
 */
#ifndef FX_KUBE_CONFIG_H
#define FX_KUBE_CONFIG_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"

/* Owns all its texts. A zeroed configuration is empty. */
struct fx_kube_config {
    char *server;      /* "https://10.96.0.1:443", with a path if a proxy needs one */
    char *server_name; /* the name expected in the certificate; NULL for the host of
                        * `server` */
    char *ca_pem; /* NULL if every certificate is accepted (insecure-skip-tls-verify), or
                   * for plain HTTP */
    char *cert_pem;        /* the client certificate for key_pem, or NULL */
    struct fx_buf key_pem; /* wiped by fx_kube_config_finish() */
    struct fx_buf token;   /* a bearer token; empty if there is none */
    char *token_file; /* a file that is read again when it changes, preferred to `token`;
                       * or NULL */
    char *namespace_; /* of the context, or of the Pod; NULL if it is not given */
    char *context;    /* the name of the context; NULL in a Pod */
};

/* Wipes keys and tokens, and frees everything. NULL and zeroed are allowed. */
void fx_kube_config_finish(struct fx_kube_config *config);

/*
 * Reads a kubeconfig (v1, YAML or JSON) like kubectl: the context `context` (NULL for
 * the current-context of the file), its cluster and its user; other entries are ignored.
 * Relative file names start at the folder of the kubeconfig, and named files must be
 * readable. Errors are: the same item as data and as a file, and two entries of one name.
 * A `tokenFile` takes precedence over a `token`, which is used until the file can be
 * read. Without a certificate authority those of the system are trusted (SSL_CERT_FILE,
 * or the usual paths of distributions). No token or certificate is sent to an http://
 * server, like kubectl.
 *
 * Refused, with a message that says what to use instead: `exec`, `auth-provider`, user
 * name and password, impersonation, `proxy-url`; and what kubectl silently ignores: a
 * cluster or user that is not in the file, a key without a certificate, an address
 * without a scheme. Further fields are ignored.
 *
 * Errors name the file and the field, as in
 * `/root/.kube/config:7:33: clusters[1].cluster.certificate-authority-data: not base64`,
 * and never contain a secret: FX_EIO (a file cannot be read), FX_ESYNTAX, FX_EINVALID,
 * FX_ELIMIT, FX_ENOMEM.
 */
bool fx_kube_config_read(const char *file, const char *context,
                         struct fx_kube_config *ret_config,
                         struct fx_err *err) FX_MUST_USE;

/* Reads the in-cluster configuration of a Pod: KUBERNETES_SERVICE_HOST and
 * KUBERNETES_SERVICE_PORT from the environment, and the files `token`, `ca.crt` and
 * `namespace` (optional) of the service account from `folder` (NULL for
 * /var/run/secrets/kubernetes.io/serviceaccount). Errors: those of fx_kube_config_read();
 * FX_EINVALID if the process does not run in a Pod, FX_EIO if the Pod has no service
 * account token (`automountServiceAccountToken: false`). */
bool fx_kube_config_in_cluster(const char *folder, struct fx_kube_config *ret_config,
                               struct fx_err *err) FX_MUST_USE;

#endif
