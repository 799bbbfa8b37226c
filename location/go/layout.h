/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/layout.h - private: Go's reference layouts, which describe a format by an
 * example date: `Mon Jan 2 15:04:05 MST 2006`; and texts in messages about time.
 */
#ifndef FX_LOCATION_GO_LAYOUT_H
#define FX_LOCATION_GO_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* name, text in a layout */
#define LAYOUT_ELEMENTS(X)                 \
    X(LONG_MONTH, "January")               \
    X(MONTH, "Jan")                        \
    X(NUMBER_MONTH, "1")                   \
    X(ZERO_MONTH, "01")                    \
    X(LONG_WEEKDAY, "Monday")              \
    X(WEEKDAY, "Mon")                      \
    X(DAY, "2")                            \
    X(SPACE_DAY, "_2")                     \
    X(ZERO_DAY, "02")                      \
    X(SPACE_YEARDAY, "__2")                \
    X(ZERO_YEARDAY, "002")                 \
    X(HOUR, "15")                          \
    X(HOUR_12, "3")                        \
    X(ZERO_HOUR_12, "03")                  \
    X(MINUTE, "4")                         \
    X(ZERO_MINUTE, "04")                   \
    X(SECOND, "5")                         \
    X(ZERO_SECOND, "05")                   \
    X(LONG_YEAR, "2006")                   \
    X(YEAR, "06")                          \
    X(UPPER_PM, "PM")                      \
    X(LOWER_PM, "pm")                      \
    X(ZONE_NAME, "MST")                    \
    X(ISO_ZONE, "Z0700")                   \
    X(ISO_SECONDS_ZONE, "Z070000")         \
    X(ISO_HOURS_ZONE, "Z07")               \
    X(ISO_COLON_ZONE, "Z07:00")            \
    X(ISO_COLON_SECONDS_ZONE, "Z07:00:00") \
    X(ZONE, "-0700")                       \
    X(SECONDS_ZONE, "-070000")             \
    X(HOURS_ZONE, "-07")                   \
    X(COLON_ZONE, "-07:00")                \
    X(COLON_SECONDS_ZONE, "-07:00:00")

enum layout_element {
    LAYOUT_END, /* no element: the prefix is the rest of the layout */
#define X(name, text) LAYOUT_##name,
    LAYOUT_ELEMENTS(X)
#undef X
        LAYOUT_FRACTION,   /* `.000`: exactly as many digits */
    LAYOUT_SHORT_FRACTION, /* `.999`: at most as many digits, without trailing zeros */
};

/* The literal text before an element, and the element. */
struct layout_chunk {
    struct fx_text prefix;
    enum layout_element element;
    struct fx_text text; /* the element's text */
};

/* Removes the next chunk from the layout. */
void layout_next(struct fx_text *layout, struct layout_chunk *ret_chunk);

/* The format of an element for the offset of a zone. */
struct layout_zone {
    bool iso;     /* `Z` stands for UTC */
    bool colons;  /* colons separate the numbers */
    bool minutes; /* minutes are included */
    bool seconds;
};

/* False if the element is not an offset. */
bool layout_zone_of(enum layout_element element, struct layout_zone *ret_zone);

/* The names of the months from January, and of the days from Sunday. */
extern const char *const month_names[12];
extern const char *const weekday_names[7];

#define TIME_QUOTED 512

/* Quotes as Go's package time does in its messages, with \x.. for all that is not
 * ASCII. A text that is too long for `out` is truncated. Returns `out`. */
const char *time_quote(struct fx_text text, char out[TIME_QUOTED]);

#define SHORT_NAME 3 /* letters of Jan, Mon */

#endif
