/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_measure.h - the policies in numbers.
 */
#ifndef FX_SERVER_POLICIES_MEASURE_H
#define FX_SERVER_POLICIES_MEASURE_H

#include "policy/policies.h"
#include "server/metrics.h"

/* Sets what counts the mutators in force: those that work, and those that do not because
 * they are refused, in conflict (as Gatekeeper counts them) or in quarantine. */
void fx_policies_count(const struct fx_policies *policies, struct fx_metrics *metrics);

/* Counts what a build that took so long has brought: the mutators that are not those of
 * `before` (may be NULL), and those it refused. Sets what tells of the version. */
void fx_policies_count_build(const struct fx_policies *built,
                             const struct fx_policies *before, double seconds,
                             struct fx_metrics *metrics);

#endif
