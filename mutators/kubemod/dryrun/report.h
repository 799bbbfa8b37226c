/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/report.h - private: what came of a trial, written as JSON.
 */
#ifndef FX_MUTATORS_KUBEMOD_DRYRUN_REPORT_H
#define FX_MUTATORS_KUBEMOD_DRYRUN_REPORT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "mutators/kubemod/dryrun/trial.h"

/* Appends it. Failures of `body` stick there. Errors: FX_ENOMEM. */
bool fx_dryrun_report(const struct fx_dryrun_trial *trial, struct fx_buf *body,
                      struct fx_err *err) FX_MUST_USE;

#endif
