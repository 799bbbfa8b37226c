/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/other_location.h - private: a second location of a policy, relative
 * to the positions of `spec.location`. The steps that both begin with, including globs,
 * select the same element.
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
    size_t n_shared;                     /* steps that both locations begin with */
    bool varies; /* a glob is among these: the element differs between positions */
};

/* Parses the text, which must not be blank. Errors: FX_EINVALID ("empty path"), those of
 * fx_location_parse(). */
bool fx_other_location_parse(struct fx_text text, enum fx_location_syntax syntax,
                             const struct fx_location *seen_from,
                             struct other_location *ret_other,
                             struct fx_err *err) FX_MUST_USE;
void fx_other_location_finish(struct other_location *other); /* zeroed ones are fine */

/* The node at which its steps from `n_shared` on begin, for this position; NULL if there
 * is none. Borrowed. */
json_t *fx_other_location_start(const struct other_location *other,
                                const struct fx_write_position *position);

/* The node at which the two locations diverge, as a key: as long as it is the same for
 * the next position, the other location has the same result, so that long lists are
 * searched once. Only to be compared; NULL: no other position has the same node. */
const json_t *fx_other_location_key(const struct other_location *other,
                                    const struct fx_write_position *position);

#endif
