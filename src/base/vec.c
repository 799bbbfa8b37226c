/* SPDX-License-Identifier: Apache-2.0
 *
 * base/vec.c - doubles an array.
 */
#include "base/vec.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool fx_vec_grown(void *items, size_t len, size_t *cap, size_t size) {
    assert(len == *cap);
    const size_t bigger = fx_vec_bigger(*cap);
    if (bigger > SIZE_MAX / 2 / size) {
        return false;
    }
    /* The pointer may be of any type, so it is copied as bytes and never read as a void
     * *. */
    void *array = NULL;
    memcpy(&array, items, sizeof array);
    void *moved = realloc(array, bigger * size);
    if (moved == NULL) {
        return false;
    }
    memcpy(items, &moved, sizeof moved);
    *cap = bigger;
    return true;
}
