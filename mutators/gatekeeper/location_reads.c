/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/location_reads.c - a location as paths of field names.
 */
#include "mutators/gatekeeper/location_reads.h"

#include "base/limits.h"

bool fx_location_add_reads(const struct fx_location *location, struct fx_reads *reads) {
    struct fx_text path[FX_LIMIT_LOCATION_NODES];
    size_t n_keys = 0;
    for (size_t i = 0; i < location->n_steps; i++) {
        const struct fx_location_step *step = &location->steps[i];
        const bool is_last = i + 1 == location->n_steps;
        if (step->type == FX_LOCATION_OBJECT) {
            path[n_keys++] = step->name;
        } else if (!is_last && !fx_reads_add_list(reads, path, n_keys, step->name)) {
            return false;
        }
    }
    return fx_reads_add(reads, path, n_keys);
}
