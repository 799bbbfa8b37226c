/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/sketch.h - private: a generated object on which a rule probably acts.
 */
#ifndef FX_MUTATORS_KUBEMOD_SKETCH_H
#define FX_MUTATORS_KUBEMOD_SKETCH_H

#include <jansson.h>

#include "base/err.h"
#include "engine/mutator.h"

/* The engine's sketch slot (fx_mutator_ops.sketch): sets the fields of match items and
 * selects that are simple paths; the caller tries whether the rule acts on the object. */
json_t *fx_modrule_sketch(const struct fx_mutator *self, struct fx_err *err);

#endif
