/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kubeconfig.c - selects context, cluster and user of a kubeconfig (kind Config of
 * v1), like the clientcmd package of client-go.
 */
#include "kube/kubeconfig.h"

#include <string.h>

#include "base/url.h"
#include "kube/check.h"
#include "kube/config.h"
#include "kube/token.h"
#include "value/documents.h"
#include "value/tree.h"
#include "value/yaml.h"

/* ---- the document ------------------------------------------------------------------ */

static bool fail_syntax(const struct fx_kubeconfig_source *source, struct fx_err *err) {
    if (err->code != FX_ESYNTAX) {
        return fx_err_prefix(err, "%s: ", source->file);
    }
    uint32_t line = 1;
    uint32_t column = 1;
    fx_documents_position(source->text, err->off, &line, &column);
    return fx_err_prefix(err, "%s:%u:%u: ", source->file, line, column);
}

/* The first document, like client-go. JSON is read as YAML. */
static bool read_document(const struct fx_kubeconfig_source *source,
                          struct fx_kubeconfig *kubeconfig, struct fx_err *err) {
    struct fx_yaml_reader *reader = fx_yaml_open(source->text);
    if (reader == NULL) {
        return fx_fail_nomem(err);
    }
    const bool ok = fx_yaml_next(reader, &kubeconfig->marks, &kubeconfig->root, err) ||
                    fail_syntax(source, err);
    fx_yaml_close(reader);
    if (ok && !json_is_object(kubeconfig->root)) {
        return fx_fail(err, FX_EINVALID, "%s: not a kubeconfig", source->file);
    }
    return ok;
}

/* Kind and version are optional, but must be right. */
static bool check_kind(const struct fx_kubeconfig *kubeconfig, struct fx_err *err) {
    const struct fx_kubeconfig_entry top = fx_kubeconfig_top(kubeconfig);
    struct fx_text kind = {0};
    struct fx_text version = {0};
    if (!fx_kubeconfig_string(&top, "kind", &kind, err) ||
        !fx_kubeconfig_string(&top, "apiVersion", &version, err)) {
        return false;
    }
    if (kind.len > 0 && !fx_text_is(kind, "Config")) {
        return fx_fail(err, FX_EINVALID, "`%.*s` is not `Config`: not a kubeconfig",
                       FX_TEXT_ARG(kind)) ||
               fx_kubeconfig_add_position(&top, "kind", err);
    }
    if (version.len > 0 && !fx_text_is(version, "v1")) {
        return fx_fail(err, FX_EINVALID, "not supported; only `v1` is") ||
               fx_kubeconfig_add_position(&top, "apiVersion", err);
    }
    return true;
}

/* ---- unsupported fields ---------------------------------------------------------------
 */

struct refusal {
    const char *field, *message;
};

#define INSTEAD                                                                         \
    "; use a `token`, a `tokenFile` or a client certificate, for example a token of a " \
    "ServiceAccount (`kubectl create token`)"
#define NO_IMPERSONATION \
    "impersonation is not supported; use a user that has the permissions itself"
#define NO_PASSWORDS "basic authentication was removed in Kubernetes 1.19" INSTEAD

static const struct refusal of_users[] = {
    {"exec", "credential plugins are not supported" INSTEAD},
    {"auth-provider", "auth providers were removed in Kubernetes 1.26" INSTEAD},
    {"username", NO_PASSWORDS},
    {"password", NO_PASSWORDS},
    {"as", NO_IMPERSONATION},
    {"as-uid", NO_IMPERSONATION},
    {"as-groups", NO_IMPERSONATION},
    {"as-user-extra", NO_IMPERSONATION},
};

static const struct refusal of_clusters[] = {
    {"proxy-url",
     "proxies are not supported; set `server` to an address that can be reached "
     "directly, for example that of `kubectl proxy`"},
};

static bool check_refused(const struct fx_kubeconfig_entry *entry,
                          const struct refusal *refusals, size_t n_refusals,
                          struct fx_err *err) {
    for (size_t i = 0; i < n_refusals; i++) {
        if (fx_kubeconfig_has(entry, refusals[i].field)) {
            return fx_fail(err, FX_EINVALID, "%s", refusals[i].message) ||
                   fx_kubeconfig_add_position(entry, refusals[i].field, err);
        }
    }
    return true;
}

/* ---- the context ------------------------------------------------------------------- */

struct selection {
    struct fx_kubeconfig_entry context, cluster, user;
    bool has_user; /* false: anonymous, like kubectl */
};

