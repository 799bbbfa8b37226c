/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/reads.h - the parts of an object that an expression may read, whatever the
 * object is. The expression is followed on the tree of wanted parts (value/json_part.h)
 * instead of being evaluated on an object.
 */
#ifndef FX_LOCATION_CEL_READS_H
#define FX_LOCATION_CEL_READS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "location/cel/cel.h"
#include "value/json_part.h"

#define FX_CEL_MOST_PLACES 4u

/* The positions in the tree that the value of an expression may have. Only the types of
 * the values there are wanted so far. A computed value has no position: all values that
 * it is computed from are wanted whole. Zeroed: none. */
struct fx_cel_places {
    struct fx_json_cursor items[FX_CEL_MOST_PLACES];
    size_t n;
};

/* Makes the values at all these positions wanted whole. */
void fx_cel_places_all(const struct fx_cel_places *places);

/* A field of the variable `composite`, and the places of its value. */
struct fx_cel_field_places {
    struct fx_text name;
    struct fx_cel_places places;
};

/* What the variables of the environment are; everything is borrowed. */
struct fx_cel_reading {
    struct fx_json_part *root; /* the tree of wanted parts of the object */
    size_t object;             /* the number of the variable that is the object */
    /* The number of a variable whose fields are expressions that were followed before;
     * FX_CEL_NO_VARIABLE if there is none. If it is used in another way than by a field
     * of the list, the whole object is wanted. */
    size_t composite;
    const struct fx_cel_field_places *fields;
    size_t n_fields;
};

/* Adds to the tree what the program may read of the object. An object that is decoded for
 * this tree gives the same value as the whole object, but the value may lack parts: a
 * caller that uses it whole calls fx_cel_places_all() with *ret_places. The tree borrows
 * texts of the program; the caller prunes it. Spends from the thread's budget. False
 * without memory. */
bool fx_cel_reads(const struct fx_cel_reading *reading,
                  const struct fx_cel_program *program,
                  struct fx_cel_places *ret_places) FX_MUST_USE;

#endif
