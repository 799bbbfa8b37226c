/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/failure.h - prints a mutation that failed.
 */
#ifndef FX_CLI_FAILURE_H
#define FX_CLI_FAILURE_H

#include "cli/answer.h"
#include "cli/input.h"

/* Appends file, line and object, and the error; if the object does not converge, the
 * mutators of the last pass and the field each changed; if it is denied, the policies
 * that deny it. Failure sticks in `buf`. */
void fx_failure_print(struct fx_buf *buf, const struct fx_input_object *object,
                      const struct fx_review_result *result, const struct fx_err *err,
                      bool colour);

/* Appends a warning for each policy that warns or audits, that failed and was skipped, or
 * that found a violation but failed to make its message. A policy without a file is
 * reported at that of the object. Failure sticks in `buf`. */
void fx_failure_print_drops(struct fx_buf *buf, const struct fx_input_object *object,
                            const struct fx_review_result *result, bool colour);

#endif
