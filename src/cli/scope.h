/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/scope.h - what lives in no namespace, as far as that can be known without a
 * cluster: for --namespace, which is about everything else.
 */
#ifndef FX_CLI_SCOPE_H
#define FX_CLI_SCOPE_H

#include <stdbool.h>

#include "engine/request.h"

/* Is it of a kind of Kubernetes, or of policies, that lives in no namespace? What is not
 * known counts as living in one. */
bool fx_scope_is_cluster(const struct fx_subject *subject);

#endif
