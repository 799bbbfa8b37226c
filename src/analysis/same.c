/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/same.c - comparing results but for the order of lists.
 */
#include "analysis/same.h"

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "value/equal.h"
#include "value/pointer.h"
#include "value/tree.h"

#define LIST_MAX 64u      /* of longer lists only the length is compared */
#define LOOKS    1000000u /* values looked at in one comparison */

static bool same(const json_t *a, const json_t *b, size_t *looks);

/* jansson's iterators take a writable object although they only read it. */
static json_t *unconst(const json_t *node) {
    const union {
        const json_t *in;
        json_t *out;
    } same_node = {.in = node};
    return same_node.out;
}

static bool same_objects(const json_t *a, const json_t *b, size_t *looks) {
    if (json_object_size(a) != json_object_size(b)) {
        return false;
    }
    json_t *object = unconst(a);
    for (void *at = json_object_iter(object); at != NULL;
         at = json_object_iter_next(object, at)) {
        const struct fx_text key = {json_object_iter_key(at),
                                    json_object_iter_key_len(at)};
        if (!same(json_object_iter_value(at), fx_tree_view_text(b, key), looks)) {
            return false;
        }
    }
    return true;
}

/* The elements of `a` and `b` are paired off; bit i of the sets: a[i], b[i] has a
 * partner. What is left has none: being the same is an equivalence, so any partner will
 * do. */
static void pair_off(const json_t *a, const json_t *b, uint64_t *ret_a, uint64_t *ret_b,
                     size_t *looks) {
    *ret_a = 0;
    *ret_b = 0;
    for (size_t i = 0; i < json_array_size(a); i++) {
        for (size_t k = 0; k < json_array_size(b); k++) {
            if ((*ret_b >> k & 1u) == 0 &&
                same(json_array_get(a, i), json_array_get(b, k), looks)) {
                *ret_a |= UINT64_C(1) << i;
                *ret_b |= UINT64_C(1) << k;
                break;
            }
        }
    }
}

static bool is_long(const json_t *list) {
    return json_array_size(list) > LIST_MAX;
}

static bool same_lists(const json_t *a, const json_t *b, size_t *looks) {
    if (json_array_size(a) != json_array_size(b)) {
        return false;
    }
    if (is_long(a)) {
        return true;
    }
    uint64_t left = 0;
    uint64_t right = 0;
    pair_off(a, b, &left, &right, looks);
    const size_t n = json_array_size(a);
    return n == 0 || left == UINT64_MAX >> (LIST_MAX - n);
}

static bool same(const json_t *a, const json_t *b, size_t *looks) {
    if (a == b || *looks == 0) {
        return true;
    }
    --*looks;
    if (json_is_object(a) && json_is_object(b)) {
        return same_objects(a, b, looks);
    }
    if (json_is_array(a) && json_is_array(b)) {
        return same_lists(a, b, looks);
    }
    return fx_equal(a, b);
}

bool fx_same(const json_t *a, const json_t *b) {
    size_t looks = LOOKS;
    return same(a, b, &looks);
}

/* Two values that differ, and how much may still be looked at. */
struct difference {
    json_t *a, *b;
    struct fx_buf *pointer;
    size_t looks;
};

/* Goes on in the first field that differs. */
static bool enter_object(struct difference *at) {
    json_t *const sides[] = {at->a, at->b};
    for (size_t i = 0; i < 2; i++) {
        for (void *field = json_object_iter(sides[i]); field != NULL;
             field = json_object_iter_next(sides[i], field)) {
            const struct fx_text key = {json_object_iter_key(field),
                                        json_object_iter_key_len(field)};
            json_t *a = fx_tree_view_text(at->a, key);
            json_t *b = fx_tree_view_text(at->b, key);
            if (!same(a, b, &at->looks)) {
                fx_pointer_push(at->pointer, key);
                at->a = a;
                at->b = b;
                return true;
            }
        }
    }
    return false;
}

static size_t first_unset(uint64_t set, size_t n) {
    size_t index = 0;
    while (index < n && (set >> index & 1u) != 0) {
        index++;
    }
    return index;
}

/* Goes on in the first element of each that has no partner, where they are as many. */
static bool enter_list(struct difference *at) {
    const size_t n = json_array_size(at->a);
    if (n != json_array_size(at->b) || is_long(at->a)) {
        return false;
    }
    uint64_t left = 0;
    uint64_t right = 0;
    pair_off(at->a, at->b, &left, &right, &at->looks);
    const size_t i = first_unset(left, n);
    const size_t k = first_unset(right, n);
    if (i == n || k == n) {
        return false;
    }
    fx_pointer_push_index(at->pointer, i);
    at->a = json_array_get(at->a, i);
    at->b = json_array_get(at->b, k);
    return true;
}

void fx_same_find(json_t *a, json_t *b, struct fx_buf *pointer, json_t **ret_a,
                  json_t **ret_b) {
    struct difference at = {a, b, pointer, LOOKS};
    bool goes_on = true;
    while (goes_on) {
        if (json_is_object(at.a) && json_is_object(at.b)) {
            goes_on = enter_object(&at);
        } else {
            goes_on = json_is_array(at.a) && json_is_array(at.b) && enter_list(&at);
        }
    }
    *ret_a = at.a;
    *ret_b = at.b;
}
