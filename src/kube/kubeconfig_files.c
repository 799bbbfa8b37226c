/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kubeconfig_files.c - certificates and keys, as data and in files.
 */
#include "kube/kubeconfig_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "kube/check.h"

#define FIELD_MAX 64
/* base/file.h reads 64 KiB at a time; in a buffer with this room a key is never moved, so
 * that no copy of it stays behind. */
#define READ_ROOM (128u << 10)

bool fx_kubeconfig_path(const struct fx_kubeconfig_source *source,
                        const struct fx_kubeconfig_entry *entry, const char *field,
                        char **ret_path, struct fx_err *err) {
    struct fx_text name = {0};
    if (!fx_kubeconfig_string(entry, field, &name, err)) {
        return false;
    }
    *ret_path = NULL;
    if (name.len == 0) {
        return true;
    }
    const char *slash = strrchr(source->file, '/');
    struct fx_buf path;
    fx_buf_init(&path, 0);
    if (name.data[0] != '/' && slash == NULL) {
        fx_buf_str(&path, "./"); /* so that "-" is a file, too */
    } else if (name.data[0] != '/') {
        fx_buf_add(&path, source->file, (size_t)(slash - source->file) + 1);
    }
    fx_buf_text(&path, name);
    *ret_path = fx_buf_steal(&path);
    return *ret_path != NULL || fx_fail_nomem(err);
}

static bool check_pem(const struct fx_buf *pem, struct fx_err *err) {
    return fx_kube_check_pem((struct fx_text){pem->data, pem->len}, err);
}

static bool decode(struct fx_text data, struct fx_buf *pem, struct fx_err *err) {
    if (fx_buf_reserve(pem, data.len) == NULL) {
        return fx_fail_nomem(err);
    }
    if (!fx_base64_decode(pem, data)) {
        return pem->failed ? fx_fail_nomem(err) : fx_fail(err, FX_EINVALID, "no base64");
    }
    return check_pem(pem, err);
}

static bool read_file(const struct fx_kubeconfig_source *source, const char *path,
                      struct fx_buf *pem, struct fx_err *err) {
    if (fx_buf_reserve(pem, READ_ROOM) == NULL) {
        return fx_fail_nomem(err);
    }
    return source->read(path, FX_KUBE_PEM_BYTES_MAX, pem, err) &&
           (check_pem(pem, err) || fx_err_prefix(err, "%s: ", path));
}

bool fx_kubeconfig_pem(const struct fx_kubeconfig_source *source,
                       const struct fx_kubeconfig_entry *entry, const char *field,
                       struct fx_buf *ret_pem, struct fx_err *err) {
    char data_field[FIELD_MAX];
    struct fx_text data = {0};
    char *path = NULL;
    (void)snprintf(data_field, sizeof data_field, "%s-data", field);
    if (!fx_kubeconfig_string(entry, data_field, &data, err) ||
        !fx_kubeconfig_path(source, entry, field, &path, err)) {
        return false;
    }
    bool ok = true;
    if (data.len > 0 && path != NULL) {
        ok = fx_fail(err, FX_EINVALID, "`%s` is given, too; remove one of them",
                     data_field) ||
             fx_kubeconfig_add_position(entry, field, err);
    } else if (data.len > 0) {
        ok = decode(data, ret_pem, err) ||
             fx_kubeconfig_add_position(entry, data_field, err);
    } else if (path != NULL) {
        ok = read_file(source, path, ret_pem, err) ||
             fx_kubeconfig_add_position(entry, field, err);
    }
    free(path);
    return ok;
}

/* Debian and its kin, Red Hat's, SUSE's, Alpine's and the BSDs'. */
static const char *const bundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

bool fx_kubeconfig_system_ca(bool (*read)(const char *path, size_t max,
                                          struct fx_buf *ret_bytes, struct fx_err *err),
                             struct fx_buf *ret_pem, struct fx_err *err) {
    const char *named = getenv("SSL_CERT_FILE");
    if (named != NULL && named[0] != '\0') {
        return read(named, FX_KUBE_PEM_BYTES_MAX, ret_pem, err) &&
               (check_pem(ret_pem, err) || fx_err_prefix(err, "%s: ", named));
    }
    for (size_t i = 0; i < FX_COUNT(bundles); i++) {
        fx_buf_reset(ret_pem);
        if (read(bundles[i], FX_KUBE_PEM_BYTES_MAX, ret_pem, err)) {
            return check_pem(ret_pem, err) || fx_err_prefix(err, "%s: ", bundles[i]);
        }
        if (err->code != FX_EIO) {
            return false;
        }
    }
    return fx_fail(err, FX_EIO,
                   "none is given, and the system has no list of authorities to trust");
}
