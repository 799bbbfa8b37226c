/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kubeconfig.c - selects context, cluster and user of a kubeconfig (kind Config of
 * v1), like the clientcmd package of client-go; the entries of its lists and their
 * fields, with error messages that name both; and the certificates, keys and files that
 * fields hold or name.
 */
#include "kube/kubeconfig.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/base64.h"
#include "base/url.h"
#include "kube/config.h"
#include "kube/token.h"
#include "value/documents.h"
#include "value/marks.h"
#include "value/tree.h"
#include "value/yaml.h"

#define PATH_MAX_SHOWN 128 /* "clusters[1].cluster.certificate-authority-data" */
#define FIELD_MAX      64
/* base/file.h reads 64 KiB at a time. A buffer of this size is never moved while a key is
 * read; moving it would leave a copy in memory. */
#define READ_ROOM (128u << 10)

/* A parsed kubeconfig. */
struct kubeconfig {
    const char *file; /* for messages; borrowed */
    json_t *root;     /* counted; an object */
    struct fx_marks marks;
};

/* A set of fields: `clusters[1].cluster`, or the whole file. Borrowed. */
struct kubeconfig_entry {
    const struct kubeconfig *kubeconfig;
    const json_t *fields; /* an object; NULL if there is none */
    const json_t *around; /* the node around a missing field */
    const json_t *beyond; /* the node around `around`, for positions in messages */
    const char *list;     /* "clusters"; NULL for the file itself */
    const char *item;     /* "cluster" */
    size_t index;
};

/* The fields of the file itself. */
static struct kubeconfig_entry view_top(const struct kubeconfig *kubeconfig) {
    return (struct kubeconfig_entry){
        .kubeconfig = kubeconfig,
        .fields = kubeconfig->root,
        .around = kubeconfig->root,
    };
}

/* ---- positions --------------------------------------------------------------------- */

/* Writes `clusters[1].cluster.server`, or only the field. If `field` is NULL, writes the
 * entry. */
static void write_path(const struct kubeconfig_entry *entry, const char *field,
                       char out[PATH_MAX_SHOWN]) {
    const char *dot = field != NULL ? "." : "";
    const char *name = field != NULL ? field : "";
    if (entry->list == NULL) {
        (void)snprintf(out, PATH_MAX_SHOWN, "%s", name);
    } else if (entry->item == NULL) {
        (void)snprintf(out, PATH_MAX_SHOWN, "%s[%zu]%s%s", entry->list, entry->index, dot,
                       name);
    } else {
        (void)snprintf(out, PATH_MAX_SHOWN, "%s[%zu].%s%s%s", entry->list, entry->index,
                       entry->item, dot, name);
    }
}

/* Returns the mark of the field. true, false and null have no position, so the node
 * around them is used. */
static const struct fx_mark *find_mark(const struct kubeconfig_entry *entry,
                                       const char *field) {
    const struct fx_marks *marks = &entry->kubeconfig->marks;
    const json_t *node = field == NULL ? NULL : fx_tree_view_key(entry->fields, field);
    const json_t *const nodes[] = {node, entry->around, entry->beyond};
    const struct fx_mark *mark = NULL;
    for (size_t i = 0; i < FX_COUNT(nodes) && mark == NULL; i++) {
        mark = nodes[i] == NULL ? NULL : fx_marks_find(marks, nodes[i]);
    }
    return mark;
}

/* Puts `FILE:LINE:COLUMN: clusters[1].cluster.FIELD: ` before the error, as far as the
 * position is known. If `field` is NULL, it is that of the entry. Always false. */
static bool add_position(const struct kubeconfig_entry *entry, const char *field,
                         struct fx_err *err) {
    assert(entry->kubeconfig != NULL); /* a zeroed entry is never used */
    char path[PATH_MAX_SHOWN];
    const struct fx_mark *mark = find_mark(entry, field);
    const char *file = entry->kubeconfig->file;
    write_path(entry, field, path);
    const char *colon = path[0] != '\0' ? ": " : "";
    if (mark == NULL) {
        (void)fx_err_prefix(err, "%s: %s%s", file, path, colon);
    } else {
        (void)fx_err_prefix(err, "%s:%u:%u: %s%s", file, mark->line, mark->column, path,
                            colon);
    }
    return false;
}

