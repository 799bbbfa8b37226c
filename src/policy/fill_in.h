/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/fill_in.h - what the author of a policy left out, for the webhook that is asked
 * before a cluster stores it.
 */
#ifndef FX_POLICY_FILL_IN_H
#define FX_POLICY_FILL_IN_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"

/* Has its dialect fill in what is left out of the object, copying on write. Objects that
 * are no policies, and policies of a version that nobody speaks, stay as they are;
 * whether a policy is valid is not asked (policy/check.h). Errors: FX_ENOMEM. */
bool fx_policy_fill_in(json_t **object, struct fx_err *err) FX_MUST_USE;

#endif
