/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/explain.h - private: the explain functions of a rule for `fixpoint
 * explain`; struct fx_mutator_ops has the contracts.
 */
#ifndef FX_MUTATORS_KUBEMOD_EXPLAIN_H
#define FX_MUTATORS_KUBEMOD_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "engine/mutator.h"
#include "engine/request.h"

void fx_modrule_explain(const struct fx_mutator *self, const char *criterion,
                        struct fx_criterion *ret_criterion);

void fx_modrule_found(const struct fx_mutator *self, const struct fx_request *request,
                      const struct fx_subject *subject, const char *criterion,
                      struct fx_buf *found);

#endif
