/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/webhook.h - private: what Gatekeeper's webhooks do in addition to
 * mutating objects and validating policies (spec sections 5 and 8): the skipped requests,
 * the check of the label `admission.gatekeeper.sh/ignore`, and the annotations of
 * --mutation-annotations.
 */
#ifndef FX_MUTATORS_GATEKEEPER_WEBHOOK_H
#define FX_MUTATORS_GATEKEEPER_WEBHOOK_H

#include "engine/webhook.h"

extern const struct fx_webhook fx_gatekeeper_webhook;

#endif
