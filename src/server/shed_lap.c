/* SPDX-License-Identifier: Apache-2.0
 *
 * server/shed_lap.c - from marker to marker, or from turn to turn while there is none.
 */
#include "server/shed_lap.h"

#include <assert.h>

static uint64_t since(const struct fx_lap *lap, uint64_t now_ns) {
    return now_ns > lap->since_ns ? now_ns - lap->since_ns : 0;
}

uint64_t fx_lap_waited(struct fx_lap *lap, uint64_t turn_ns, uint64_t now_ns) {
    if (!lap->marked && turn_ns > lap->since_ns) {
        lap->since_ns = turn_ns;
    }
    return since(lap, now_ns);
}

bool fx_lap_mark(struct fx_lap *lap, uint64_t now_ns, uint64_t moment_ns) {
    if (lap->marked || since(lap, now_ns) < moment_ns) {
        return false;
    }
    lap->marked = true;
    lap->since_ns = now_ns - moment_ns;
    return true;
}

void fx_lap_end(struct fx_lap *lap, uint64_t now_ns) {
    assert(lap->marked);
    lap->marked = false;
    lap->since_ns = now_ns;
}
