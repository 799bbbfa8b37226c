/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/literal.h - texts and numbers as Go reads them (inside this room
 * only).
 */
#ifndef FX_LOCATION_JSONPATH_LITERAL_H
#define FX_LOCATION_JSONPATH_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/text.h"

/* Reads all of the text as a number, as Go's strconv.ParseFloat does: `1e3`, `1_000`,
 * `0x1p4`, `inf`, `NaN`, with a sign or without. False for anything else, for what is
 * beyond a double, and for texts of more than a thousand bytes. */
bool fx_jsonpath_parse_float(struct fx_text text, double *ret_value) FX_MUST_USE;

/* Why a quoted text is none. */
enum quote_fault {
    QUOTE_OK,
    QUOTE_OPEN,   /* its end is missing */
    QUOTE_LONG,   /* not one character between single quotes */
    QUOTE_ESCAPE, /* an escape that there is not */
    QUOTE_BYTES, /* escapes make it something else than UTF-8: no object has such texts */
};

/* Reads a text with its quotes around it, as Go's strconv.Unquote does, into `out`, which
 * has room for as many bytes. *ret_off and *ret_len: the escape at fault. */
enum quote_fault fx_jsonpath_unquote(struct fx_text quoted, char *out,
                                     struct fx_text *ret_text, size_t *ret_off,
                                     size_t *ret_len) FX_MUST_USE;

#endif
