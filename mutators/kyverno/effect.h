/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/effect.h - what a rule has changed.
 */
#ifndef FX_KYVERNO_EFFECT_H
#define FX_KYVERNO_EFFECT_H

#include <stdbool.h>

#include <jansson.h>

#include "engine/mutator.h"

/* Sets the effect of a rule that made *root of `before`, whose reference is taken. If
 * both are equal, *root becomes `before` again. */
void fx_kyverno_effect_compare(json_t *before, json_t **root, struct fx_effect *effect);

/* May a merge of this plain strategic merge patch be written without a look at the object
 * before it? It may if the patch consists of maps and scalars, so that whatever is
 * written differs, and does not write the type of the object. Then the effect says
 * whether names, labels and annotations stay. */
bool fx_kyverno_effect_foresee(const json_t *patch, struct fx_effect *effect);

#endif
