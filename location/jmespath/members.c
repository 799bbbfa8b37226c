/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/members.c - the members of an object in the order of their keys.
 */
#include <stdlib.h>

#include "location/jmespath/eval.h"
#include "value/tree.h"

/* Comparing keys is cheap unless they are long. */
#define KEY_BYTES_OF_A_UNIT 128u

static int compare_members(const void *a, const void *b) {
    return fx_text_compare(((const struct query_member *)a)->key,
                           ((const struct query_member *)b)->key);
}

/* The units of sorting: each key is compared once for each bit of their number. */
static size_t units_of_sort(const struct query_member *members, size_t n) {
    size_t bits = 1;
    size_t units = 0;
    while (n >> bits != 0) {
        bits++;
    }
    for (size_t i = 0; i < n; i++) {
        units += 1 + members[i].key.len / KEY_BYTES_OF_A_UNIT;
    }
    return units * bits;
}

bool fx_jmespath_members(struct fx_arena *arena, const json_t *object,
                         struct query_member **ret_members, size_t *ret_n,
                         struct fx_err *err) {
    const size_t n = json_object_size(object);
    if (!fx_spend(n)) {
        return fx_fail_exceeded(err);
    }
    struct query_member *members = fx_arena_alloc(arena, n * sizeof *members);
    if (members == NULL) {
        return fx_fail_nomem(err);
    }
    size_t i = 0;
    for (void *iter = fx_node_first(object); iter != NULL;
         iter = fx_node_next(object, iter)) {
        members[i++] =
            (struct query_member){fx_node_key(iter), json_object_iter_value(iter)};
    }
    if (!fx_spend(units_of_sort(members, n))) {
        return fx_fail_exceeded(err);
    }
    qsort(members, n, sizeof *members, compare_members);
    *ret_members = members;
    *ret_n = n;
    return true;
}
