/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kubeconfig_files.h - what a kubeconfig holds or names: certificates, keys, files
 * (inside this room only).
 */
#ifndef FX_KUBE_KUBECONFIG_FILES_H
#define FX_KUBE_KUBECONFIG_FILES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "kube/kubeconfig.h"
#include "kube/kubeconfig_entry.h"

/* The name in the field, as a file name that starts at the kubeconfig's folder; NULL
 * where the field is empty. To be freed. Errors: FX_EINVALID, FX_ENOMEM. */
bool fx_kubeconfig_path(const struct fx_kubeconfig_source *source,
                        const struct fx_kubeconfig_entry *entry, const char *field,
                        char **ret_path, struct fx_err *err) FX_MUST_USE;

/* The PEM in `field`-data, or in the file that `field` names; empty where neither is
 * given. `ret_pem`, an empty buffer, holds one copy, to be wiped where it is a secret.
 * Errors: FX_EINVALID (both are given, as client-go has it; no base64, no PEM), FX_EIO,
 * FX_ELIMIT, FX_ENOMEM. */
bool fx_kubeconfig_pem(const struct fx_kubeconfig_source *source,
                       const struct fx_kubeconfig_entry *entry, const char *field,
                       struct fx_buf *ret_pem, struct fx_err *err) FX_MUST_USE;

/* The authorities that the system trusts, where distributions keep them, or in the file
 * that SSL_CERT_FILE names (as Go's crypto/x509). Errors: FX_EIO where there is no such
 * file, and as above. */
bool fx_kubeconfig_system_ca(bool (*read)(const char *path, size_t max,
                                          struct fx_buf *ret_bytes, struct fx_err *err),
                             struct fx_buf *ret_pem, struct fx_err *err) FX_MUST_USE;

#endif
