/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/date.h - the dates of date(text) (inside this room only): read in the
 * layouts of spec section 7.3, held as they were written.
 */
#ifndef FX_LOCATION_JSONPATH_DATE_H
#define FX_LOCATION_JSONPATH_DATE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

#define DATE_ZONE_SIZE 8 /* the longest name is GMT+23 */

struct date {
    int year, month, day, hour, minute, second, nanosecond;
    int offset;                /* minutes east of UTC */
    char zone[DATE_ZONE_SIZE]; /* its name; empty: it has only an offset */
};

/* Reads all of the text in the first layout that it fits. What a layout leaves out is 0,
 * or 1 where there is no 0; without a zone it is UTC. */
bool fx_jsonpath_date_parse(struct fx_text text, struct date *ret_date) FX_MUST_USE;

/* The same instant in the same zone? */
bool fx_jsonpath_date_equal(const struct date *a, const struct date *b);

/* Appends it as Go prints a time: `2006-01-02 15:04:05.5 +0100 CET`. */
void fx_jsonpath_date_print(struct fx_buf *buf, const struct date *date);

#endif
