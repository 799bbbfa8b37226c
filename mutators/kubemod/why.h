/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/why.h - private: why a rule does not match an object, in words.
 */
#ifndef FX_MUTATORS_KUBEMOD_WHY_H
#define FX_MUTATORS_KUBEMOD_WHY_H

#include <stdbool.h>

#include "base/text.h"
#include "engine/mutator.h"
#include "engine/request.h"

/* See fx_mutator_ops.why. */
void fx_modrule_why(const struct fx_mutator *self, const struct fx_request *request,
                    const struct fx_subject *subject, const char *criterion,
                    struct fx_why *why);

/* See fx_mutator_ops.writes: the paths of the rule's patch. */
bool fx_modrule_writes(const struct fx_mutator *self,
                       bool (*tell)(void *user, struct fx_text pointer), void *user);

#endif
