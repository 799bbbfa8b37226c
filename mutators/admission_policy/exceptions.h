/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/exceptions.h - private: the PolicyExceptions of a rule, for
 * one object.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_EXCEPTIONS_H
#define FX_MUTATORS_ADMISSION_POLICY_EXCEPTIONS_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "mutators/admission_policy/activation.h"
#include "mutators/admission_policy/policy.h"

/* Evaluates the conditions of the exceptions of a rule on the object of the request. An
 * exception holds if none of its conditions is false or fails. *ret_exempt says whether
 * one holds that allows nothing in particular: then the policy does not run. What the
 * others that hold allow goes to the activation. Errors: internal ones, and FX_EINPUT. */
bool fx_map_exceptions_check(const struct map_rule *rule,
                             struct map_activation *activation, json_t *object,
                             bool *ret_exempt, struct fx_err *err) FX_MUST_USE;

#endif
