/* SPDX-License-Identifier: Apache-2.0
 *
 * server/wait_estimate.c - from marker to marker, or from turn to turn while there is
 * none.
 */
#include "server/wait_estimate.h"

#include <assert.h>

static uint64_t since(const struct fx_wait_estimate *estimate, uint64_t now_ns) {
    return now_ns > estimate->since_ns ? now_ns - estimate->since_ns : 0;
}

uint64_t fx_wait_estimate_get(struct fx_wait_estimate *estimate, uint64_t turn_ns,
                              uint64_t now_ns) {
    if (!estimate->marked && turn_ns > estimate->since_ns) {
        estimate->since_ns = turn_ns;
    }
    return since(estimate, now_ns);
}

bool fx_wait_estimate_needs_marker(struct fx_wait_estimate *estimate, uint64_t now_ns,
                                   uint64_t moment_ns) {
    if (estimate->marked || since(estimate, now_ns) < moment_ns) {
        return false;
    }
    estimate->marked = true;
    estimate->since_ns = now_ns - moment_ns;
    return true;
}

void fx_wait_estimate_end_round(struct fx_wait_estimate *estimate, uint64_t now_ns) {
    assert(estimate->marked);
    estimate->marked = false;
    estimate->since_ns = now_ns;
}
