/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_set.h - private: the distinct values of a list, with a lookup
 * whose time hardly grows with their number.
 */
#ifndef FX_MUTATORS_GATEKEEPER_VALUE_SET_H
#define FX_MUTATORS_GATEKEEPER_VALUE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "value/hash.h"

struct value_slot;

/* Immutable once made: any thread may read it. */
struct value_set {
    json_t *list;    /* counted; never written to */
    json_t **values; /* the distinct values of `list`, in its order; borrowed */
    size_t n_values;
    struct value_slot *slots; /* NULL for few values, which are compared one by one */
    size_t n_slots;
    struct fx_hash_key key;
};

/* Fills the set with the values of the list, and takes a reference to the list. False if
 * out of memory; the caller finishes the set in any case. Values are compared with
 * fx_equal(). */
bool fx_value_set_init(struct value_set *set, json_t *list) FX_MUST_USE;
void fx_value_set_finish(struct value_set *set); /* NULL or zeroed is fine */

/* True if the value is in the set. Then *ret_index is its index in `values`. */
bool fx_value_set_find(const struct value_set *set, const json_t *value,
                       size_t *ret_index) FX_MUST_USE;

#endif
