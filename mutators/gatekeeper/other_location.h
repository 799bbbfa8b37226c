/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/other_location.h - private: a second location of a policy, relative
 * to the positions of `spec.location`. The common first steps of both locations,
 * including globs, select the same element.
 */
#ifndef FX_MUTATORS_GATEKEEPER_OTHER_LOCATION_H
#define FX_MUTATORS_GATEKEEPER_OTHER_LOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/write.h"

/* Immutable once made. */
struct other_location {
    struct fx_location *location;
    const struct fx_location *seen_from; /* `spec.location`; borrowed */
    size_t n_shared;                     /* the number of common first steps */
    bool varies; /* a common step is a glob: the element differs by position */
};

/* Parses the text, which must not be blank. Errors: FX_EINVALID ("empty path"), and those
 * of fx_location_parse(). */
bool fx_other_location_parse(struct fx_text text, enum fx_location_syntax syntax,
                             const struct fx_location *seen_from,
                             struct other_location *ret_other,
                             struct fx_err *err) FX_MUST_USE;
void fx_other_location_finish(struct other_location *other); /* zeroed ones are fine */

/* Returns the node at which the steps from `n_shared` on begin, for this position; NULL
 * if there is none. Borrowed. */
json_t *fx_other_location_start(const struct other_location *other,
                                const struct fx_write_position *position);

/* Returns the node at which the two locations diverge, as a key. As long as the key is
 * the same for the next position, the other location has the same result, so that long
 * lists are searched once. The key must only be compared. NULL means that no other
 * position has the same node. */
const json_t *fx_other_location_key(const struct other_location *other,
                                    const struct fx_write_position *position);

#endif
