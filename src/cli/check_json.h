/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/check_json.h - the findings of `fixpoint check` for machines.
 */
#ifndef FX_CLI_CHECK_JSON_H
#define FX_CLI_CHECK_JSON_H

#include "base/buf.h"
#include "policy/policies.h"

/* Appends {"mutators":[…],"files":[…]} as `fixpoint help check` tells, on one line. The
 * valid mutators come first, in the order of a pass, then the invalid ones. Failure
 * sticks in `buf`. */
void fx_check_print_json(struct fx_buf *buf, const struct fx_policies *policies);

#endif
