/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/failure.h - a mutation that failed, told on standard error.
 */
#ifndef FX_CLI_FAILURE_H
#define FX_CLI_FAILURE_H

#include "cli/answer.h"
#include "cli/input.h"

/* Appends file, line and object, the error, and, where there is no fixed point, the
 * mutators that fight and the field each changed; of a denial, who denies it. Failure
 * sticks in `buf`. */
void fx_failure_print(struct fx_buf *buf, const struct fx_input_object *object,
                      const struct fx_review_result *result, const struct fx_err *err,
                      bool colour);

/* Appends a warning for each policy that failed and was left out, or did less than it
 * should; without its file, at the object's. Failure sticks in `buf`. */
void fx_failure_print_drops(struct fx_buf *buf, const struct fx_input_object *object,
                            const struct fx_review_result *result, bool colour);

#endif
