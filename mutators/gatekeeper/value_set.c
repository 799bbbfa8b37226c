/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_set.c - a hash table with linear probing. It does not change
 * after it is made. Its key is secret, so that the authors of objects, whose list
 * elements are searched, cannot make values collide.
 */
#include "mutators/gatekeeper/value_set.h"

#include <stdlib.h>

#include "value/equal.h"

/* Up to this number, a comparison with each value is as fast. */
#define FEW_VALUES 16

struct value_slot {
    uint64_t hash;
    size_t number; /* index in `values`, from 1; 0 for a free slot */
};

/* Returns the slot that holds the value, or the free slot for it. */
static struct value_slot *find_slot(const struct value_set *set, const json_t *value,
                                    uint64_t hash) {
    size_t at = hash & (set->n_slots - 1);
    while (set->slots[at].number != 0 &&
           (set->slots[at].hash != hash ||
            !fx_equal(set->values[set->slots[at].number - 1], value))) {
        at = (at + 1) & (set->n_slots - 1);
    }
    return &set->slots[at];
}

static bool find_hashed(const struct value_set *set, const json_t *value,
                        size_t *ret_index) {
    const struct value_slot *slot = find_slot(set, value, fx_hash_value(set->key, value));
    if (slot->number == 0) {
        return false;
    }
    *ret_index = slot->number - 1;
    return true;
}

bool fx_value_set_find(const struct value_set *set, const json_t *value,
                       size_t *ret_index) {
    if (set->slots != NULL) {
        return find_hashed(set, value, ret_index);
    }
    for (size_t i = 0; i < set->n_values; i++) {
        if (fx_equal(set->values[i], value)) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

/* Makes slots for `size` values. At most half of them are used. */
static bool make_slots(struct value_set *set, size_t size) {
    set->n_slots = 1;
    while (set->n_slots < 2 * size) {
        set->n_slots *= 2;
    }
    set->key = fx_hash_key_make();
    set->slots = calloc(set->n_slots, sizeof *set->slots);
    return set->slots != NULL;
}

static void add_value(struct value_set *set, json_t *value) {
    size_t there = 0;
    if (set->slots == NULL) {
        if (!fx_value_set_find(set, value, &there)) {
            set->values[set->n_values++] = value;
        }
        return;
    }
    const uint64_t hash = fx_hash_value(set->key, value);
    struct value_slot *slot = find_slot(set, value, hash);
    if (slot->number == 0) {
        set->values[set->n_values++] = value;
        *slot = (struct value_slot){.hash = hash, .number = set->n_values};
    }
}

bool fx_value_set_init(struct value_set *set, json_t *list) {
    const size_t size = json_array_size(list);
    *set = (struct value_set){.list = json_incref(list)};
    set->values = calloc(size + 1, sizeof(json_t *));
    if (set->values == NULL || (size > FEW_VALUES && !make_slots(set, size))) {
        return false;
    }
    size_t index = 0;
    json_t *value = NULL;
    json_array_foreach (list, index, value) {
        add_value(set, value);
    }
    return true;
}

void fx_value_set_finish(struct value_set *set) {
    if (set == NULL) {
        return;
    }
    free(set->slots);
    free(set->values);
    json_decref(set->list);
    *set = (struct value_set){0};
}
