/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/pairs.h - private: which mutators can affect each other: those that change the
 * same field of the same objects, or fields of which one contains the other.
 */
#ifndef FX_ANALYSIS_PAIRS_H
#define FX_ANALYSIS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/sketches.h"

struct pair {
    uint32_t a, b;
};

/* Each pair in both orders, sorted by `a`, then `b`, once. */
struct pairs {
    struct pair *items;
    size_t n_items, cap_items;
    size_t n_skipped; /* over the limit, not compared */
};

/* Finds them. Errors: FX_ENOMEM. */
bool fx_pairs_find(const struct analyzer *analyzer, const struct sketch *sketches,
                   struct pairs *ret_pairs, struct fx_err *err) FX_MUST_USE;
void fx_pairs_finish(struct pairs *pairs); /* zeroed ones are fine */

/* A type that both want: an entry of the first's bindings that the second has as well, or
 * where only one has any, that one's first; NULL where neither has, or none is common. */
const struct fx_binding *fx_pairs_binding(const struct fx_mutator *a,
                                          const struct fx_mutator *b);

/* A namespace that both are bound to; data is NULL if there is none. */
struct fx_text fx_pairs_namespace(const struct fx_mutator *a, const struct fx_mutator *b);

#endif
