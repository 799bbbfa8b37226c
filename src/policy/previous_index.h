/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous_index.h - looks up files of the previous build by name. Private to this
 * room.
 */
#ifndef FX_POLICY_PREVIOUS_INDEX_H
#define FX_POLICY_PREVIOUS_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "policy/policies.h"

/* Zeroed except for `policies`, which are borrowed. The list is created when it is first
 * needed: most builds find every file at its previous position. */
struct fx_previous_index {
    const struct fx_policies *policies;  /* or NULL */
    size_t cursor;                       /* of the file expected next */
    const struct fx_policy_file **files; /* sorted by name */
};

void fx_previous_index_finish(struct fx_previous_index *index);

/* The file of that name; NULL if there is none. Files with the same name are found one
 * after the other, because files have the same order in each build. False without
 * memory. */
bool fx_previous_index_find_file(struct fx_previous_index *index, const char *name,
                                 const struct fx_policy_file **ret_file) FX_MUST_USE;

#endif
