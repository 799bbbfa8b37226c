/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/unify.h - free types of the checker and what they stand for, as cel-go's
 * checker unifies types (spec/cel.md section 2, tier C). Private to the room.
 */
#ifndef FX_LOCATION_CEL_UNIFY_H
#define FX_LOCATION_CEL_UNIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/macros.h"
#include "location/cel/type.h"

struct fx_cel_unifier_change;

/* A zeroed one with the arenas set has no free types. */
struct fx_cel_unifier {
    struct fx_arena *arena;   /* of the types that nodes get */
    struct fx_arena *scratch; /* of free types, until the check ends */
    /* What the free type with this id stands for; NULL: it is still free. bound[0] is
     * unused. */
    const struct fx_cel_type **bound;
    size_t n_bound, cap_bound;
    /* The changes to `bound` since the assignment began that is under way. */
    struct fx_cel_unifier_change *changes;
    size_t n_changes, cap_changes;
    size_t steps;
    bool null_is_any; /* null is assignable to all types */
    /* What stopped it: no memory; the limits of steps and depth, or the thread's budget.
     * All results are meaningless from then on. */
    bool no_memory, over_limit;
};

/* A new free type; fx_cel_error_type without memory. */
const struct fx_cel_type *fx_cel_unify_free(struct fx_cel_unifier *unifier);

#define FX_CEL_PARAMETERS 3u /* T, K, V */

/* The type of an overload with free types in place of its parameters: those of `free`,
 * and new ones where that is NULL. */
const struct fx_cel_type *
fx_cel_unify_instantiate(struct fx_cel_unifier *unifier, const struct fx_cel_type *type,
                         const struct fx_cel_type *free[FX_CEL_PARAMETERS]);

/* Is a value of type `from` assignable to `to`? If so, free types get the meaning that
 * makes it so; else nothing changes. The order matters: cel-go asks in both. */
bool fx_cel_unify(struct fx_cel_unifier *unifier, const struct fx_cel_type *from,
                  const struct fx_cel_type *to);

/* The same for `n` pairs, all or none. */
bool fx_cel_unify_all(struct fx_cel_unifier *unifier,
                      const struct fx_cel_type *const *from,
                      const struct fx_cel_type *const *to, size_t n);

/* The type with all that is known about free types filled in; `to_dyn`: the others become
 * dyn. */
const struct fx_cel_type *fx_cel_unify_resolve(struct fx_cel_unifier *unifier,
                                               const struct fx_cel_type *type,
                                               bool to_dyn);

/* Of two types that unify, the one that is less specific; the second if neither is. */
const struct fx_cel_type *fx_cel_unify_join(struct fx_cel_unifier *unifier,
                                            const struct fx_cel_type *a,
                                            const struct fx_cel_type *b);

/* Types with parameters, from the constants where they have them. fx_cel_error_type
 * without memory. */
const struct fx_cel_type *fx_cel_unify_list(struct fx_cel_unifier *unifier,
                                            const struct fx_cel_type *element);
const struct fx_cel_type *fx_cel_unify_map(struct fx_cel_unifier *unifier,
                                           const struct fx_cel_type *key,
                                           const struct fx_cel_type *value);
const struct fx_cel_type *fx_cel_unify_optional(struct fx_cel_unifier *unifier,
                                                const struct fx_cel_type *inner);

static inline bool fx_cel_is_dyn(const struct fx_cel_type *type) {
    return type->kind == FX_CEL_TYPE_DYN;
}

static inline bool fx_cel_is_dyn_or_error(const struct fx_cel_type *type) {
    return type->kind == FX_CEL_TYPE_DYN || type->kind == FX_CEL_TYPE_ERROR;
}

#endif
