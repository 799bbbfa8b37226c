/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/webhook.h - the paths of Kyverno's webhook configurations (spec/kyverno.md
 * section 17).
 */
#ifndef FX_KYVERNO_WEBHOOK_H
#define FX_KYVERNO_WEBHOOK_H

#include "engine/webhook.h"

/* For the dialect's table. */
extern const struct fx_webhook fx_kyverno_webhook;

#endif
