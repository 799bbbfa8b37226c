/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/zone.h - private: the time zones that a template may name.
 *
 * The server's own zone is UTC here, wherever it runs: a review must not depend on that.
 * Other zones need the IANA database, which a container may lack, changes every few
 * months, and would be read in the middle of a review. So only those that have one offset
 * for ever are known; the others are refused, not taken for UTC.
 */
#ifndef FX_LOCATION_SPRIG_ZONE_H
#define FX_LOCATION_SPRIG_ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct zone {
    int32_t offset; /* seconds ahead of UTC */
    struct fx_text name;
};

/* UTC for "", "UTC", "Local" and any name that is no zone's, as Sprig has it; the fixed
 * ones of `Etc`. Errors: FX_EMUTATE for the name of any other zone. */
bool zone_find(struct fx_text name, struct zone *ret_zone,
               struct fx_err *err) FX_MUST_USE;

#endif
