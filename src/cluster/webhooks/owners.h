/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/owners.h - who owns the objectSelector of each webhook of a
 * configuration, as its metadata.managedFields say (Kubernetes, "Server-Side Apply",
 * field management): written down before we take it, and given back. Private to this
 * room. Pure.
 */
#ifndef FX_CLUSTER_WEBHOOKS_OWNERS_H
#define FX_CLUSTER_WEBHOOKS_OWNERS_H

#include <jansson.h>

#include "base/macros.h"

/* The owners but the manager `but`, as {"WEBHOOK":[{"manager":…,"operation":…,
 * "apiVersion":…,"fieldsV1":…}]}, the fields from objectSelector on; webhooks without any
 * are left out. A new tree; NULL without memory. */
json_t *fx_owners_read(const json_t *configuration, const char *but) FX_MUST_USE;

/* The managedFields of the configuration without the manager `from`. Where that owned an
 * objectSelector, or a part of it, those own it again who did by `owners` (as above;
 * whatever else that is gives nothing back). A new tree, never an empty list, which would
 * mean to an API server that nothing is said of owners; NULL without memory. */
json_t *fx_owners_give_back(const json_t *configuration, const json_t *owners,
                            const char *from) FX_MUST_USE;

#endif
