/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/type_guards.h - private: which parts of an expression may
 * never be evaluated, because something else decides whether they are.
 *
 * A policy that matches several kinds asks for the kind of the object, or whether a field
 * exists, before it reads a field that only some of them have:
 * `object.kind == "Pod" ? object.spec : object.spec.template.spec`.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_TYPE_GUARDS_H
#define FX_MUTATORS_ADMISSION_POLICY_TYPE_GUARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mutators/admission_policy/policy.h"

/* Is what stands at this position of the expression guarded: a branch of ?:, an operand
 * of && or ||, an alternative, the field that has() or .? asks for? True also if nothing
 * is found there. */
bool fx_map_is_guarded(const struct fx_cel_program *program, uint32_t at);

/* Sets ret_needed[i] if variable i is read by a mutation where it is not guarded, or so
 * by another needed variable. There is room for all variables of the policy. */
void fx_map_find_needed(const struct map_policy *policy, bool *ret_needed);

#endif
