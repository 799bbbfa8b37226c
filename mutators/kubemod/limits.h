/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/limits.h - private: the limits of a ModRule. As in base/limits.h:
 * beyond a limit there is a clear error.
 */
#ifndef FX_MUTATORS_KUBEMOD_LIMITS_H
#define FX_MUTATORS_KUBEMOD_LIMITS_H

/* The entries of its `match`, and those of its `patch` … */
#define FX_LIMIT_MODRULE_ENTRIES 1000u
/* … and its limits in one review. */
#define FX_LIMIT_MODRULE_STEPS      128u   /* of one path */
#define FX_LIMIT_MODRULE_PADDING    1000u  /* elements added to a list for one index */
#define FX_LIMIT_MODRULE_OPERATIONS 10000u /* results of its selects */
#define FX_LIMIT_MODRULE_UNITS      (1u << 23) /* base/budget.h; of match or patch */
#define FX_LIMIT_MODRULE_BYTES      (8u << 20) /* bytes of its values */

#endif
