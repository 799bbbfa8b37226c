/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/reject.h - private: rules of type Reject (spec sections 2 and 8).
 */
#ifndef FX_MUTATORS_KUBEMOD_REJECT_H
#define FX_MUTATORS_KUBEMOD_REJECT_H

#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "engine/mutator.h"

/* The format in which KubeMod names a rejecting rule. */
extern const struct fx_denial fx_reject_denial;

/* The validate function of a matching rule of type Reject; see fx_mutator_ops.validate.
 * If its message fails, the denial has only the name of the rule, and `note` has the
 * reason. */
bool fx_reject_validate(const struct fx_mutator *self, const struct fx_request *request,
                        json_t *root, struct fx_buf *entry, struct fx_err *note,
                        struct fx_err *err);

#endif
