/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/printf.h - private: Go's fmt.Sprintf.
 */
#ifndef FX_LOCATION_GOTEMPLATE_PRINTF_H
#define FX_LOCATION_GOTEMPLATE_PRINTF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/function.h"
#include "location/gotemplate/value.h"

/* Appends `format` with its verbs (package fmt) filled in with the `n` values; what is
 * wrong with one of them stands in the text, as in Go: `%!d(string=x)`. Failure to append
 * sticks in `ret`; false over another bound. */
bool format_values(struct call *call, struct fx_text format, const struct value *args,
                   size_t n, struct fx_buf *ret) FX_MUST_USE;

#endif
