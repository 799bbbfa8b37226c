/* SPDX-License-Identifier: Apache-2.0
 *
 * value/go_text.h - prints values like Go's %v: for messages, and for policy languages
 * that convert values to text.
 */
#ifndef FX_VALUE_GO_TEXT_H
#define FX_VALUE_GO_TEXT_H

#include <jansson.h>

#include "base/buf.h"

/* The type of integers in Go: as a double, 1000000 prints as 1e+06. Numbers of
 * `assign.value` are doubles; numbers of objects and of locations are integers. */
enum fx_go_integers { FX_GO_INTEGERS, FX_GO_DOUBLES };

/* Appends a number like Go prints a float64: the shortest digits that read back as the
 * same value, with an exponent below 1e-4 and from 1e6 on; `NaN`, `+Inf` and `-Inf`. */
void fx_go_text_add_double(struct fx_buf *buf, double value);

/* Appends the value; NULL and null print as `<nil>`. A failure is kept in `buf`, also if
 * the thread's budget is exceeded (base/budget.h). */
void fx_go_text_add(struct fx_buf *buf, json_t *value, enum fx_go_integers integers);

#endif
