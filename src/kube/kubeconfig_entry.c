/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kubeconfig_entry.c - entries, fields and files of a kubeconfig.
 */
#include "kube/kubeconfig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "kube/check.h"
#include "value/tree.h"

#define PATH_MAX_SHOWN 128 /* "clusters[1].cluster.certificate-authority-data" */
#define FIELD_MAX      64
/* base/file.h reads 64 KiB at a time; a buffer of this size is never moved while a key is
 * read, which would leave a copy in memory. */
#define READ_ROOM (128u << 10)

struct fx_kubeconfig_entry fx_kubeconfig_top(const struct fx_kubeconfig *kubeconfig) {
    return (struct fx_kubeconfig_entry){
        .kubeconfig = kubeconfig,
        .fields = kubeconfig->root,
        .around = kubeconfig->root,
    };
}

/* ---- positions
 * ------------------------------------------------------------------------- */

/* `clusters[1].cluster.server`, or the field alone; `field` NULL: the entry. */
static void write_path(const struct fx_kubeconfig_entry *entry, const char *field,
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

/* true, false and null have no position of their own: the node around them is used. */
static const struct fx_mark *find_mark(const struct fx_kubeconfig_entry *entry,
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

bool fx_kubeconfig_add_position(const struct fx_kubeconfig_entry *entry,
                                const char *field, struct fx_err *err) {
    char path[PATH_MAX_SHOWN];
    const struct fx_mark *mark = find_mark(entry, field);
    const char *file = entry->kubeconfig->file;
    write_path(entry, field, path);
    const char *colon = path[0] != '\0' ? ": " : "";
    if (mark == NULL) {
        return fx_err_prefix(err, "%s: %s%s", file, path, colon);
    }
    return fx_err_prefix(err, "%s:%u:%u: %s%s", file, mark->line, mark->column, path,
                         colon);
}

/* ---- fields ------------------------------------------------------------------------ */

bool fx_kubeconfig_has(const struct fx_kubeconfig_entry *entry, const char *field) {
    const json_t *node = fx_tree_view_key(entry->fields, field);
    if (node == NULL || json_is_null(node)) {
        return false;
    }
    return !(json_is_string(node) && json_string_length(node) == 0) &&
           !(json_is_array(node) && json_array_size(node) == 0) &&
           !(json_is_object(node) && json_object_size(node) == 0);
}

bool fx_kubeconfig_string(const struct fx_kubeconfig_entry *entry, const char *field,
                          struct fx_text *ret_text, struct fx_err *err) {
    const json_t *node = fx_tree_view_key(entry->fields, field);
    const struct fx_text text = fx_tree_text(node);
    if (node != NULL && !json_is_null(node) && !json_is_string(node)) {
        return fx_fail(err, FX_EINVALID, "not a string") ||
               fx_kubeconfig_add_position(entry, field, err);
    }
    if (text.len > 0 && memchr(text.data, '\0', text.len) != NULL) {
        return fx_fail(err, FX_EINVALID, "contains a NUL character") ||
               fx_kubeconfig_add_position(entry, field, err);
    }
    *ret_text = text;
    return true;
}

bool fx_kubeconfig_bool(const struct fx_kubeconfig_entry *entry, const char *field,
                        bool *ret_value, struct fx_err *err) {
    const json_t *node = fx_tree_view_key(entry->fields, field);
    if (node != NULL && !json_is_null(node) && !json_is_boolean(node)) {
        return fx_fail(err, FX_EINVALID, "neither true nor false") ||
               fx_kubeconfig_add_position(entry, field, err);
    }
    *ret_value = json_is_true(node);
    return true;
}

/* ---- entries ----------------------------------------------------------------------- */

/* The list; NULL, with success, if there is none. */
static bool view_list(const struct fx_kubeconfig *kubeconfig, const char *list,
                      const json_t **ret_array, struct fx_err *err) {
    const json_t *array = fx_tree_view_key(kubeconfig->root, list);
    if (array == NULL || json_is_null(array)) {
        *ret_array = NULL;
        return true;
    }
    if (!json_is_array(array)) {
        const struct fx_kubeconfig_entry top = fx_kubeconfig_top(kubeconfig);
        return fx_fail(err, FX_EINVALID, "not a list") ||
               fx_kubeconfig_add_position(&top, list, err);
    }
    *ret_array = array;
    return true;
}

/* The element at `index`. */
static bool view_element(const struct fx_kubeconfig *kubeconfig, const json_t *array,
                         const char *list, size_t index,
                         struct fx_kubeconfig_entry *ret_element, struct fx_err *err) {
    const json_t *node = json_array_get(array, index);
    *ret_element = (struct fx_kubeconfig_entry){
        .kubeconfig = kubeconfig,
        .fields = node,
        .around = node,
        .beyond = array,
        .list = list,
        .index = index,
    };
    return json_is_object(node) ||
           fx_fail(err, FX_EINVALID, "not an object with a name") ||
           fx_kubeconfig_add_position(ret_element, NULL, err);
}

/* From an element to its fields under `item`. */
static bool descend(const struct fx_kubeconfig_entry *element, const char *item,
                    struct fx_kubeconfig_entry *ret_entry, struct fx_err *err) {
    const json_t *fields = fx_tree_view_key(element->fields, item);
    if (fields != NULL && !json_is_null(fields) && !json_is_object(fields)) {
        return fx_fail(err, FX_EINVALID, "not an object") ||
               fx_kubeconfig_add_position(element, item, err);
    }
    *ret_entry = *element;
    ret_entry->item = item;
    ret_entry->fields = json_is_object(fields) ? fields : NULL;
    if (ret_entry->fields != NULL) {
        ret_entry->around = fields;
    }
    return true;
}

bool fx_kubeconfig_find(const struct fx_kubeconfig *kubeconfig, const char *list,
                        const char *item, struct fx_text name,
                        struct fx_kubeconfig_entry *ret_entry, struct fx_err *err) {
    const json_t *array = NULL;
    bool found = false;
    struct fx_kubeconfig_entry hit = {0};
    if (!view_list(kubeconfig, list, &array, err)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(array); i++) {
        struct fx_kubeconfig_entry element = {0};
        struct fx_text its_name = {0};
        if (!view_element(kubeconfig, array, list, i, &element, err) ||
            !fx_kubeconfig_string(&element, "name", &its_name, err)) {
            return false;
        }
        if (!fx_text_equal(its_name, name)) {
            continue;
        }
        if (found) {
            return fx_fail(err, FX_EINVALID,
                           "duplicate name `%.*s`; rename or remove one",
                           FX_TEXT_ARG(name)) ||
                   fx_kubeconfig_add_position(&element, "name", err);
        }
        found = true;
        hit = element;
    }
    if (!found) {
        const struct fx_kubeconfig_entry top = fx_kubeconfig_top(kubeconfig);
        return fx_fail(err, FX_EINVALID, "there is no `%.*s`", FX_TEXT_ARG(name)) ||
               fx_kubeconfig_add_position(&top, list, err);
    }
    return descend(&hit, item, ret_entry, err);
}

/* ---- files, certificates and keys -------------------------------------------------- */

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
    struct fx_buf path = {0};
    if (name.data[0] != '/' && slash == NULL) {
        fx_buf_str(&path, "./"); /* "-" is a file name here */
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
        ok = fx_fail(err, FX_EINVALID, "`%s` is also given; remove one of the two",
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

/* Debian and Ubuntu, Red Hat, SUSE, Alpine and the BSDs. */
static const char *const bundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

bool fx_kubeconfig_system_ca(const struct fx_kubeconfig_source *source,
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
