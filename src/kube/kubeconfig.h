/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kubeconfig.h - parses the text of a kubeconfig into a configuration; the entries
 * of its lists and their fields, with error messages that name both; and the
 * certificates, keys and files that fields hold or name. Private to this room.
 */
#ifndef FX_KUBE_KUBECONFIG_H
#define FX_KUBE_KUBECONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "value/marks.h"

struct fx_kube_config;

#define FX_KUBECONFIG_BYTES_MAX (4u << 20) /* one kubeconfig */

struct fx_kubeconfig_source {
    const char *file; /* the name of the file, for messages and relative file names */
    struct fx_text text;
    const char *context; /* NULL: the current-context of the text */
    /* Reads the files that the kubeconfig names: fx_file_read(), or a stand-in for
     * fuzzing.
     */
    bool (*read)(const char *path, size_t max, struct fx_buf *ret_bytes,
                 struct fx_err *err);
};

/* As fx_kube_config_read(), for text in memory. */
bool fx_kubeconfig_parse(const struct fx_kubeconfig_source *source,
                         struct fx_kube_config *ret_config,
                         struct fx_err *err) FX_MUST_USE;

/* ---- kubeconfig_entry.c ---- */

/* A parsed kubeconfig. */
struct fx_kubeconfig {
    const char *file; /* for messages; borrowed */
    json_t *root;     /* counted; an object */
    struct fx_marks marks;
};

/* A set of fields: `clusters[1].cluster`, or the whole file. Borrowed. */
struct fx_kubeconfig_entry {
    const struct fx_kubeconfig *kubeconfig;
    const json_t *fields; /* an object; NULL: none */
    const json_t *around; /* the node around a field that is missing, */
    const json_t *beyond; /* and the node around that one, for positions in messages */
    const char *list;     /* "clusters"; NULL: the file itself */
    const char *item;     /* "cluster" */
    size_t index;
};

/* The fields of the file itself. */
struct fx_kubeconfig_entry fx_kubeconfig_top(const struct fx_kubeconfig *kubeconfig);

/* Finds the entry of `list` with this name and returns its fields under `item`. Errors:
 * FX_EINVALID if there is none or more than one (client-go refuses duplicates, too), or
 * if something has the wrong type. */
bool fx_kubeconfig_find(const struct fx_kubeconfig *kubeconfig, const char *list,
                        const char *item, struct fx_text name,
                        struct fx_kubeconfig_entry *ret_entry,
                        struct fx_err *err) FX_MUST_USE;

/* The text of the field; empty if it is missing, null or empty, as in client-go.
 * Errors: FX_EINVALID if it is not a string, or contains a NUL. */
bool fx_kubeconfig_string(const struct fx_kubeconfig_entry *entry, const char *field,
                          struct fx_text *ret_text, struct fx_err *err) FX_MUST_USE;

/* The boolean of the field; false if it is missing or null. Errors: FX_EINVALID. */
bool fx_kubeconfig_bool(const struct fx_kubeconfig_entry *entry, const char *field,
                        bool *ret_value, struct fx_err *err) FX_MUST_USE;

/* Whether the field has a value that is neither null nor empty. */
bool fx_kubeconfig_has(const struct fx_kubeconfig_entry *entry, const char *field);

/* Puts `FILE:LINE:COLUMN: clusters[1].cluster.FIELD: ` before the error, as far as the
 * position is known. `field` NULL: the entry itself. Always returns false. */
bool fx_kubeconfig_add_position(const struct fx_kubeconfig_entry *entry,
                                const char *field, struct fx_err *err);

/* The path of the file that the field names, relative to the folder of the kubeconfig;
 * NULL if the field is empty. Free it. Errors: FX_EINVALID, FX_ENOMEM. */
bool fx_kubeconfig_path(const struct fx_kubeconfig_source *source,
                        const struct fx_kubeconfig_entry *entry, const char *field,
                        char **ret_path, struct fx_err *err) FX_MUST_USE;

/* The PEM in the field `FIELD-data`, or in the file that `field` names; empty if neither
 * is given. `ret_pem` starts as an empty buffer and holds the only copy, which the caller
 * wipes if it is a secret. Errors: FX_EINVALID (both are given, like client-go; not
 * base64; not PEM), FX_EIO, FX_ELIMIT, FX_ENOMEM. */
bool fx_kubeconfig_pem(const struct fx_kubeconfig_source *source,
                       const struct fx_kubeconfig_entry *entry, const char *field,
                       struct fx_buf *ret_pem, struct fx_err *err) FX_MUST_USE;

/* The certificate authorities that the system trusts: from the file that SSL_CERT_FILE
 * names (like Go's crypto/x509), or from the usual paths of distributions. Errors: FX_EIO
 * if there is no such file, and as above. */
bool fx_kubeconfig_system_ca(const struct fx_kubeconfig_source *source,
                             struct fx_buf *ret_pem, struct fx_err *err) FX_MUST_USE;

#endif
