/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/paths.h - the paths that dialects add to the webhook (engine/webhook.h).
 */
#ifndef FX_ADMISSION_PATHS_H
#define FX_ADMISSION_PATHS_H

#include "base/text.h"
#include "engine/webhook.h"

/* Returns the entry of a dialect for this path, and its webhook; NULL if no dialect has
 * the path. The argument is borrowed from `path`, and empty unless the entry has one. */
const struct fx_webhook_path *fx_webhook_path_find(struct fx_text path,
                                                   const struct fx_webhook **ret_webhook,
                                                   struct fx_text *ret_argument);

#endif
