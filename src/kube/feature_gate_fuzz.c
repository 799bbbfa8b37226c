/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/feature_gate_fuzz.c - a page of metrics tells the same in whatever pieces it
 * arrives: the first byte of the input is their size, the rest is the page.
 */
#include <assert.h>
#include <stdint.h>

#include "kube/feature_gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum fx_kube_gate read_in_pieces(struct fx_text page, size_t size) {
    struct fx_kube_gate_reader reader = {.name = "X"};
    bool is_known = false;
    while (page.len > 0 && !is_known) {
        const size_t len = page.len < size ? page.len : size;
        is_known = fx_kube_gate_feed(&reader, (struct fx_text){page.data, len});
        page = (struct fx_text){page.data + len, page.len - len};
    }
    assert(is_known == (reader.gate >= FX_KUBE_GATE_OFF));
    return reader.gate;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0) {
        const struct fx_text page = {(const char *)data + 1, size - 1};
        assert(read_in_pieces(page, (size_t)data[0] + 1) ==
               read_in_pieces(page, page.len + 1));
    }
    return 0;
}
