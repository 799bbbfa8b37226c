/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/defaults.h - private: the defaults that KubeMod's mutating webhook
 * sets in a ModRule (spec section 1).
 */
#ifndef FX_MUTATORS_KUBEMOD_DEFAULTS_H
#define FX_MUTATORS_KUBEMOD_DEFAULTS_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"

/* Sets `admissionOperations` if it is missing or empty, and `matchFor` of the entries of
 * `match`, copying on write. Fields of a wrong type stay as they are; the validation
 * reports them. Errors: FX_ENOMEM. */
bool fx_rule_set_defaults(json_t **policy, struct fx_err *err) FX_MUST_USE;

#endif
