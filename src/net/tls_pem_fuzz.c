/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_pem_fuzz.c - a stranger's PEM, and the DER in it, wherever certificates and
 * keys are read: a caBundle of a provider or webhook, a kubeconfig, a Secret.
 *
 * Input: the text, whose length says where it is read. Behind a real certificate, as in a
 * bundle, what cannot be read must not hide what can.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fx_buf real, real_key;

static void drop_real(void) {
    fx_buf_finish(&real);
    fx_tls_wipe(&real_key);
}

/* Made once: keys take milliseconds. */
static void make_real(void) {
    static const char *const names[] = {"localhost"};
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *config = fx_tls_config_self_signed(names, 1, &err);
    if (config == NULL || atexit(drop_real) != 0) {
        abort();
    }
    fx_tls_config_print(config, &real);
    fx_tls_config_print_key(config, &real_key);
    fx_tls_config_unref(config);
}

/* No failure is without a reason. */
static bool checked(bool ok, const struct fx_err *err) {
    assert(ok == (err->code == FX_OK));
    assert(ok || err->msg[0] != '\0');
    return ok;
}

static bool trusts(struct fx_text ca) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *config = fx_tls_config_client(
        ca, "localhost", (struct fx_text){0}, (struct fx_text){0}, &err);
    const bool ok = checked(config != NULL, &err);
    fx_tls_config_unref(config);
    return ok;
}

static void serve_with(struct fx_text cert, struct fx_text key) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *config = fx_tls_config_server(cert, key, &err);
    if (checked(config != NULL, &err)) {
        struct fx_buf printed = {0};
        int64_t begin = 0;
        int64_t end = 0;
        fx_tls_config_validity(config, &begin, &end);
        fx_tls_config_print(config, &printed);
        assert(printed.len > 0);
        fx_buf_finish(&printed);
    }
    fx_tls_config_unref(config);
}

static void trust_bundle(struct fx_text text) {
    struct fx_buf bundle = {0};
    fx_buf_text(&bundle, fx_buf_view(&real));
    fx_buf_text(&bundle, text);
    assert(bundle.failed || trusts(fx_buf_view(&bundle)));
    fx_buf_finish(&bundle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (real.len == 0) {
        make_real();
    }
    const struct fx_text text = {(const char *)data, size};
    struct fx_err err = FX_ERR_INIT;
    switch (size % 4) { /* one reader a run: keys take milliseconds */
    case 0: serve_with(text, fx_buf_view(&real_key)); break;
    case 1: serve_with(fx_buf_view(&real), text); break;
    case 2: trust_bundle(text); break;
    default:
        (void)checked(fx_tls_check_ca(text, &err), &err);
        (void)trusts(text);
        break;
    }
    return 0;
}
