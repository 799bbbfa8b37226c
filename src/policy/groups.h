/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/groups.h - the API groups of policies, spoken here or not. Private to this room.
 */
#ifndef FX_POLICY_GROUPS_H
#define FX_POLICY_GROUPS_H

#include <stdbool.h>

#include "base/text.h"
#include "engine/dialect.h"

/* Is this the kind of a policy, whether or not a dialect speaks it? A policy that is left
 * out in silence would be a policy that is believed to be in force. */
bool fx_policy_groups_hold(struct fx_text group, struct fx_text kind);

/* The dialect that speaks the kind, and its entry there; NULL where none does. */
const struct fx_dialect *fx_policy_groups_dialect(struct fx_text group,
                                                  struct fx_text kind,
                                                  const struct fx_kind **ret_kind);

/* A kind of that name that some dialect speaks, of whatever group; NULL where none does.
 */
const struct fx_kind *fx_policy_groups_find_kind(struct fx_text kind);

#endif
