/* SPDX-License-Identifier: Apache-2.0
 *
 * base/hash.c - FNV-1a.
 */
#include "base/hash.h"

#define PRIME UINT64_C(0x100000001b3)

uint64_t fx_hash_bytes(uint64_t so_far, const void *bytes, size_t len) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++) {
        so_far = (so_far ^ at[i]) * PRIME;
    }
    return so_far;
}

uint64_t fx_hash_text(uint64_t so_far, struct fx_text text) {
    return fx_hash_bytes(fx_hash_bytes(so_far, &text.len, sizeof text.len), text.data,
                         text.len);
}
