/* SPDX-License-Identifier: Apache-2.0
 *
 * server/descriptors.h - limits of connections, so that descriptors are left for
 * everything else: many connections to the webhook port must not block health checks, or
 * reading policies and certificates, or calls to providers.
 */
#ifndef FX_SERVER_DESCRIPTORS_H
#define FX_SERVER_DESCRIPTORS_H

#include <stddef.h>

/* Maximum connections of the two ports. */
struct fx_descriptors {
    size_t webhook, health;
};

/* Raises the soft limit of descriptors to the hard one, and lowers `wanted` if there are
 * too few. Logs it if the webhook's limit was lowered. */
void fx_descriptors_plan(struct fx_descriptors *wanted);

/* Lowers `wanted` to what `limit` descriptors allow. Pure. */
void fx_descriptors_share(size_t limit, struct fx_descriptors *wanted);

#endif
