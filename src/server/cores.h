/* SPDX-License-Identifier: Apache-2.0
 *
 * server/cores.h - how many cores this process may use. A container with a quota of half
 * a core on a machine of 64 sees all 64: its quota is in its cgroup.
 */
#ifndef FX_SERVER_CORES_H
#define FX_SERVER_CORES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/text.h"

/* The minimum of the affinity of this thread (sched_getaffinity(2)) and the CPU quotas of
 * its cgroup and those above it (cgroups(7), version 2 or 1), rounded up; at least 1.
 * What cannot be read is ignored. Blocking. */
size_t fx_cores_usable(void);

/* ---- parsing ---- */

/* The number of cores in a `cpu.max`: 2 for "150000 100000" (quota and period). False if
 * there is no quota ("max 100000"), or the text is invalid. */
bool fx_cores_of_max(struct fx_text text, size_t *ret_cores);

/* The same for a `cpu.cfs_quota_us` ("-1": no quota) and a `cpu.cfs_period_us`. */
bool fx_cores_of_quota(struct fx_text quota, struct fx_text period, size_t *ret_cores);

/* Finds the path of the group in a /proc/self/cgroup, borrowed: of version 2
 * (`controller` empty), or of the hierarchy of version 1 with this controller. False if
 * there is none. */
bool fx_cores_find_group(struct fx_text text, struct fx_text controller,
                         struct fx_text *ret_path);

#endif
