/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/limits.h - the limits of this room.
 */
#ifndef FX_KYVERNO_LIMITS_H
#define FX_KYVERNO_LIMITS_H

#include <stddef.h>

/* The most rules of a policy, without generated ones: with them it has at most three
 * times as many. */
#define FX_LIMIT_KYVERNO_RULES 1000u

/* What a policy may take when it is compiled, and a rule while it is applied. */
#define KYVERNO_POLICY_ARENA_BYTES ((size_t)64 << 20)
#define KYVERNO_RULE_ARENA_BYTES   ((size_t)64 << 20)

#endif
