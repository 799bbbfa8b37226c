/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/json_print.h - private: values as JSON, as Go's encoding/json
 * writes them.
 */
#ifndef FX_LOCATION_SPRIG_JSON_PRINT_H
#define FX_LOCATION_SPRIG_JSON_PRINT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/macros.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

enum json_layout {
    LAYOUT_COMPACT,  /* < > & as \u003c … */
    LAYOUT_INDENTED, /* the same, two blanks a level */
    LAYOUT_RAW,      /* < > & as they are */
};

/* Appends the value. Failure to append sticks in `buf`; false over another bound, and
 * with FX_EMUTATE for numbers that JSON has not. */
bool json_print(struct run *run, struct fx_buf *buf, const struct value *value,
                enum json_layout layout) FX_MUST_USE;

#endif