static bool select_context(const struct fx_kubeconfig *kubeconfig, const char *wanted,
                           struct selection *selection, struct fx_text *ret_name,
                           struct fx_err *err) {
    const struct fx_kubeconfig_entry top = fx_kubeconfig_top(kubeconfig);
    struct fx_text name = fx_text_of(wanted);
    if (wanted == NULL && !fx_kubeconfig_string(&top, "current-context", &name, err)) {
        return false;
    }
    if (name.len == 0) {
        return fx_fail(err, FX_EINVALID,
                       "no context is selected; set it, or name a context") ||
               fx_kubeconfig_add_position(&top, "current-context", err);
    }
    *ret_name = name;
    return fx_kubeconfig_find(kubeconfig, "contexts", "context", name,
                              &selection->context, err);
}

static bool select_all(const struct fx_kubeconfig *kubeconfig, const char *wanted,
                       struct selection *selection, struct fx_text *ret_name,
                       struct fx_err *err) {
    struct fx_text cluster = {0};
    struct fx_text user = {0};
    if (!select_context(kubeconfig, wanted, selection, ret_name, err) ||
        !fx_kubeconfig_string(&selection->context, "cluster", &cluster, err) ||
        !fx_kubeconfig_string(&selection->context, "user", &user, err)) {
        return false;
    }
    if (cluster.len == 0) {
        return fx_fail(err, FX_EINVALID, "the context names no cluster") ||
               fx_kubeconfig_add_position(&selection->context, "cluster", err);
    }
    selection->has_user = user.len > 0;
    return fx_kubeconfig_find(kubeconfig, "clusters", "cluster", cluster,
                              &selection->cluster, err) &&
           (!selection->has_user ||
            fx_kubeconfig_find(kubeconfig, "users", "user", user, &selection->user, err));
}

/* ---- the cluster ------------------------------------------------------------------- */

static bool copy_text(struct fx_text text, char **ret_copy, struct fx_err *err) {
    *ret_copy = text.len == 0 ? NULL : fx_text_dup(text);
    return *ret_copy != NULL || text.len == 0 || fx_fail_nomem(err);
}

/* Without query and trailing slashes, so that API paths can be appended. */
static bool copy_server(struct fx_text server, const struct fx_url *url,
                        char **ret_server, struct fx_err *err) {
    const char *query =
        url->target.len == 0 ? NULL : memchr(url->target.data, '?', url->target.len);
    const char *end = query != NULL ? query : url->target.data + url->target.len;
    while (end > url->target.data && end[-1] == '/') {
        end--;
    }
    return copy_text((struct fx_text){server.data, (size_t)(end - server.data)},
                     ret_server, err);
}

static bool read_server(const struct fx_kubeconfig_entry *cluster, bool *ret_is_plain,
                        char **ret_server, struct fx_err *err) {
    struct fx_text server = {0};
    struct fx_url url = {0};
    if (!fx_kubeconfig_string(cluster, "server", &server, err)) {
        return false;
    }
    if (server.len == 0) {
        return fx_fail(err, FX_EINVALID, "the cluster has no address") ||
               fx_kubeconfig_add_position(cluster, "server", err);
    }
    if (!fx_url_parse(server, &url, err)) {
        return fx_kubeconfig_add_position(cluster, "server", err);
    }
    *ret_is_plain = fx_url_is_scheme(&url, "http");
    if (!*ret_is_plain && !fx_url_is_scheme(&url, "https")) {
        return fx_fail(err, FX_EINVALID, "neither http nor https") ||
               fx_kubeconfig_add_position(cluster, "server", err);
    }
    return copy_server(server, &url, ret_server, err);
}

/* The authorities that may sign the server's certificate: the given ones, those of the
 * system, or any. */
static bool read_trust(const struct fx_kubeconfig_source *source,
                       const struct fx_kubeconfig_entry *cluster,
                       struct fx_kube_config *config, struct fx_err *err) {
    bool is_insecure = false;
    struct fx_buf pem = {0};
    bool ok =
        fx_kubeconfig_bool(cluster, "insecure-skip-tls-verify", &is_insecure, err) &&
        fx_kubeconfig_pem(source, cluster, "certificate-authority", &pem, err);
    if (ok && is_insecure && pem.len > 0) {
        ok = fx_fail(err, FX_EINVALID,
                     "a certificate authority is also given; remove one of the two") ||
             fx_kubeconfig_add_position(cluster, "insecure-skip-tls-verify", err);
    }
    if (ok && !is_insecure && pem.len == 0) {
        ok = fx_kubeconfig_system_ca(source, &pem, err) ||
             fx_kubeconfig_add_position(cluster, "certificate-authority", err);
    }
    if (ok && !is_insecure) {
        config->ca_pem = fx_buf_steal(&pem);
        ok = config->ca_pem != NULL || fx_fail_nomem(err);
    }
    fx_buf_finish(&pem);
    return ok;
}

