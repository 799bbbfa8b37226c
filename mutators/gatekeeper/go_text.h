/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/go_text.h - private: values as Go's %v prints them, for messages.
 */
#ifndef FX_MUTATORS_GATEKEEPER_GO_TEXT_H
#define FX_MUTATORS_GATEKEEPER_GO_TEXT_H

#include <jansson.h>

#include "base/buf.h"

/* How Go holds integers: those of `assign.value` are doubles there, and 1000000 prints as
 * 1e+06; those of objects and of locations are integers. */
enum go_integers { GO_INT64, GO_FLOAT64 };

/* Appends the value; NULL and null are `<nil>`. Failure sticks in `buf`. */
void fx_go_print(struct fx_buf *buf, json_t *value, enum go_integers integers);

#endif
