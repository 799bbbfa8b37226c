/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/webhook.h - private: what Gatekeeper's webhooks do in addition to
 * mutating objects and validating policies (spec sections 5 and 8).
 */
#ifndef FX_MUTATORS_GATEKEEPER_WEBHOOK_H
#define FX_MUTATORS_GATEKEEPER_WEBHOOK_H

#include "engine/webhook.h"

extern const struct fx_webhook fx_gatekeeper_webhook;

/* Namespaces: who may set the label `admission.gatekeeper.sh/ignore`, which exempts a
 * namespace from mutation and validation. A write of a subresource is denied only if it
 * adds the label. */
extern const struct fx_guard fx_label_guard;

/* Gatekeeper's --mutation-annotations: `gatekeeper.sh/mutation-id` and
 * `gatekeeper.sh/mutations`, the sorted `<Kind>//<name>:<generation>` of the mutators
 * that applied in a pass that changed the object. See fx_webhook.annotate. */
bool fx_annotate(const struct fx_snapshot *snapshot, const struct fx_outcome *outcome,
                 const char *mutation_id, struct fx_arena *arena, json_t **root,
                 struct fx_err *err) FX_MUST_USE;

#endif
