/* SPDX-License-Identifier: Apache-2.0
 *
 * base/uuid.c - random UUIDs.
 */
#include "base/uuid.h"

#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"

static void take_random(uint8_t bytes[16]) {
    if (!fx_random_take(bytes, 16)) {
        const uint64_t now = fx_clock_ns();
        memcpy(bytes, &now, sizeof now);
    }
}

void fx_uuid_make(char out[FX_UUID_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    uint8_t b[16] = {0};
    take_random(b);
    b[6] = (uint8_t)((b[6] & 0x0F) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3F) | 0x80);
    for (size_t i = 0; i < sizeof b; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *out++ = '-';
        }
        *out++ = digits[b[i] >> 4];
        *out++ = digits[b[i] & 0x0F];
    }
    *out = '\0';
}
