/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kubeconfig.h - parses the text of a kubeconfig into a configuration. Private to
 * this room.
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

#endif
