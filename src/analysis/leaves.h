/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/leaves.h - private: what a mutator changes, as JSON Pointers to values that
 * contain no others.
 */
#ifndef FX_ANALYSIS_LEAVES_H
#define FX_ANALYSIS_LEAVES_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "analysis/analyzer.h"
#include "base/err.h"
#include "base/macros.h"

#define LEAVES_MAX 64u /* of one change; the rest is ignored */

struct leaves {
    char *paths[LEAVES_MAX];
    size_t n_paths;
};

void fx_leaves_finish(struct leaves *leaves); /* zeroed ones are fine */

/* Lists the leaves that `after` has otherwise than `before`: of what was added or put in
 * another's place, and of what was taken away. */
bool fx_leaves_find(struct analyzer *analyzer, json_t *before, json_t *after,
                    struct leaves *ret_leaves, struct fx_err *err) FX_MUST_USE;

#endif
