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
    struct fx_text text; /* decoded; in the memory of the steps */
    bool is_number;      /* the step can be an index, `number` */
    long long number;
};

struct steps {
    struct step *items;
    size_t n_items;
    char *bytes;
};

/* Parses the path. Ignores the text before its first `/`, and decodes ~1 and ~0. The
 * caller finishes *ret_steps in any case. Errors: FX_ELIMIT over FX_LIMIT_MODRULE_STEPS,
 * FX_ENOMEM. */
bool fx_steps_read(struct fx_text path, struct steps *ret_steps,
                   struct fx_err *err) FX_MUST_USE;
void fx_steps_finish(struct steps *steps); /* zeroed is fine */

/* Compares two paths by their first different step; indices are compared by number. A
 * prefix comes before a longer path. */
int fx_steps_compare(const struct steps *a, const struct steps *b);

/* True if one path is equal to the other or a prefix of it. */
bool fx_steps_overlap(const struct steps *a, const struct steps *b);

/* True if the first steps have these names. NULL ends the list. */
bool fx_steps_begin(const struct steps *steps, const char *const *names);

#endif
