/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/config_fuzz.c - any bytes as a kubeconfig: refused with a reason that names the
 * file, or a configuration that requests can be made with. No file is opened.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/url.h"
#include "kube/config.h"
#include "kube/kubeconfig.h"
#include "kube/token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file for each kind of reference. */
static bool read_fake(const char *path, size_t max, struct fx_buf *ret_bytes,
                      struct fx_err *err) {
    const struct fx_text name = fx_text_of(path);
    assert(path[0] == '/' && max > 0);
    if (fx_text_ends(name, FX_TEXT("token"))) {
        fx_buf_str(ret_bytes, "abc.def\n");
    } else if (fx_text_ends(name, FX_TEXT("pem")) || fx_text_ends(name, FX_TEXT("crt"))) {
        fx_buf_str(ret_bytes, "-----BEGIN CERTIFICATE-----\n");
    } else {
        return fx_fail(err, FX_EIO, "%s: No such file or directory", path);
    }
    return true;
}

static void check_pem(const char *pem) {
    struct fx_err err = FX_ERR_INIT;
    const bool ok = pem == NULL || fx_kube_check_pem(fx_text_of(pem), &err);
    assert(ok);
    (void)ok;
}

static void check_token(const struct fx_buf *token) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text text = fx_buf_view(token);
    const bool ok = text.len == 0 || fx_kube_token_check(text, &err);
    assert(ok);
    (void)ok;
}

static void check_server(const struct fx_kube_config *config) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_url url = {0};
    const bool ok = fx_url_parse(fx_text_of(config->server), &url, &err);
    assert(ok);
    (void)ok;
    assert(url.target.len == 0 || url.target.data[url.target.len - 1] != '/');
    if (fx_url_is_scheme(&url, "http")) { /* no credentials are sent */
        assert(config->token.len == 0 && config->token_file == NULL);
        assert(config->cert_pem == NULL && config->key_pem.len == 0);
    }
}

static void check_config(const struct fx_kube_config *config) {
    assert(config->server != NULL && config->context != NULL);
    check_server(config);
    check_pem(config->ca_pem);
    check_pem(config->cert_pem);
    assert((config->cert_pem != NULL) == (config->key_pem.len > 0));
    assert(config->token_file == NULL || config->token.len > 0);
    check_token(&config->token);
    assert(config->server_name == NULL || config->server_name[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_kubeconfig_source source = {
        .file = "/k/config",
        .text = {(const char *)data, size},
        .read = read_fake,
    };
    struct fx_kube_config config = {0};
    struct fx_err err = FX_ERR_INIT;
    if (fx_kubeconfig_parse(&source, &config, &err)) {
        check_config(&config);
        fx_kube_config_finish(&config);
    } else {
        assert(err.code != FX_OK && config.server == NULL);
        assert(err.code == FX_ENOMEM || strstr(err.msg, "/k/config:") != NULL);
    }
    return 0;
}
