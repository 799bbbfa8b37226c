/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous_index.h - the files of the previous build by their names. Private to
 * this room.
 */
#ifndef FX_POLICY_PREVIOUS_INDEX_H
#define FX_POLICY_PREVIOUS_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "policy/policies.h"

/* Zeroed but for `policies`, which are borrowed. The list is made when it is first
 * needed: most builds find every file where it was. */
struct fx_previous_index {
    const struct fx_policies *policies;  /* or NULL */
    size_t cursor;                       /* of the file expected next */
    const struct fx_policy_file **files; /* sorted by name */
};

void fx_previous_index_finish(struct fx_previous_index *index);

/* The file of that name; NULL where there is none. Of several with one name, each is
 * found in its turn, as files come in the same order each time. False without memory. */
bool fx_previous_index_find_file(struct fx_previous_index *index, const char *name,
                                 const struct fx_policy_file **ret_file) FX_MUST_USE;

#endif
