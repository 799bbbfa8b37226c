/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/check_case.h - one case: asked, and compared with what is expected. Private to
 * this room.
 */
#ifndef FX_SUITE_CHECK_CASE_H
#define FX_SUITE_CHECK_CASE_H

#include "suite/inputs.h"
#include "suite/run.h"

struct fx_suite_trial {
    const struct fx_suite_host *host;
    struct fx_suite_inputs *inputs;
    const struct fx_suite_test *test;
    const struct fx_suite_case *case_;
    bool keeps, colour; /* as in struct fx_suite_plan */
};

/* Fills in status, reason, diff, the objects to keep, and file and line of a fault.
 * Errors: our own only (base/err.h). */
bool fx_suite_check_case(const struct fx_suite_trial *trial,
                         struct fx_suite_result *ret_result,
                         struct fx_err *err) FX_MUST_USE;

#endif
