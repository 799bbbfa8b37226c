/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/scope.h - which kinds are cluster-scoped, as far as that is known without a
 * cluster.
 * --namespace does not apply to them.
 */
#ifndef FX_CLI_SCOPE_H
#define FX_CLI_SCOPE_H

#include <stdbool.h>

#include "engine/request.h"

/* Is the object of a known cluster-scoped kind? Unknown kinds count as namespaced. */
bool fx_scope_is_cluster(const struct fx_subject *subject);

#endif
