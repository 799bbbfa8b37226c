/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_reads.h - private: what of an object a ModRule may look at, or
 * write.
 */
#ifndef FX_MUTATORS_KUBEMOD_RULE_READS_H
#define FX_MUTATORS_KUBEMOD_RULE_READS_H

#include <stdbool.h>

#include "base/macros.h"
#include "mutators/kubemod/modrule.h"
#include "value/json_part.h"

/* Adds it to the tree, which borrows the rule's texts. False without memory. */
bool fx_rule_add_reads(const struct modrule *rule, struct fx_json_part *root) FX_MUST_USE;

/* Fills in the inputs of the rule: whether it reads the namespace and the node of
 * `syntheticRefs`. False without memory. */
bool fx_rule_find_inputs(struct modrule *rule) FX_MUST_USE;

/* Fills in what the rule leaves alone. */
void fx_rule_find_writes(struct modrule *rule);

#endif
