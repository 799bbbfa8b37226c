/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/sketches.h - private: an object for each mutator, on which it acts; and which
 * mutators can affect each other: those that change the same field of the same objects,
 * or fields of which one contains the other.
 */
#ifndef FX_ANALYSIS_SKETCHES_H
#define FX_ANALYSIS_SKETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "analysis/analyzer.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#define SKETCH_PATHS 4u

/* The sketch of one mutator. The object is NULL if the mutator is disabled, or if no
 * object could be made. */
struct sketch {
    struct trial_case tcase;
    /* What it changes of that object, as JSON Pointers with `#` for each index. */
    char *paths[SKETCH_PATHS];
    size_t n_paths;
};

/* Makes a sketch for each mutator of the snapshot, and lists those without one in the
 * result. */
struct sketch *fx_sketches_make(struct analyzer *analyzer,
                                struct fx_err *err) FX_MUST_USE;
void fx_sketches_destroy(struct sketch *sketches, size_t n_sketches); /* NULL is fine */

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
