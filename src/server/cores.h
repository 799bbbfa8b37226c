/* SPDX-License-Identifier: Apache-2.0
 *
 * server/cores.h - how many cores this process may use. A container that may use half of
 * one of 64 sees all of them: what it may have stands in its cgroup.
 */
#ifndef FX_SERVER_CORES_H
#define FX_SERVER_CORES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/text.h"

/* The least of what the affinity of this thread (sched_getaffinity(2)) and the CPU quotas
 * of its cgroup and those above it (cgroups(7), version 2 or 1) allow, rounded up; at
 * least 1. What cannot be read bounds nothing. Blocking. */
size_t fx_cores_usable(void);

/* ---- the texts ---- */

/* The cores of a `cpu.max`: "150000 100000" is 2, and so much of each period. False where
 * there is no bound ("max 100000"), or it is no such text. */
bool fx_cores_of_max(struct fx_text text, size_t *ret_cores);

/* The same of a `cpu.cfs_quota_us` ("-1": no bound) and a `cpu.cfs_period_us`. */
bool fx_cores_of_quota(struct fx_text quota, struct fx_text period, size_t *ret_cores);

/* The path of the group in a /proc/self/cgroup, borrowed: that of version 2 (`controller`
 * empty), or the one where version 1 has the controller. False where there is none. */
bool fx_cores_find_group(struct fx_text text, struct fx_text controller,
                         struct fx_text *ret_path);

#endif
