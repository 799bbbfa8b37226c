/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/location_reads.h - private: what of an object a location leads to.
 */
#ifndef FX_MUTATORS_GATEKEEPER_LOCATION_READS_H
#define FX_MUTATORS_GATEKEEPER_LOCATION_READS_H

#include <stdbool.h>

#include "base/macros.h"
#include "engine/reads.h"
#include "location/gatekeeper/location.h"

/* Adds all that stands where the location leads, and the keys of the elements on the way.
 * The names are borrowed of the location. False without memory. */
bool fx_location_add_reads(const struct fx_location *location,
                           struct fx_reads *reads) FX_MUST_USE;

#endif
