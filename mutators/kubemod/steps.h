/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/steps.h - private: a path of a patch operation as its steps (spec
 * section 5.4).
 */
#ifndef FX_MUTATORS_KUBEMOD_STEPS_H
#define FX_MUTATORS_KUBEMOD_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "mutators/kubemod/limits.h"

struct step {
    struct fx_text text; /* decoded; of the steps' own memory */
    bool is_number;      /* it can be an index: */
    long long number;
};

struct steps {
    struct step *items;
    size_t n_items;
    char *bytes;
};

/* Reads the path: what is before its first `/` is nothing; ~1 and ~0 are decoded. Errors:
 * FX_ELIMIT over FX_LIMIT_MODRULE_STEPS, FX_ENOMEM. Finish it in any case. */
bool fx_steps_read(struct fx_text path, struct steps *ret_steps,
                   struct fx_err *err) FX_MUST_USE;
void fx_steps_finish(struct steps *steps); /* zeroed is fine */

/* By the first step in which they differ, indices by number; a way that goes on comes
 * behind one that ends. */
int fx_steps_compare(const struct steps *a, const struct steps *b);

/* Does one of them lead to what the other does, or into it? */
bool fx_steps_overlap(const struct steps *a, const struct steps *b);

/* Do the first steps have these names? NULL ends them. */
bool fx_steps_begin(const struct steps *steps, const char *const *names);

#endif
