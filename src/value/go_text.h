/* SPDX-License-Identifier: Apache-2.0
 *
 * value/go_text.h - values as Go's %v prints them: in messages, and where a policy
 * language makes text of a value.
 */
#ifndef FX_VALUE_GO_TEXT_H
#define FX_VALUE_GO_TEXT_H

#include <jansson.h>

#include "base/buf.h"

/* How Go holds integers: where as doubles, 1000000 prints as 1e+06. Policies have both:
 * those of `assign.value` are doubles, those of objects and of locations integers. */
enum fx_go_integers { FX_GO_INTEGERS, FX_GO_DOUBLES };

/* Appends a number as Go prints a float64: the shortest digits that read back as the
 * same, with an exponent below 1e-4 and from 1e6 on; `NaN`, `+Inf` and `-Inf`. */
void fx_go_text_add_double(struct fx_buf *buf, double value);

/* Appends the value; NULL and null are `<nil>`. Failure sticks in `buf`, also where the
 * thread's budget is exceeded (base/budget.h). */
void fx_go_text_add(struct fx_buf *buf, json_t *value, enum fx_go_integers integers);

#endif