/* Fails with FX_EINVALID, this message and the position of the field. Always false. */
FX_PRINTF(4, 5)
static bool fail_at(const struct kubeconfig_entry *entry, const char *field,
                    struct fx_err *err, const char *format, ...) {
    char message[FX_ERR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)fx_fail(err, FX_EINVALID, "%s", message);
    return add_position(entry, field, err);
}

/* ---- fields ------------------------------------------------------------------------ */

/* Has the field a value that is neither null nor empty? */
static bool has_value(const struct kubeconfig_entry *entry, const char *field) {
    const json_t *node = fx_tree_view_key(entry->fields, field);
    if (node == NULL || json_is_null(node)) {
        return false;
    }
    return !(json_is_string(node) && json_string_length(node) == 0) &&
           !(json_is_array(node) && json_array_size(node) == 0) &&
           !(json_is_object(node) && json_object_size(node) == 0);
}

/* Returns the text of the field; empty if it is missing, null or empty, as in client-go.
 * Errors: FX_EINVALID if it is not a string, or contains a NUL. */
static bool read_string(const struct kubeconfig_entry *entry, const char *field,
                        struct fx_text *ret_text, struct fx_err *err) {
    const json_t *node = fx_tree_view_key(entry->fields, field);
    const struct fx_text text = fx_tree_text(node);
    if (node != NULL && !json_is_null(node) && !json_is_string(node)) {
        return fail_at(entry, field, err, "not a string");
    }
    if (text.len > 0 && memchr(text.data, '\0', text.len) != NULL) {
        return fail_at(entry, field, err, "contains a NUL character");
    }
    *ret_text = text;
    return true;
}

/* Returns the boolean of the field; false if it is missing or null. */
static bool read_bool(const struct kubeconfig_entry *entry, const char *field,
                      bool *ret_value, struct fx_err *err) {
    const json_t *node = fx_tree_view_key(entry->fields, field);
    if (node != NULL && !json_is_null(node) && !json_is_boolean(node)) {
        return fail_at(entry, field, err, "neither true nor false");
    }
    *ret_value = json_is_true(node);
    return true;
}

/* ---- entries ----------------------------------------------------------------------- */

/* Returns the list; NULL, with success, if there is none. */
static bool view_list(const struct kubeconfig *kubeconfig, const char *list,
                      const json_t **ret_array, struct fx_err *err) {
    const json_t *array = fx_tree_view_key(kubeconfig->root, list);
    if (array == NULL || json_is_null(array)) {
        *ret_array = NULL;
        return true;
    }
    if (!json_is_array(array)) {
        const struct kubeconfig_entry top = view_top(kubeconfig);
        return fail_at(&top, list, err, "not a list");
    }
    *ret_array = array;
    return true;
}

/* Returns the element at `index`. */
static bool view_element(const struct kubeconfig *kubeconfig, const json_t *array,
                         const char *list, size_t index,
                         struct kubeconfig_entry *ret_element, struct fx_err *err) {
    const json_t *node = json_array_get(array, index);
    *ret_element = (struct kubeconfig_entry){
        .kubeconfig = kubeconfig,
        .fields = node,
        .around = node,
        .beyond = array,
        .list = list,
        .index = index,
    };
    return json_is_object(node) ||
           fail_at(ret_element, NULL, err, "not an object with a name");
}

