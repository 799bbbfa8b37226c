/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/footprint.h - what a mutator looks at in an object and where it writes, as far
 * as the loop has to know to leave out a turn that would come out as the last one did.
 *
 * A spot is a way of field names from the root. Lists are looked through: what stands in
 * any element of a list is one spot. Spots are kept as hashes: two that share one are
 * taken for each other, which costs a turn, and never leaves one out.
 */
#ifndef FX_ENGINE_FOOTPRINT_H
#define FX_ENGINE_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* The root, and the field of that name of what stands at a spot. Never 0. */
#define FX_SPOT_ROOT UINT32_C(2166136261)
uint32_t fx_spot_of_field(uint32_t spot, struct fx_text name);

/* Immutable once made. */
struct fx_footprint {
    /* Whether it acts, and what it writes, does not depend on what it writes: having
     * changed the object, it would find its work done. */
    bool settles;
    bool asks_metadata;   /* its match asks for the labels or annotations */
    bool writes_metadata; /* it writes somewhere in metadata */
    uint32_t n_passed, n_read, n_steps;
    /* One behind the other: the spots of which it matters what they are (there, an
     * object, this very list), those of which it matters what is in them, too, and where
     * the first 1, 2, … steps lead on the way to what it writes. Of no steps it may write
     * anywhere; of some, neither the object's type nor its names: all it does before the
     * end of its way is to add what is missing there. */
    uint32_t spots[];
};

/* The last of its lists. */
static inline const uint32_t *fx_footprint_steps(const struct fx_footprint *footprint) {
    return footprint->spots + footprint->n_passed + footprint->n_read;
}

/* How many of each kind; a mutator of more has no footprint. */
#define FX_FOOTPRINT_SPOTS 64u

/* One in the making, zeroed at first. */
struct fx_footprint_draft {
    uint32_t passed[FX_FOOTPRINT_SPOTS], read[FX_FOOTPRINT_SPOTS];
    uint32_t steps[FX_FOOTPRINT_SPOTS];
    size_t n_passed, n_read, n_steps;
    bool settles, asks_metadata;
    bool is_full; /* something did not fit */
};

/* It looks at what stands at the end of the way, `spots` being those of its first 1, 2, …
 * names. Of no names it looks at everything. */
void fx_footprint_add_way(struct fx_footprint_draft *draft, const uint32_t *spots,
                          size_t n_spots);

/* Makes it; the caller frees it with free(). *ret_footprint is NULL where too much has
 * been added. False without memory. */
bool fx_footprint_make(const struct fx_footprint_draft *draft,
                       struct fx_footprint **ret_footprint) FX_MUST_USE;

#endif
