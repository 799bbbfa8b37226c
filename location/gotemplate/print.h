/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/print.h - private: values as text, in Go's default format.
 */
#ifndef FX_LOCATION_GOTEMPLATE_PRINT_H
#define FX_LOCATION_GOTEMPLATE_PRINT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

/* Appends the value as %v does: `map[a:1 b:[x <nil>]]`, `1e+06`, `1h0m0s`. Failure to
 * append sticks in `buf`; false over another bound. */
bool value_print(struct run *run, struct fx_buf *buf,
                 const struct value *value) FX_MUST_USE;

/* The text of a value as Sprig's toString has it: that of a string is the string itself,
 * which is borrowed then; else a copy in the arena. */
bool value_text(struct run *run, const struct value *value,
                struct fx_text *ret_text) FX_MUST_USE;

#endif
