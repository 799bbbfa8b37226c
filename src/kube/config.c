/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/config.c - a configuration from a kubeconfig file, or from the environment of a
 * Pod.
 */
#include "kube/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dns_name.h"
#include "base/file.h"
#include "base/url.h"
#include "kube/kubeconfig.h"
#include "kube/token.h"
#include "net/tls.h"

#define FOLDER          "/var/run/secrets/kubernetes.io/serviceaccount"
#define NAMESPACE_BYTES 4096u
#define LABEL_MAX       63

/* Enough for most files, because a buffer that grows leaves copies of secrets in
 * memory. */
#define READ_ROOM (256u << 10)

void fx_kube_config_finish(struct fx_kube_config *config) {
    if (config == NULL) {
        return;
    }
    free(config->server);
    free(config->server_name);
    free(config->ca_pem);
    free(config->cert_pem);
    fx_tls_wipe(&config->key_pem);
    fx_tls_wipe(&config->token);
    free(config->token_file);
    free(config->namespace_);
    free(config->context);
    *config = (struct fx_kube_config){0};
}

bool fx_kube_config_read(const char *file, const char *context,
                         struct fx_kube_config *ret_config, struct fx_err *err) {
    struct fx_buf bytes = {0};
    bool ok = fx_buf_reserve(&bytes, READ_ROOM) != NULL || fx_fail_nomem(err);
    ok = ok && fx_file_read(file, FX_KUBECONFIG_BYTES_MAX, &bytes, err);
    if (ok) {
        const struct fx_kubeconfig_source source = {
            .file = file,
            .text = {bytes.data, bytes.len},
            .context = context,
            .read = fx_file_read,
        };
        ok = fx_kubeconfig_parse(&source, ret_config, err);
    }
    fx_tls_wipe(&bytes);
    return ok;
}

/* ---- checks ----------------------------------------------------------------------- */

bool fx_kube_check_pem(struct fx_text pem, struct fx_err *err) {
    if (pem.len > FX_KUBE_PEM_BYTES_MAX) {
        return fx_fail(err, FX_ELIMIT, "more than %u bytes", FX_KUBE_PEM_BYTES_MAX);
    }
    if (!fx_text_contains(pem, FX_TEXT("-----BEGIN ")) ||
        memchr(pem.data, '\0', pem.len) != NULL) {
        return fx_fail(err, FX_EINVALID, "not PEM");
    }
    return true;
}

bool fx_kube_check_namespace(struct fx_text name, struct fx_err *err) {
    const bool is_label = name.len <= LABEL_MAX && fx_dns_is_subdomain(name) &&
                          memchr(name.data, '.', name.len) == NULL;
    return is_label || fx_fail(err, FX_EINVALID, "not a valid namespace name");
}

/* ---- in a Pod -------------------------------------------------------------------- */

static const char *env(const char *name) {
    const char *value = getenv(name);
    return value == NULL ? "" : value;
}

static char *join(const char *folder, const char *name, struct fx_err *err) {
    struct fx_buf path = {0};
    fx_buf_printf(&path, "%s/%s", folder, name);
    char *joined = fx_buf_steal(&path);
    if (joined == NULL) {
        (void)fx_fail_nomem(err);
    }
    return joined;
}

static bool fail_unset(const char *host, const char *port, struct fx_err *err) {
    if (host[0] == '\0' && port[0] == '\0') {
        return fx_fail(
            err, FX_EINVALID,
            "not in a Pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
            "are not set");
    }
    return fx_fail(err, FX_EINVALID, "not in a Pod: KUBERNETES_SERVICE_%s is not set",
                   host[0] == '\0' ? "HOST" : "PORT");
}

/* Reads the address of the server. As in Go, an IPv6 address gets brackets. */
static bool read_server(char **ret_server, struct fx_err *err) {
    const char *host = env("KUBERNETES_SERVICE_HOST");
    const char *port = env("KUBERNETES_SERVICE_PORT");
    const bool is_ipv6 = strchr(host, ':') != NULL;
    struct fx_url url;
    struct fx_buf server = {0};
    if (host[0] == '\0' || port[0] == '\0') {
        return fail_unset(host, port, err);
    }
    fx_buf_printf(&server, is_ipv6 ? "https://[%s]:%s" : "https://%s:%s", host, port);
    *ret_server = fx_buf_steal(&server);
    if (*ret_server == NULL) {
        return fx_fail_nomem(err);
    }
    const bool ok =
        fx_url_parse(fx_text_of(*ret_server), &url, err) &&
        (url.target.len == 0 || fx_fail(err, FX_EINVALID, "not a host and a port"));
    return ok ||
           fx_err_prefix(err, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: ");
}

static bool read_token(const char *folder, struct fx_kube_config *config,
                       struct fx_err *err) {
    struct stat info;
    config->token_file = join(folder, "token", err);
    if (config->token_file == NULL) {
        return false;
    }
    if (stat(config->token_file, &info) != 0 && errno == ENOENT) {
        return fx_fail(err, FX_EIO,
                       "%s: no such file; the Pod needs a service account whose token is "
                       "mounted (automountServiceAccountToken)",
                       config->token_file);
    }
    return fx_kube_token_read(config->token_file, &config->token, err);
}

static bool read_ca(const char *folder, struct fx_kube_config *config,
                    struct fx_err *err) {
    struct fx_buf pem = {0};
    char *path = join(folder, "ca.crt", err);
    bool ok =
        path != NULL && fx_file_read_regular(path, FX_KUBE_PEM_BYTES_MAX, &pem, err) &&
        (fx_kube_check_pem(fx_buf_view(&pem), err) || fx_err_prefix(err, "%s: ", path));
    if (ok) {
        config->ca_pem = fx_buf_steal(&pem);
        ok = config->ca_pem != NULL || fx_fail_nomem(err);
    }
    fx_buf_finish(&pem);
    free(path);
    return ok;
}

static bool copy_namespace(const char *path, struct fx_text name, char **ret_copy,
                           struct fx_err *err) {
    if (!fx_kube_check_namespace(name, err)) {
        return fx_err_prefix(err, "%s: ", path);
    }
    *ret_copy = fx_text_dup(name);
    return *ret_copy != NULL || fx_fail_nomem(err);
}

/* Reads the namespace of the Pod. If the file does not exist, it is not known, which is
 * not an error. */
static bool read_namespace(const char *folder, struct fx_kube_config *config,
                           struct fx_err *err) {
    struct fx_buf bytes = {0};
    char *path = join(folder, "namespace", err);
    bool ok = path != NULL;
    if (ok && fx_file_read_regular(path, NAMESPACE_BYTES, &bytes, err)) {
        ok = copy_namespace(path, fx_text_trim_space(fx_buf_view(&bytes)),
                            &config->namespace_, err);
    } else if (ok) {
        ok = err->code == FX_EIO;
    }
    fx_buf_finish(&bytes);
    free(path);
    return ok;
}

bool fx_kube_config_in_cluster(const char *folder, struct fx_kube_config *ret_config,
                               struct fx_err *err) {
    const char *from = folder == NULL ? FOLDER : folder;
    struct fx_kube_config config = {0};
    if (!read_server(&config.server, err) || !read_token(from, &config, err) ||
        !read_ca(from, &config, err) || !read_namespace(from, &config, err)) {
        fx_kube_config_finish(&config);
        return false;
    }
    *ret_config = config;
    return true;
}
