/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous_index.h - the files of the previous build by their names, and what is
 * in force now by the policies that it was made of. Private to this room.
 */
#ifndef FX_POLICY_PREVIOUS_INDEX_H
#define FX_POLICY_PREVIOUS_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "engine/request.h"
#include "policy/policies.h"

/* A mutator or a resource, and the policy that gave it: one may give several. */
struct fx_previous_item {
    struct fx_subject subject; /* group, kind, name and, where such policies live in some,
                                * namespace; borrowed of the following */
    struct fx_mutator *mutator;
    struct fx_resource *resource;
    size_t at; /* in the order of the snapshot, resources behind mutators */
};

/* Zeroed but for `policies`, which are borrowed. Each list is made when it is first
 * asked: most builds find every file where it was, and no fault. */
struct fx_previous_index {
    const struct fx_policies *policies;  /* or NULL */
    size_t cursor;                       /* of the file expected next */
    const struct fx_policy_file **files; /* sorted by name */
    struct fx_previous_item *items;      /* sorted by name, kind, group, namespace */
    size_t n_items;
};

void fx_previous_index_finish(struct fx_previous_index *index);

/* The file of that name; NULL where there is none. Of several with one name, each is
 * found in its turn, as files come in the same order each time. False without memory. */
bool fx_previous_index_find_file(struct fx_previous_index *index, const char *name,
                                 const struct fx_policy_file **ret_file) FX_MUST_USE;

/* What is in force of the policy of that group, kind, name and namespace: *ret_n items
 * from *ret_first on, in the order of the snapshot. False without memory. */
bool fx_previous_index_find(struct fx_previous_index *index,
                            const struct fx_subject *subject,
                            const struct fx_previous_item **ret_first,
                            size_t *ret_n) FX_MUST_USE;

#endif
