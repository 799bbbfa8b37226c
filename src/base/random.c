/* SPDX-License-Identifier: Apache-2.0
 *
 * random.c - random bytes of the kernel.
 */
#include "base/random.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

static _Thread_local struct {
    uint8_t bytes[FX_RANDOM_MOST_BYTES];
    size_t left;
} stock;

bool fx_random_take(void *bytes, size_t n) {
    assert(n <= sizeof stock.bytes);
    if (stock.left < n) {
        if (getrandom(stock.bytes, sizeof stock.bytes, GRND_NONBLOCK) !=
            (ssize_t)sizeof stock.bytes) {
            return false;
        }
        stock.left = sizeof stock.bytes;
    }
    stock.left -= n;
    memcpy(bytes, stock.bytes + stock.left, n);
    memset(stock.bytes + stock.left, 0, n); /* no byte is given twice, or can be read */
    return true;
}
