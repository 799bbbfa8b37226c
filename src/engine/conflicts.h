/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/conflicts.h - mutators that assume different types of one node of an object
 * (spec section 6). The types come from the paths that they declare as written
 * (engine/access.h). All members of a conflict are disabled for every object.
 */
#ifndef FX_ENGINE_CONFLICTS_H
#define FX_ENGINE_CONFLICTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/mutator.h"

/* The conflicts of each mutator, by its index: `members` are the members of the conflicts
 * along its paths, as indices. The mutator is a member itself, unless it only shares a
 * path with them (spec section 6, "quirk"). */
struct fx_conflicts {
    size_t n_mutators;
    struct fx_conflict_set {
        const size_t *members; /* ascending; none if no conflict is reported */
        size_t n_members;
        bool disabled; /* the mutator is itself a member */
    } *sets;
    struct fx_arena arena; /* memory of the members, which sets may share */
};

/* Finds the conflicts among the mutators. Errors: FX_ENOMEM. */
bool fx_conflicts_find(struct fx_mutator *const *mutators, size_t n_mutators,
                       struct fx_conflicts *ret_conflicts,
                       struct fx_err *err) FX_MUST_USE;
void fx_conflicts_finish(struct fx_conflicts *conflicts); /* NULL, zeroed are fine */

/* Appends "the following mutators have conflicting schemas: [<gid>,<gid>]" for the set of
 * the mutator `index`. The ids are ordered as text. If there are more than
 * FX_LIMIT_CONFLICT_IDS, it prints the first ones and, for example, " and 7 more". The
 * mutators are in the order of a pass. */
void fx_conflicts_print(const struct fx_conflicts *conflicts, size_t index,
                        struct fx_mutator *const *mutators, struct fx_buf *buf);

#endif
