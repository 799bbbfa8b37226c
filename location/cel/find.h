/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/find.h - private to the room: what is under a key of any value: an entry,
 * an element, a field.
 */
#ifndef FX_LOCATION_CEL_FIND_H
#define FX_LOCATION_CEL_FIND_H

#include "location/cel/run.h"

/* One step of an attribute. */
struct fx_cel_step {
    const struct fx_cel_value *key; /* a string, number or bool */
    bool is_optional;               /* `.?a`, `[?a]` */
    bool is_test;                   /* has() */
    bool is_field;                  /* of Object{…}, by its static type */
    bool is_question;               /* it may find nothing */
};

/* The value under the key; of kind UNSET: there is none; or an error. */
void fx_cel_find(struct fx_cel_run *run, const struct fx_cel_value *in,
                 const struct fx_cel_step *step, struct fx_cel_value *ret);

#endif
