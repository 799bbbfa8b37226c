/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/sketch.h - private: an object on which a rule acts, as far as that can
 * be read off it.
 */
#ifndef FX_MUTATORS_KUBEMOD_SKETCH_H
#define FX_MUTATORS_KUBEMOD_SKETCH_H

#include <jansson.h>

#include "base/err.h"
#include "engine/mutator.h"

/* See fx_mutator_ops.sketch: what its match items and its selects lead to, where they are
 * plain ways; whoever asks tries it out. */
json_t *fx_modrule_sketch(const struct fx_mutator *self, struct fx_err *err);

#endif
