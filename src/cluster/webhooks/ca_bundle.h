/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/ca_bundle.h - the caBundle of a webhook configuration. Private to this
 * room. Pure.
 */
#ifndef FX_CLUSTER_WEBHOOKS_CA_BUNDLE_H
#define FX_CLUSTER_WEBHOOKS_CA_BUNDLE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/macros.h"

#define FX_CA_BUNDLE_MANAGER "fixpoint"

/* Has every webhook of the configuration this bundle (base64)? True where it has none. */
bool fx_ca_bundle_is_in(const json_t *configuration, const char *bundle);

/* What is applied so that it has: the bundle alone, for the very object that was read
 * (its uid and resourceVersion), so that one which is gone is not made again. A new tree;
 * NULL without memory. */
json_t *fx_ca_bundle_apply(const json_t *configuration, const char *bundle) FX_MUST_USE;

#endif
