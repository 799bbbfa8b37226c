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

/* How KubeMod tells who rejects. */
extern const struct fx_denial fx_reject_denial;

/* Of a rule of type Reject that matches; see fx_mutator_ops.validate. Where its message
 * fails, it rejects by its name alone, and `note` says why. */
bool fx_reject_validate(const struct fx_mutator *self, const struct fx_request *request,
                        json_t *root, struct fx_buf *entry, struct fx_err *note,
                        struct fx_err *err);

#endif
