/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/limits.h - private: the limits of a ModRule. As for base/limits.h,
 * there is a clear error over each limit.
 */
#ifndef FX_MUTATORS_KUBEMOD_LIMITS_H
#define FX_MUTATORS_KUBEMOD_LIMITS_H

/* The most entries of `match`, and of `patch`. */
#define FX_LIMIT_MODRULE_ENTRIES 1000u
/* The limits of a ModRule in one review. */
#define FX_LIMIT_MODRULE_STEPS      128u   /* steps of one path */
#define FX_LIMIT_MODRULE_PADDING    1000u  /* elements added to a list for one index */
#define FX_LIMIT_MODRULE_OPERATIONS 10000u /* results of all selects */
#define FX_LIMIT_MODRULE_UNITS      (1u << 23) /* units of match, of patch */
#define FX_LIMIT_MODRULE_BYTES      (8u << 20) /* bytes of all values */

#endif
