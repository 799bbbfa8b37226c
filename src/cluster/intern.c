/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/intern.c - a table of trees by content. A container is compared by the pointers
 * of its children, which are interned before it.
 */
#include "cluster/intern.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"
#include "value/tree.h"

#define FIRST_SLOTS 256u /* a power of two, as all later numbers */

/* ---- content --------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_object(uint64_t hash, json_t *object) {
    const char *key = NULL;
    size_t key_len = 0;
    json_t *value = NULL;
    json_object_keylen_foreach(object, key, key_len, value) {
        hash = mix(fx_hash_text(hash, (struct fx_text){key, key_len}), (uintptr_t)value);
    }
    return hash;
}

static uint64_t hash_array(uint64_t hash, const json_t *array) {
    for (size_t i = 0; i < json_array_size(array); i++) {
        hash = mix(hash, (uintptr_t)json_array_get(array, i));
    }
    return hash;
}

static uint64_t hash_of(json_t *node) {
    const uint64_t hash = mix(1, (uint64_t)json_typeof(node));
    switch (json_typeof(node)) {
    case JSON_OBJECT: return hash_object(hash, node);
    case JSON_ARRAY: return hash_array(hash, node);
    case JSON_STRING: return fx_hash_text(hash, fx_tree_text(node));
    case JSON_INTEGER: return mix(hash, (uint64_t)json_integer_value(node));
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: break;
    }
    return hash;
}

/* The same keys in the same order, with the same children. */
static bool same_object(json_t *a, json_t *b) {
    void *in_b = json_object_iter(b);
    if (json_object_size(a) != json_object_size(b)) {
        return false;
    }
    for (void *in_a = json_object_iter(a); in_a != NULL;
         in_a = json_object_iter_next(a, in_a)) {
        const struct fx_text key_a = {json_object_iter_key(in_a),
                                      json_object_iter_key_len(in_a)};
        const struct fx_text key_b = {json_object_iter_key(in_b),
                                      json_object_iter_key_len(in_b)};
        if (json_object_iter_value(in_a) != json_object_iter_value(in_b) ||
            !fx_text_equal(key_a, key_b)) {
            return false;
        }
        in_b = json_object_iter_next(b, in_b);
    }
    return true;
}

static bool same_array(const json_t *a, const json_t *b) {
    if (json_array_size(a) != json_array_size(b)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(a); i++) {
        if (json_array_get(a, i) != json_array_get(b, i)) {
            return false;
        }
    }
    return true;
}

static bool is_same(json_t *a, json_t *b) {
    if (json_typeof(a) != json_typeof(b)) {
        return false;
    }
    switch (json_typeof(a)) {
    case JSON_OBJECT: return same_object(a, b);
    case JSON_ARRAY: return same_array(a, b);
    case JSON_STRING: return fx_text_equal(fx_tree_text(a), fx_tree_text(b));
    case JSON_INTEGER: return json_integer_value(a) == json_integer_value(b);
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: break;
    }
    return a == b;
}

/* ---- the table ------------------------------------------------------------------- */

/* Where the node stands, or where it belongs. There is a free slot. */
static json_t **slot_of(const struct fx_intern *intern, json_t *node) {
    size_t at = (size_t)hash_of(node) & (intern->n_slots - 1);
    while (intern->slots[at] != NULL && !is_same(intern->slots[at], node)) {
        at = (at + 1) & (intern->n_slots - 1);
    }
    return &intern->slots[at];
}

/* Lets go of those that nobody else uses; false where there is none. The table is to be
 * rebuilt before it is asked anything. */
static bool drop_unused(struct fx_intern *intern) {
    bool dropped = false;
    for (size_t i = 0; i < intern->n_slots; i++) {
        if (intern->slots[i] != NULL && fx_tree_is_unshared(intern->slots[i])) {
            json_decref(intern->slots[i]);
            intern->slots[i] = NULL;
            dropped = true;
        }
    }
    return dropped;
}

/* A new table of those that somebody else uses. False without memory: all stays. */
static bool rebuild(struct fx_intern *intern, size_t n_slots) {
    struct fx_intern next = {.slots = calloc(n_slots, sizeof(json_t *)),
                             .n_slots = n_slots,
                             .n_next = n_slots / 2};
    if (next.slots == NULL) {
        return false;
    }
    while (drop_unused(intern)) { /* then what only they used is unused, too */
    }
    for (size_t i = 0; i < intern->n_slots; i++) {
        if (intern->slots[i] != NULL) {
            *slot_of(&next, intern->slots[i]) = intern->slots[i];
            next.n_used++;
        }
    }
    free(intern->slots);
    *intern = next;
    return true;
}

/* Room for one more: first by dropping what nobody uses, then by more slots. */
static bool make_room(struct fx_intern *intern) {
    if (intern->n_used < intern->n_next) {
        return true;
    }
    const size_t n_slots = intern->n_slots == 0 ? FIRST_SLOTS : intern->n_slots;
    return rebuild(intern, n_slots) &&
           (intern->n_used < intern->n_next / 2 || rebuild(intern, 2 * n_slots) ||
            intern->n_used < intern->n_next);
}

void fx_intern_finish(struct fx_intern *intern) {
    for (size_t i = 0; intern != NULL && i < intern->n_slots; i++) {
        json_decref(intern->slots[i]);
    }
    if (intern != NULL) {
        free(intern->slots);
        *intern = (struct fx_intern){0};
    }
}

/* The one of this content: the node itself, or the one that was first; takes the node
 * over. */
static json_t *take_in(struct fx_intern *intern, json_t *node_take) {
    if (!make_room(intern)) {
        return node_take;
    }
    json_t **slot = slot_of(intern, node_take);
    if (*slot == NULL) {
        *slot = json_incref(node_take);
        intern->n_used++;
        return node_take;
    }
    json_t *first = json_incref(*slot);
    json_decref(node_take);
    return first;
}

/* ---- trees ----------------------------------------------------------------------- */

/* The same container of children that are interned; NULL without memory. */
static json_t *intern_object(struct fx_intern *intern, json_t *object) {
    json_t *made = json_object();
    const char *key = NULL;
    size_t key_len = 0;
    json_t *value = NULL;
    if (made == NULL) {
        return NULL;
    }
    json_object_keylen_foreach(object, key, key_len, value) {
        json_t *child = fx_intern_tree(intern, value);
        if (child == NULL ||
            !fx_tree_set_take(made, (struct fx_text){key, key_len}, child)) {
            json_decref(made);
            return NULL;
        }
    }
    return made;
}

static json_t *intern_array(struct fx_intern *intern, const json_t *array) {
    json_t *made = json_array();
    for (size_t i = 0; made != NULL && i < json_array_size(array); i++) {
        json_t *child = fx_intern_tree(intern, json_array_get(array, i));
        if (child == NULL || !fx_tree_append_take(made, child)) {
            json_decref(made);
            return NULL;
        }
    }
    return made;
}

json_t *fx_intern_tree(struct fx_intern *intern, json_t *tree) {
    json_t *made = NULL;
    switch (json_typeof(tree)) {
    case JSON_OBJECT: made = intern_object(intern, tree); break;
    case JSON_ARRAY: made = intern_array(intern, tree); break;
    case JSON_STRING:
    case JSON_INTEGER: made = json_incref(tree); break;
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: return json_incref(tree);
    }
    return made == NULL ? NULL : take_in(intern, made);
}