/* Returns the fields of the element under `item`. */
static bool descend(const struct kubeconfig_entry *element, const char *item,
                    struct kubeconfig_entry *ret_entry, struct fx_err *err) {
    const json_t *fields = fx_tree_view_key(element->fields, item);
    if (fields != NULL && !json_is_null(fields) && !json_is_object(fields)) {
        return fail_at(element, item, err, "not an object");
    }
    *ret_entry = *element;
    ret_entry->item = item;
    ret_entry->fields = json_is_object(fields) ? fields : NULL;
    if (ret_entry->fields != NULL) {
        ret_entry->around = fields;
    }
    return true;
}

/* Finds the entry of `list` with this name and returns its fields under `item`. Errors:
 * FX_EINVALID if there is none or more than one (client-go refuses duplicates, too), or
 * if something has the wrong type. */
static bool find_entry(const struct kubeconfig *kubeconfig, const char *list,
                       const char *item, struct fx_text name,
                       struct kubeconfig_entry *ret_entry, struct fx_err *err) {
    const json_t *array = NULL;
    bool found = false;
    struct kubeconfig_entry hit = {0};
    if (!view_list(kubeconfig, list, &array, err)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(array); i++) {
        struct kubeconfig_entry element = {0};
        struct fx_text its_name = {0};
        if (!view_element(kubeconfig, array, list, i, &element, err) ||
            !read_string(&element, "name", &its_name, err)) {
            return false;
        }
        if (!fx_text_equal(its_name, name)) {
            continue;
        }
        if (found) {
            return fail_at(&element, "name", err,
                           "duplicate name `%.*s`; rename or remove one",
                           FX_TEXT_ARG(name));
        }
        found = true;
        hit = element;
    }
    if (!found) {
        const struct kubeconfig_entry top = view_top(kubeconfig);
        return fail_at(&top, list, err, "there is no `%.*s`", FX_TEXT_ARG(name));
    }
    return descend(&hit, item, ret_entry, err);
}

/* ---- files, certificates and keys -------------------------------------------------- */

/* Returns the path of the file that the field names, relative to the folder of the
 * kubeconfig; NULL if the field is empty. The caller frees it. Errors: FX_EINVALID,
 * FX_ENOMEM. */
static bool read_path(const struct fx_kubeconfig_source *source,
                      const struct kubeconfig_entry *entry, const char *field,
                      char **ret_path, struct fx_err *err) {
    struct fx_text name = {0};
    if (!read_string(entry, field, &name, err)) {
        return false;
    }
    *ret_path = NULL;
    if (name.len == 0) {
        return true;
    }
    const char *slash = strrchr(source->file, '/');
    struct fx_buf path = {0};
    if (name.data[0] != '/' && slash == NULL) {
        fx_buf_str(&path, "./"); /* otherwise "-" would be standard input */
    } else if (name.data[0] != '/') {
        fx_buf_add(&path, source->file, (size_t)(slash - source->file) + 1);
    }
    fx_buf_text(&path, name);
    *ret_path = fx_buf_steal(&path);
    return *ret_path != NULL || fx_fail_nomem(err);
}

static bool check_pem(const struct fx_buf *pem, struct fx_err *err) {
    return fx_kube_check_pem(fx_buf_view(pem), err);
}