static bool read_cluster(const struct fx_kubeconfig_source *source,
                         const struct fx_kubeconfig_entry *cluster, bool *ret_is_plain,
                         struct fx_kube_config *config, struct fx_err *err) {
    struct fx_text server_name = {0};
    if (!check_refused(cluster, of_clusters, FX_COUNT(of_clusters), err) ||
        !read_server(cluster, ret_is_plain, &config->server, err)) {
        return false;
    }
    return *ret_is_plain ||
           (fx_kubeconfig_string(cluster, "tls-server-name", &server_name, err) &&
            copy_text(server_name, &config->server_name, err) &&
            read_trust(source, cluster, config, err));
}

/* ---- the user ---------------------------------------------------------------------- */

static bool read_certificate(const struct fx_kubeconfig_source *source,
                             const struct fx_kubeconfig_entry *user,
                             struct fx_kube_config *config, struct fx_err *err) {
    struct fx_buf cert = {0};
    bool ok = fx_kubeconfig_pem(source, user, "client-certificate", &cert, err) &&
              fx_kubeconfig_pem(source, user, "client-key", &config->key_pem, err);
    if (ok && (cert.len > 0) != (config->key_pem.len > 0)) {
        const bool has_cert = cert.len > 0;
        ok = fx_fail(err, FX_EINVALID,
                     "a client certificate needs its key, and a key its certificate") ||
             fx_kubeconfig_add_position(
                 user, has_cert ? "client-key" : "client-certificate", err);
    }
    if (ok && cert.len > 0) {
        config->cert_pem = fx_buf_steal(&cert);
        ok = config->cert_pem != NULL || fx_fail_nomem(err);
    }
    fx_buf_finish(&cert);
    return ok;
}

/* A fixed token is used until the file can be read; without it, the file must exist. */
static bool read_token(const struct fx_kubeconfig_source *source,
                       const struct fx_kubeconfig_entry *user,
                       struct fx_kube_config *config, struct fx_err *err) {
    struct fx_text token = {0};
    if (!fx_kubeconfig_path(source, user, "tokenFile", &config->token_file, err) ||
        !fx_kubeconfig_string(user, "token", &token, err)) {
        return false;
    }
    if (token.len > 0) {
        if (!fx_kube_token_check(token, err)) {
            return fx_kubeconfig_add_position(user, "token", err);
        }
        fx_buf_text(&config->token, token);
        return !config->token.failed || fx_fail_nomem(err);
    }
    return config->token_file == NULL ||
           fx_kube_token_load(source->read, config->token_file, &config->token, err) ||
           fx_kubeconfig_add_position(user, "tokenFile", err);
}

static bool read_user(const struct fx_kubeconfig_source *source,
                      const struct fx_kubeconfig_entry *user,
                      struct fx_kube_config *config, struct fx_err *err) {
    return check_refused(user, of_users, FX_COUNT(of_users), err) &&
           read_certificate(source, user, config, err) &&
           read_token(source, user, config, err);
}

/* ---- all of it --------------------------------------------------------------------- */

static bool read_selection(const struct fx_kubeconfig_source *source,
                           const struct selection *selection,
                           struct fx_kube_config *config, struct fx_err *err) {
    bool is_plain = false;
    struct fx_text namespace_ = {0};
    if (!fx_kubeconfig_string(&selection->context, "namespace", &namespace_, err)) {
        return false;
    }
    if (namespace_.len > 0 && !fx_kube_check_namespace(namespace_, err)) {
        return fx_kubeconfig_add_position(&selection->context, "namespace", err);
    }
    return copy_text(namespace_, &config->namespace_, err) &&
           read_cluster(source, &selection->cluster, &is_plain, config, err) &&
           (is_plain || !selection->has_user ||
            read_user(source, &selection->user, config, err));
}

bool fx_kubeconfig_parse(const struct fx_kubeconfig_source *source,
                         struct fx_kube_config *ret_config, struct fx_err *err) {
    struct fx_kubeconfig kubeconfig = {.file = source->file};
    struct fx_kube_config config = {0};
    struct selection selection = {0};
    struct fx_text context = {0};
    const bool ok = read_document(source, &kubeconfig, err) &&
                    check_kind(&kubeconfig, err) &&
                    select_all(&kubeconfig, source->context, &selection, &context, err) &&
                    copy_text(context, &config.context, err) &&
                    read_selection(source, &selection, &config, err);
    fx_marks_finish(&kubeconfig.marks);
    json_decref(kubeconfig.root);
    if (ok) {
        *ret_config = config;
    } else {
        fx_kube_config_finish(&config);
    }
    return ok;
}
