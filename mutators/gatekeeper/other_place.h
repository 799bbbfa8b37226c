/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/other_place.h - private: a second location of a policy, as it is
 * seen from the places of `spec.location`. The steps that both have from the start, globs
 * included, mean the same element.
 */
#ifndef FX_MUTATORS_GATEKEEPER_OTHER_PLACE_H
#define FX_MUTATORS_GATEKEEPER_OTHER_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/write.h"

/* Immutable once made. */
struct other_place {
    struct fx_location *location;
    const struct fx_location *seen_from; /* `spec.location`; borrowed */
    size_t n_shared;                     /* steps that both have from the start */
    bool varies; /* a glob is among these: it is another one for each place */
};

/* Parses the text, which may not be blank. Errors: FX_EINVALID ("empty path"), those of
 * fx_location_parse(). */
bool fx_other_place_parse(struct fx_text text, enum fx_location_syntax syntax,
                          const struct fx_location *seen_from,
                          struct other_place *ret_other, struct fx_err *err) FX_MUST_USE;
void fx_other_place_finish(struct other_place *other); /* zeroed ones are fine */

/* The node in which its steps from `n_shared` on lead further, seen from the place; NULL
 * where there is none. Borrowed. */
json_t *fx_other_place_start(const struct other_place *other,
                             const struct fx_write_position *place);

/* The node in which both locations part, or the field of which they do: as long as it is
 * the same from place to place, so is what the other one leads to. What is found at the
 * first of them holds for all, so that long lists are gone through once. Only to be
 * compared; NULL: no other place has it. */
const json_t *fx_other_place_key(const struct other_place *other,
                                 const struct fx_write_position *place);

#endif