static bool decode(struct fx_text data, struct fx_buf *pem, struct fx_err *err) {
    if (fx_buf_reserve(pem, data.len) == NULL) {
        return fx_fail_nomem(err);
    }
    if (!fx_base64_decode(pem, data)) {
        return pem->failed ? fx_fail_nomem(err) : fx_fail(err, FX_EINVALID, "not base64");
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

/* Returns the PEM in the field `FIELD-data`, or in the file that `field` names; empty if
 * neither is given. `ret_pem` starts as an empty buffer and has the only copy, which the
 * caller wipes if it is a secret. Errors: FX_EINVALID (both are given, as in client-go;
 * not base64; not PEM), FX_EIO, FX_ELIMIT, FX_ENOMEM. */
static bool read_pem(const struct fx_kubeconfig_source *source,
                     const struct kubeconfig_entry *entry, const char *field,
                     struct fx_buf *ret_pem, struct fx_err *err) {
    char data_field[FIELD_MAX];
    struct fx_text data = {0};
    char *path = NULL;
    (void)snprintf(data_field, sizeof data_field, "%s-data", field);
    if (!read_string(entry, data_field, &data, err) ||
        !read_path(source, entry, field, &path, err)) {
        return false;
    }
    bool ok = true;
    if (data.len > 0 && path != NULL) {
        ok = fail_at(entry, field, err, "`%s` is also given; remove one of the two",
                     data_field);
    } else if (data.len > 0) {
        ok = decode(data, ret_pem, err) || add_position(entry, data_field, err);
    } else if (path != NULL) {
        ok = read_file(source, path, ret_pem, err) || add_position(entry, field, err);
    }
    free(path);
    return ok;
}

/* The paths of Debian and Ubuntu, Red Hat, SUSE, Alpine and the BSDs. */
static const char *const bundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

/* Reads the certificate authorities that the system trusts: from the file that
 * SSL_CERT_FILE names (as Go's crypto/x509), or from the usual paths of distributions.
 * Errors: FX_EIO if there is no such file, and those of read_pem(). */
static bool read_system_ca(const struct fx_kubeconfig_source *source,
                           struct fx_buf *ret_pem, struct fx_err *err) {
    const char *named = getenv("SSL_CERT_FILE");
    if (named != NULL && named[0] != '\0') {
        return source->read(named, FX_KUBE_PEM_BYTES_MAX, ret_pem, err) &&
               (check_pem(ret_pem, err) || fx_err_prefix(err, "%s: ", named));
    }
    for (size_t i = 0; i < FX_COUNT(bundles); i++) {
        fx_buf_reset(ret_pem);
        if (source->read(bundles[i], FX_KUBE_PEM_BYTES_MAX, ret_pem, err)) {
            return check_pem(ret_pem, err) || fx_err_prefix(err, "%s: ", bundles[i]);
        }
        if (err->code != FX_EIO) {
            return false;
        }
    }
    return fx_fail(err, FX_EIO,
                   "not given, and the system has no list of trusted authorities");
}

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

/* Reads the first document, as client-go does. JSON is read as YAML. */
static bool read_document(const struct fx_kubeconfig_source *source,
                          struct kubeconfig *kubeconfig, struct fx_err *err) {
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

/* Checks kind and version, which are optional. */
static bool check_kind(const struct kubeconfig *kubeconfig, struct fx_err *err) {
    const struct kubeconfig_entry top = view_top(kubeconfig);
    struct fx_text kind = {0};
    struct fx_text version = {0};
    if (!read_string(&top, "kind", &kind, err) ||
        !read_string(&top, "apiVersion", &version, err)) {
        return false;
    }
    if (kind.len > 0 && !fx_text_is(kind, "Config")) {
        return fail_at(&top, "kind", err, "`%.*s` is not `Config`: not a kubeconfig",
                       FX_TEXT_ARG(kind));
    }
    if (version.len > 0 && !fx_text_is(version, "v1")) {
        return fail_at(&top, "apiVersion", err, "not supported; only `v1` is");
    }
    return true;
}

/* ---- unsupported fields ------------------------------------------------------------ */

struct unsupported_field {
    const char *field, *message;
};

#define INSTEAD                                                                         \
    "; use a `token`, a `tokenFile` or a client certificate, for example a token of a " \
    "ServiceAccount (`kubectl create token`)"
#define NO_IMPERSONATION \
    "impersonation is not supported; use a user that has the permissions itself"
#define NO_PASSWORDS "basic authentication was removed in Kubernetes 1.19" INSTEAD

static const struct unsupported_field of_users[] = {
    {"exec", "credential plugins are not supported" INSTEAD},
    {"auth-provider", "auth providers were removed in Kubernetes 1.26" INSTEAD},
    {"username", NO_PASSWORDS},
    {"password", NO_PASSWORDS},
    {"as", NO_IMPERSONATION},
    {"as-uid", NO_IMPERSONATION},
    {"as-groups", NO_IMPERSONATION},
    {"as-user-extra", NO_IMPERSONATION},
};

static const struct unsupported_field of_clusters[] = {
    {"proxy-url",
     "proxies are not supported; set `server` to an address that can be reached "
     "directly, for example that of `kubectl proxy`"},
};

static bool check_refused(const struct kubeconfig_entry *entry,
                          const struct unsupported_field *fields, size_t n_fields,
                          struct fx_err *err) {
    for (size_t i = 0; i < n_fields; i++) {
        if (has_value(entry, fields[i].field)) {
            return fail_at(entry, fields[i].field, err, "%s", fields[i].message);
        }
    }
    return true;
}

/* ---- the context ------------------------------------------------------------------- */

struct selection {
    struct kubeconfig_entry context, cluster, user;
    bool has_user; /* false for an anonymous user, as in kubectl */
};

static bool select_context(const struct kubeconfig *kubeconfig, const char *wanted,
                           struct selection *selection, struct fx_text *ret_name,
                           struct fx_err *err) {
    const struct kubeconfig_entry top = view_top(kubeconfig);
    struct fx_text name = fx_text_of(wanted);
    if (wanted == NULL && !read_string(&top, "current-context", &name, err)) {
        return false;
    }
    if (name.len == 0) {
        return fail_at(&top, "current-context", err,
                       "no context is selected; set it, or name a context");
    }
    *ret_name = name;
    return find_entry(kubeconfig, "contexts", "context", name, &selection->context, err);
}

static bool select_all(const struct kubeconfig *kubeconfig, const char *wanted,
                       struct selection *selection, struct fx_text *ret_name,
                       struct fx_err *err) {
    struct fx_text cluster = {0};
    struct fx_text user = {0};
    if (!select_context(kubeconfig, wanted, selection, ret_name, err) ||
        !read_string(&selection->context, "cluster", &cluster, err) ||
        !read_string(&selection->context, "user", &user, err)) {
        return false;
    }
    if (cluster.len == 0) {
        return fail_at(&selection->context, "cluster", err,
                       "the context names no cluster");
    }
    selection->has_user = user.len > 0;
    return find_entry(kubeconfig, "clusters", "cluster", cluster, &selection->cluster,
                      err) &&
           (!selection->has_user ||
            find_entry(kubeconfig, "users", "user", user, &selection->user, err));
}

/* ---- the cluster ------------------------------------------------------------------- */

static bool copy_text(struct fx_text text, char **ret_copy, struct fx_err *err) {
    *ret_copy = text.len == 0 ? NULL : fx_text_dup(text);
    return *ret_copy != NULL || text.len == 0 || fx_fail_nomem(err);
}

/* Copies the URL without query and trailing slashes, so that API paths can be
 * appended. */
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

static bool read_server(const struct kubeconfig_entry *cluster, bool *ret_is_plain,
                        char **ret_server, struct fx_err *err) {
    struct fx_text server = {0};
    struct fx_url url = {0};
    if (!read_string(cluster, "server", &server, err)) {
        return false;
    }
    if (server.len == 0) {
        return fail_at(cluster, "server", err, "the cluster has no address");
    }
    if (!fx_url_parse(server, &url, err)) {
        return add_position(cluster, "server", err);
    }
    *ret_is_plain = fx_url_is_scheme(&url, "http");
    if (!*ret_is_plain && !fx_url_is_scheme(&url, "https")) {
        return fail_at(cluster, "server", err, "neither http nor https");
    }
    return copy_server(server, &url, ret_server, err);
}

/* Reads the authorities that may sign the server's certificate: the given ones, those of
 * the system, or any. */
static bool read_trust(const struct fx_kubeconfig_source *source,
                       const struct kubeconfig_entry *cluster,
                       struct fx_kube_config *config, struct fx_err *err) {
    bool is_insecure = false;
    struct fx_buf pem = {0};
    bool ok = read_bool(cluster, "insecure-skip-tls-verify", &is_insecure, err) &&
              read_pem(source, cluster, "certificate-authority", &pem, err);
    if (ok && is_insecure && pem.len > 0) {
        ok = fail_at(cluster, "insecure-skip-tls-verify", err,
                     "a certificate authority is also given; remove one of the two");
    }
    if (ok && !is_insecure && pem.len == 0) {
        ok = read_system_ca(source, &pem, err) ||
             add_position(cluster, "certificate-authority", err);
    }
    if (ok && !is_insecure) {
        config->ca_pem = fx_buf_steal(&pem);
        ok = config->ca_pem != NULL || fx_fail_nomem(err);
    }
    fx_buf_finish(&pem);
    return ok;
}

static bool read_cluster(const struct fx_kubeconfig_source *source,
                         const struct kubeconfig_entry *cluster, bool *ret_is_plain,
                         struct fx_kube_config *config, struct fx_err *err) {
    struct fx_text server_name = {0};
    if (!check_refused(cluster, of_clusters, FX_COUNT(of_clusters), err) ||
        !read_server(cluster, ret_is_plain, &config->server, err)) {
        return false;
    }
    return *ret_is_plain || (read_string(cluster, "tls-server-name", &server_name, err) &&
                             copy_text(server_name, &config->server_name, err) &&
                             read_trust(source, cluster, config, err));
}

/* ---- the user ---------------------------------------------------------------------- */

static bool read_certificate(const struct fx_kubeconfig_source *source,
                             const struct kubeconfig_entry *user,
                             struct fx_kube_config *config, struct fx_err *err) {
    struct fx_buf cert = {0};
    bool ok = read_pem(source, user, "client-certificate", &cert, err) &&
              read_pem(source, user, "client-key", &config->key_pem, err);
    if (ok && (cert.len > 0) != (config->key_pem.len > 0)) {
        const bool has_cert = cert.len > 0;
        ok = fail_at(user, has_cert ? "client-key" : "client-certificate", err,
                     "a client certificate needs its key, and a key its certificate");
    }
    if (ok && cert.len > 0) {
        config->cert_pem = fx_buf_steal(&cert);
        ok = config->cert_pem != NULL || fx_fail_nomem(err);
    }
    fx_buf_finish(&cert);
    return ok;
}

/* Reads the token. A fixed token is used until the file can be read; without a fixed one,
 * the file must exist. */
static bool read_token(const struct fx_kubeconfig_source *source,
                       const struct kubeconfig_entry *user, struct fx_kube_config *config,
                       struct fx_err *err) {
    struct fx_text token = {0};
    if (!read_path(source, user, "tokenFile", &config->token_file, err) ||
        !read_string(user, "token", &token, err)) {
        return false;
    }
    if (token.len > 0) {
        if (!fx_kube_token_check(token, err)) {
            return add_position(user, "token", err);
        }
        fx_buf_text(&config->token, token);
        return !config->token.failed || fx_fail_nomem(err);
    }
    return config->token_file == NULL ||
           fx_kube_token_load(source->read, config->token_file, &config->token, err) ||
           add_position(user, "tokenFile", err);
}

static bool read_user(const struct fx_kubeconfig_source *source,
                      const struct kubeconfig_entry *user, struct fx_kube_config *config,
                      struct fx_err *err) {
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
    if (!read_string(&selection->context, "namespace", &namespace_, err)) {
        return false;
    }
    if (namespace_.len > 0 && !fx_kube_check_namespace(namespace_, err)) {
        return add_position(&selection->context, "namespace", err);
    }
    return copy_text(namespace_, &config->namespace_, err) &&
           read_cluster(source, &selection->cluster, &is_plain, config, err) &&
           (is_plain || !selection->has_user ||
            read_user(source, &selection->user, config, err));
}

bool fx_kubeconfig_parse(const struct fx_kubeconfig_source *source,
                         struct fx_kube_config *ret_config, struct fx_err *err) {
    struct kubeconfig kubeconfig = {.file = source->file};
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
