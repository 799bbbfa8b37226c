/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/time_read.h - private: a text
 * that is being read in a layout, and what it has said so far.
 */
#ifndef FX_LOCATION_GO_TIME_READ_H
#define FX_LOCATION_GO_TIME_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/go/layout.h"

#define NOT_TOLD (-1)

struct reading {
    struct fx_text layout, whole; /* as they were given */
    struct fx_text text;          /* what is left */
    struct fx_err *err;
    int year, month, day, yearday;
    int hour, minute, second;
    int32_t nanoseconds;
    bool pm, am;
    bool utc; /* `Z` or `UTC` was told */
    bool has_offset;
    int32_t offset;
    struct fx_text zone;
};

/* Reads one element, behind which `rest` of the layout stands. False where the text does
 * not hold it (what is left of it then means nothing), and `ret_why` says what is out of
 * range, or nothing. */
bool read_element(struct reading *reading, const struct layout_chunk *chunk,
                  struct fx_text rest, const char **ret_why) FX_MUST_USE;

#endif
