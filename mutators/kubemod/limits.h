/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/limits.h - private: the limits of a ModRule. As base/limits.h has it:
 * past one of them there is a clear error.
 */
#ifndef FX_MUTATORS_KUBEMOD_LIMITS_H
#define FX_MUTATORS_KUBEMOD_LIMITS_H

/* The entries of its `match`, and those of its `patch` … */
#define FX_LIMIT_MODRULE_ENTRIES 1000u
/* … and what it may come to in one review. */
#define FX_LIMIT_MODRULE_STEPS      128u  /* of one path */
#define FX_LIMIT_MODRULE_PADDING    1000u /* elements a list gets to have a given index */
#define FX_LIMIT_MODRULE_OPERATIONS 10000u     /* that its selects lead to */
#define FX_LIMIT_MODRULE_UNITS      (1u << 23) /* base/budget.h; of match or patch */
#define FX_LIMIT_MODRULE_BYTES      (8u << 20) /* that it writes */

#endif
