/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/moment.h - private: an instant with the zone that it is told in:
 * Go's time.Time. No clock is read here, and no file of zones: a moment knows its offset.
 */
#ifndef FX_LOCATION_GO_MOMENT_H
#define FX_LOCATION_GO_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct moment {
    int64_t seconds;     /* since 1970-01-01T00:00:00Z */
    int32_t nanoseconds; /* 0 to 999999999 */
    int32_t offset;      /* seconds that the clock there is ahead of UTC */
    struct fx_text zone; /* "UTC", "CEST"; empty: the offset is its name. Borrowed */
};

/* What a calendar and a clock there say. */
struct moment_parts {
    int64_t year;
    int month, day; /* from 1 */
    int weekday;    /* Sunday is 0 */
    int yearday;    /* from 1 */
    int hour, minute, second;
};

#define MOMENT_UTC FX_TEXT("UTC")

/* January 1 of year 1, 00:00 UTC: Go's zero time. */
extern const struct moment moment_zero;

void moment_split(const struct moment *moment, struct moment_parts *ret_parts);

/* Later by so many nanoseconds; at the ends of time it wraps, as Go's does. */
struct moment moment_add(const struct moment *moment, int64_t nanoseconds);

/* Appends it in Go's reference layout ("2006-01-02 15:04:05", time.Time.Format). */
void moment_format(struct fx_buf *buf, const struct moment *moment,
                   struct fx_text layout);

/* Appends it as %v does: `2006-01-02 15:04:05.5 +0100 CET`. */
void moment_print(struct fx_buf *buf, const struct moment *moment);

/* reflect.DeepEqual: the same instant, and the same zone. */
bool moment_equal(const struct moment *a, const struct moment *b);

/* Reads `text` in that layout, in UTC where neither says a zone (time.Parse). The name of
 * its zone is borrowed from `text`. Errors: FX_EMUTATE in Go's words. */
bool moment_parse(struct fx_text layout, struct fx_text text, struct moment *ret_moment,
                  struct fx_err *err) FX_MUST_USE;

#endif
