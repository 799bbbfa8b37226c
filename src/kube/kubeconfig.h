/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kubeconfig.h - parses the text of a kubeconfig into a configuration, and checks
 * parts of it. Private to this room.
 */
#ifndef FX_KUBE_KUBECONFIG_H
#define FX_KUBE_KUBECONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_kube_config;

#define FX_KUBECONFIG_BYTES_MAX (4u << 20) /* one kubeconfig */
#define FX_KUBE_PEM_BYTES_MAX   (1u << 20) /* certificates, or a key */

struct fx_kubeconfig_source {
    const char *file; /* the name of the file, for messages and relative file names */
    struct fx_text text;
    const char *context; /* NULL for the current-context of the text */
    /* Reads the files that the kubeconfig names: fx_file_read(), or a replacement for
     * fuzzing. */
    bool (*read)(const char *path, size_t max, struct fx_buf *ret_bytes,
                 struct fx_err *err);
};

/* The same as fx_kube_config_read() for text in memory. */
bool fx_kubeconfig_parse(const struct fx_kubeconfig_source *source,
                         struct fx_kube_config *ret_config,
                         struct fx_err *err) FX_MUST_USE;

/* Checks that `pem` looks like PEM: it has a BEGIN line, no NUL, and is not too long. The
 * content is not parsed. Errors: FX_EINVALID, FX_ELIMIT. */
bool fx_kube_check_pem(struct fx_text pem, struct fx_err *err) FX_MUST_USE;

/* Checks that `name` is a valid namespace name (a label of RFC 1123). Errors:
 * FX_EINVALID.
 */
bool fx_kube_check_namespace(struct fx_text name, struct fx_err *err) FX_MUST_USE;

#endif
