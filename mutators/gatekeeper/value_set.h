/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_set.h - private: the distinct values of a list, among which
 * others are found in a time that hardly grows with their number.
 */
#ifndef FX_MUTATORS_GATEKEEPER_VALUE_SET_H
#define FX_MUTATORS_GATEKEEPER_VALUE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "value/hash.h"

struct value_slot;

/* Immutable once made: any thread may look into it. */
struct value_set {
    json_t *list;    /* counted; never written to */
    json_t **values; /* borrowed from it: each that equals none before it, in its order */
    size_t n_values;
    struct value_slot *slots; /* NULL where the values are few: then each is looked at */
    size_t n_slots;
    struct fx_hash_key key;
};

/* The set of what is in the list, of which a reference is taken. False without memory;
 * the set is then to be finished all the same. Values are equal as fx_equal() says. */
bool fx_value_set_init(struct value_set *set, json_t *list) FX_MUST_USE;
void fx_value_set_finish(struct value_set *set); /* NULL, zeroed are fine */

/* Is the value in the set? *ret_index is then where in `values`. */
bool fx_value_set_find(const struct value_set *set, const json_t *value,
                       size_t *ret_index) FX_MUST_USE;

#endif
