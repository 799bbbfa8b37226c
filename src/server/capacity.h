/* SPDX-License-Identifier: Apache-2.0
 *
 * server/capacity.h - the number of cores that this process may use, and limits of
 * connections.
 *
 * A container with a quota of half a core on a machine of 64 sees all 64: its quota is in
 * its cgroup. Connections are limited so that descriptors are left for everything
 * else: many connections to the webhook port must not block health checks, or reading
 * policies and certificates, or calls to providers.
 */
#ifndef FX_SERVER_CAPACITY_H
#define FX_SERVER_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/text.h"

/* The minimum of the affinity of this thread (sched_getaffinity(2)) and the CPU quotas of
 * its cgroup and those above it (cgroups(7), version 2 or 1), rounded up; at least 1.
 * Limits that cannot be read are ignored. Blocking. */
size_t fx_cores_usable(void);

/* ---- parsing ---- */

/* The number of cores in the content of `cpu.max`: 2 for "150000 100000" (quota and
 * period). False if there is no quota ("max 100000"), or the text is invalid. */
bool fx_cores_of_max(struct fx_text text, size_t *ret_cores);

/* The same for the contents of `cpu.cfs_quota_us` ("-1": no quota) and
 * `cpu.cfs_period_us`. */
bool fx_cores_of_quota(struct fx_text quota, struct fx_text period, size_t *ret_cores);

/* Finds the path of the group in the content of /proc/self/cgroup, borrowed: of version 2
 * (`controller` empty), or of the hierarchy of version 1 with this controller. False if
 * there is none. */
bool fx_cores_find_group(struct fx_text text, struct fx_text controller,
                         struct fx_text *ret_path);

/* ---- file descriptors ---- */

/* Maximum connections of the two ports. */
struct fx_descriptors {
    size_t webhook, health;
};

/* Raises the soft limit of descriptors to the hard one, and lowers `wanted` if there are
 * too few. Logs it if the webhook's limit was lowered. */
void fx_descriptors_plan(struct fx_descriptors *wanted);

/* Lowers `wanted` to the connections that `limit` descriptors allow. Pure. */
void fx_descriptors_share(size_t limit, struct fx_descriptors *wanted);

#endif
