/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/sketches.h - private: an object for each mutator, on which it acts.
 */
#ifndef FX_ANALYSIS_SKETCHES_H
#define FX_ANALYSIS_SKETCHES_H

#include <stdbool.h>
#include <stddef.h>

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

/* Merges two objects: the fields of both, each list element once; in `namespace_`, unless
 * its data is NULL. Where fields contradict each other, that of `a` counts. A new
 * reference; NULL (no error) if type or name contradict each other. */
json_t *fx_sketch_merge(const json_t *a, const json_t *b, struct fx_text namespace_,
                        struct fx_err *err);

#endif
