/* SPDX-License-Identifier: Apache-2.0
 *
 * base/uuid.c - random names.
 */
#include "base/uuid.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"

void fx_uuid_make(char out[FX_UUID_SIZE]) {
    uint8_t b[16] = {0};
    if (getrandom(b, sizeof b, GRND_NONBLOCK) != (ssize_t)sizeof b) {
        const uint64_t now = fx_clock_ns();
        memcpy(b, &now, sizeof now);
    }
    b[6] = (uint8_t)((b[6] & 0x0F) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3F) | 0x80);
    (void)snprintf(out, FX_UUID_SIZE,
                   "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                   b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10],
                   b[11], b[12], b[13], b[14], b[15]);
}
