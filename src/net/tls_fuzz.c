/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_fuzz.c - a stranger's bytes into a server's session, in two pieces.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "net/tls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Made once: keys take milliseconds. */
static struct fx_tls_config *config;

static void drop_config(void) {
    fx_tls_config_unref(config);
}

static void make_config(void) {
    static const char *const names[] = {"localhost"};
    struct fx_err err = FX_ERR_INIT;
    config = fx_tls_config_self_signed(names, 1, &err);
    if (config == NULL || atexit(drop_config) != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (config == NULL) {
        make_config();
    }
    struct fx_tls *tls = fx_tls_create(config);
    if (tls == NULL || size == 0) {
        fx_tls_destroy(tls);
        return 0;
    }
    struct fx_buf plain = {0};
    struct fx_buf cipher = {0};
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text bytes = {(const char *)data + 1, size - 1};
    const size_t first = data[0] < bytes.len ? data[0] : bytes.len;
    enum fx_tls_state state =
        fx_tls_receive(tls, (struct fx_text){bytes.data, first}, &plain, &cipher, &err);
    if (state == FX_TLS_HANDSHAKE) {
        state =
            fx_tls_receive(tls, (struct fx_text){bytes.data + first, bytes.len - first},
                           &plain, &cipher, &err);
    }
    /* Nobody gets in by chance, and no failure is without a reason. */
    assert(state == FX_TLS_HANDSHAKE || state == FX_TLS_FAILED);
    assert(state != FX_TLS_FAILED || (err.code != FX_OK && err.msg[0] != '\0'));
    assert(plain.len == 0);
    fx_tls_close_notify(tls, &cipher);
    fx_tls_destroy(tls);
    fx_buf_finish(&plain);
    fx_buf_finish(&cipher);
    return 0;
}
