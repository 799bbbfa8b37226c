/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_access.h - private: what a ModRule reads and writes.
 */
#ifndef FX_MUTATORS_KUBEMOD_RULE_ACCESS_H
#define FX_MUTATORS_KUBEMOD_RULE_ACCESS_H

#include <stdbool.h>

#include "base/macros.h"
#include "engine/access.h"
#include "mutators/kubemod/modrule.h"

/* The engine's access slot (engine/mutator.h). */
void fx_modrule_access(const struct fx_mutator *self, struct fx_access *access);

/* Fills in the inputs of the rule: whether it reads `syntheticRefs.namespace` and
 * `syntheticRefs.node`. False without memory. */
bool fx_rule_find_inputs(struct modrule *rule) FX_MUST_USE;

#endif
