/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/defaults.h - private: what KubeMod's mutating webhook sets where the
 * author of a ModRule did not (spec section 1).
 */
#ifndef FX_MUTATORS_KUBEMOD_DEFAULTS_H
#define FX_MUTATORS_KUBEMOD_DEFAULTS_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"

/* Sets `admissionOperations` where it is missing or empty, and `matchFor` of the entries
 * of `match`, copying on write. A rule in which other things than these stand in their
 * places is left as it is there: who validates it says so. Errors: FX_ENOMEM. */
bool fx_rule_set_defaults(json_t **policy, struct fx_err *err) FX_MUST_USE;

#endif
