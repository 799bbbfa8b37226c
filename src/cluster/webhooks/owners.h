/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/owners.h - the owners of the objectSelector of each webhook of a
 * configuration, from its metadata.managedFields (Kubernetes, "Server-Side Apply", field
 * management): recorded before a disable, and restored after it. Private to this room.
 * Pure.
 */
#ifndef FX_CLUSTER_WEBHOOKS_OWNERS_H
#define FX_CLUSTER_WEBHOOKS_OWNERS_H

#include <jansson.h>

#include "base/macros.h"

/* The owners except the manager `except`, as {"WEBHOOK":[{"manager":…,"operation":…,
 * "apiVersion":…,"fieldsV1":…}]}, with the fields below objectSelector; webhooks without
 * owners are skipped. A new tree; NULL without memory. */
json_t *fx_owners_read(const json_t *configuration, const char *except) FX_MUST_USE;

/* The managedFields of the configuration without the manager `from`. What that manager
 * owned of an objectSelector belongs to the owners in `owners` again (as above; anything
 * else in it is ignored). A new tree, never an empty list, which an API server would
 * ignore; NULL without memory. */
json_t *fx_owners_give_back(const json_t *configuration, const json_t *owners,
                            const char *from) FX_MUST_USE;

#endif
