/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/groups.h - the API groups of policies, supported or not. Private to this room.
 */
#ifndef FX_POLICY_GROUPS_H
#define FX_POLICY_GROUPS_H

#include <stdbool.h>

#include "base/text.h"
#include "engine/dialect.h"

/* Is this the kind of a policy, also if no dialect supports it? A policy that is silently
 * ignored would be believed to be active. */
bool fx_policy_groups_hold(struct fx_text group, struct fx_text kind);

/* The dialect that supports the kind, and the entry in its table; NULL if there is
 * none. */
const struct fx_dialect *fx_policy_groups_dialect(struct fx_text group,
                                                  struct fx_text kind,
                                                  const struct fx_kind **ret_kind);

/* A kind of that name of any dialect and group; NULL if there is none.
 */
const struct fx_kind *fx_policy_groups_find_kind(struct fx_text kind);

#endif
