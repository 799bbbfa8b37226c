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

/* Whether every webhook of the configuration has this bundle (base64). */
bool fx_ca_bundle_is_in(const json_t *configuration, const char *bundle);

/* The apply configuration that sets the bundle of every webhook, for this very object
 * (its uid and resourceVersion), so that a deleted configuration is not created again. A
 * new tree; NULL without memory. */
json_t *fx_ca_bundle_apply(const json_t *configuration, const char *bundle) FX_MUST_USE;

#endif
