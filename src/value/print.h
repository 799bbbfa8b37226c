/* SPDX-License-Identifier: Apache-2.0
 *
 * value/print.h - a value in one line, for reports.
 */
#ifndef FX_VALUE_PRINT_H
#define FX_VALUE_PRINT_H

#include <jansson.h>

#include "base/buf.h"

/* Appends the value in one line: a scalar as YAML writes it, a list, an object or a text
 * of several lines as JSON, and "(absent)" for NULL. Control characters stay as they are.
 * Failure (no memory, budget exceeded) sticks in `buf`. */
void fx_value_print(struct fx_buf *buf, const json_t *value);

#endif
