/* SPDX-License-Identifier: Apache-2.0
 *
 * server/cores_fuzz.c - whatever the files of a cgroup hold.
 */
#include <assert.h>
#include <stdint.h>

#include "server/capacity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    const struct fx_text controllers[] = {{0}, FX_TEXT("cpu")};
    size_t cores = 0;
    if (fx_cores_of_max(text, &cores)) {
        assert(cores >= 1);
    }
    if (fx_cores_of_quota(text, text, &cores)) {
        assert(cores == 1);
    }
    for (size_t i = 0; i < FX_COUNT(controllers); i++) {
        struct fx_text path = {0};
        if (fx_cores_find_group(text, controllers[i], &path)) {
            assert(path.len > 0 && path.data[0] == '/');
            assert(path.data >= text.data && path.data + path.len <= text.data + size);
        }
    }
    return 0;
}
