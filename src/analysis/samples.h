/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/samples.h - private: a sample object for each mutator, which the mutator
 * changes; and the pairs of mutators that can affect each other: both change the same
 * field of the same objects, or fields of which one contains the other.
 */
#ifndef FX_ANALYSIS_SAMPLES_H
#define FX_ANALYSIS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "analysis/analyzer.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#define SAMPLE_PATHS 4u

/* The sample of one mutator. The object is NULL if the mutator is disabled, or if no
 * object could be made. */
struct sample {
    struct trial_case tcase;
    /* What it changes of that object, as JSON Pointers with `#` for each index. */
    char *paths[SAMPLE_PATHS];
    size_t n_paths;
};

/* Makes a sample for each mutator of the snapshot, and lists those without one in the
 * result. */
struct sample *fx_samples_make(struct analyzer *analyzer, struct fx_err *err) FX_MUST_USE;
void fx_samples_destroy(struct sample *samples, size_t n_samples); /* NULL is fine */

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
bool fx_pairs_find(const struct analyzer *analyzer, const struct sample *samples,
                   struct pairs *ret_pairs, struct fx_err *err) FX_MUST_USE;
void fx_pairs_finish(struct pairs *pairs); /* zeroed ones are fine */

/* A type that both match: a binding of `a` that `b` has, too; or if only one of them is
 * bound to kinds, its first binding. NULL if neither is bound, or no type is common. */
const struct fx_binding *fx_pairs_binding(const struct fx_mutator *a,
                                          const struct fx_mutator *b);

/* A namespace that both are bound to; data is NULL if there is none. */
struct fx_text fx_pairs_namespace(const struct fx_mutator *a, const struct fx_mutator *b);

#endif
