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

/* By mutator. Where there is none (it is disabled, or nothing could be made), the object
 * is NULL. */
struct sketch {
    struct trial_case tcase;
    /* What it changes of that object, as JSON Pointers with `#` for each index. */
    char *paths[SKETCH_PATHS];
    size_t n_paths;
};

/* Makes one for each mutator of the snapshot, and lists those for which none could be. */
struct sketch *fx_sketches_make(struct analyzer *analyzer,
                                struct fx_err *err) FX_MUST_USE;
void fx_sketches_destroy(struct sketch *sketches, size_t n_sketches); /* NULL is fine */

/* One object out of two: what either has, each list element once; in that namespace,
 * unless its data is NULL. NULL (no error) where they contradict each other in who the
 * object is; where they do in a field of it, that of `a` counts. A new reference. */
json_t *fx_sketch_merge(const json_t *a, const json_t *b, struct fx_text namespace_,
                        struct fx_err *err);

#endif
