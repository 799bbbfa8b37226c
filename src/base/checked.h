/* SPDX-License-Identifier: Apache-2.0
 *
 * base/checked.h - a check of the objects that come back from a library as `void *`.
 */
#ifndef FX_BASE_CHECKED_H
#define FX_BASE_CHECKED_H

#include <assert.h>
#include <stdint.h>

/* Asserts that `data` is an object whose first member is `uint32_t magic` with this
 * value, and returns it. The owner of the object clears the member before freeing it. */
static inline void *fx_checked(void *data, uint32_t magic) {
    assert(data != NULL && *(const uint32_t *)data == magic);
    (void)magic;
    return data;
}

#endif
