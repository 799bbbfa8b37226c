/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/netip_fuzz.c - an address prints as one that is equal to it; a prefix
 * masked twice is a prefix masked once.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "location/go/netip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_failure(const struct fx_err *err) {
    assert(err->code == FX_EMUTATE && err->msg[0] != '\0');
}

static void check_address(const struct fx_go_address *address) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_go_address again;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_go_address_print(&buf, address);
    assert(fx_go_address_parse(fx_buf_view(&buf), &again, &err));
    assert(fx_go_address_equal(address, &again));
    fx_buf_finish(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_err err = FX_ERR_INIT;
    struct fx_go_address address;
    struct fx_go_prefix prefix;
    if (fx_go_address_parse(text, &address, &err)) {
        check_address(&address);
    } else {
        check_failure(&err);
    }
    fx_err_reset(&err);
    if (fx_go_prefix_parse(text, &prefix, &err)) {
        assert(prefix.bits <= fx_go_address_bits(&prefix.address));
        const struct fx_go_address once =
            fx_go_address_mask(&prefix.address, prefix.bits);
        const struct fx_go_address twice = fx_go_address_mask(&once, prefix.bits);
        assert(fx_go_address_equal(&once, &twice));
    } else {
        check_failure(&err);
    }
    return 0;
}
