/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/example.h - private: an object on which a rule acts, as far as it can
 * be derived from the rule.
 */
#ifndef FX_MUTATORS_KUBEMOD_EXAMPLE_H
#define FX_MUTATORS_KUBEMOD_EXAMPLE_H

#include <jansson.h>

#include "base/err.h"
#include "engine/mutator.h"

/* The engine's example slot (engine/mutator.h). The object has what match items and
 * selects lead to, if they are plain paths. */
json_t *fx_modrule_example(const struct fx_mutator *self, struct fx_err *err);

#endif
