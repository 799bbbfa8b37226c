/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_report.h - a version of the policies, in metrics and in the log.
 */
#ifndef FX_SERVER_POLICIES_REPORT_H
#define FX_SERVER_POLICIES_REPORT_H

#include "policy/policies.h"
#include "server/metrics.h"

/* Sets the gauges for the active mutators: those that work, and those that do not because
 * they are invalid, in conflict (spec section 9) or in quarantine. */
void fx_policies_count(const struct fx_policies *policies, struct fx_metrics *metrics);

/* Counts a build that took `seconds`: the mutators that `before` (may be NULL) did not
 * have, and those that were rejected. Sets the gauges for the version. */
void fx_policies_count_build(const struct fx_policies *built,
                             const struct fx_policies *before, double seconds,
                             struct fx_metrics *metrics);

/* Logs that `now` is active, and each of its findings that `before` (may be NULL) did not
 * have. */
void fx_policies_log(const struct fx_policies *now, const struct fx_policies *before);

#endif
