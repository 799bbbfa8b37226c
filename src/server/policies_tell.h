/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_tell.h - a new version of the policies, for the log.
 */
#ifndef FX_SERVER_POLICIES_TELL_H
#define FX_SERVER_POLICIES_TELL_H

#include "policy/policies.h"

/* Logs that these are in force, and each of their findings that `before` (may be NULL)
 * had not. */
void fx_policies_log(const struct fx_policies *now, const struct fx_policies *before);

#endif
