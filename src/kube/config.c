/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/config.c - a configuration's end, and its way out of a kubeconfig file.
 */
#include "kube/config.h"

#include <stdlib.h>

#include "base/file.h"
#include "kube/kubeconfig.h"
#include "net/tls.h"

/* An ordinary file is not moved while it is read, so that no copy of its secrets stays
 * behind. */
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
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
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
