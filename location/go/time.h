/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/time.h - times and durations of Go's package time. No clock and no time
 * zone database is read: a time knows its offset.
 */
#ifndef FX_LOCATION_GO_TIME_H
#define FX_LOCATION_GO_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_go_time {
    int64_t seconds;     /* since 1970-01-01T00:00:00Z */
    int32_t nanoseconds; /* 0 to 999999999 */
    int32_t offset;      /* of the zone, in seconds east of UTC */
    struct fx_text zone; /* "UTC", "CEST", borrowed; empty for an offset without a name */
};

/* The calendar date and the clock time in its zone. */
struct fx_go_time_parts {
    int64_t year;
    int month, day; /* from 1 */
    int weekday;    /* Sunday is 0 */
    int yearday;    /* from 1 */
    int hour, minute, second;
};

#define FX_GO_UTC FX_TEXT("UTC")

/* January 1 of year 1, 00:00 UTC, Go's zero time. */
extern const struct fx_go_time fx_go_time_zero;

void fx_go_time_split(const struct fx_go_time *time, struct fx_go_time_parts *ret_parts);

/* Returns the time plus `nanoseconds`; overflow wraps around, as in Go. */
struct fx_go_time fx_go_time_add(const struct fx_go_time *time, int64_t nanoseconds);

/* Returns a - b in nanoseconds (Time.Sub): at most the longest duration. */
int64_t fx_go_time_subtract(const struct fx_go_time *a, const struct fx_go_time *b);

/* Compares the instants: negative, 0 or positive. */
int fx_go_time_compare(const struct fx_go_time *a, const struct fx_go_time *b);

/* Returns the time rounded down to a multiple of the duration since year 1
 * (Time.Truncate); the same time if the duration is not positive. */
struct fx_go_time fx_go_time_truncate(const struct fx_go_time *time, int64_t nanoseconds);

/* Appends the time in a reference layout such as "2006-01-02 15:04:05"
 * (time.Time.Format). */
void fx_go_time_format(struct fx_buf *buf, const struct fx_go_time *time,
                       struct fx_text layout);

/* Appends the time as %v does: `2006-01-02 15:04:05.5 +0100 CET`. */
void fx_go_time_print(struct fx_buf *buf, const struct fx_go_time *time);

/* Compares as reflect.DeepEqual does: the same instant in the same zone. */
bool fx_go_time_equal(const struct fx_go_time *a, const struct fx_go_time *b);

/* Parses `text` by the layout (time.Parse); without a zone the time is in UTC. The name
 * of the zone is borrowed from `text`. Errors: FX_EMUTATE with Go's message. `err` may
 * be NULL. */
bool fx_go_time_parse(struct fx_text layout, struct fx_text text,
                      struct fx_go_time *ret_time, struct fx_err *err) FX_MUST_USE;

/* ---- durations, in nanoseconds -------------------------------------------------- */

#define FX_GO_NANOSECOND  INT64_C(1)
#define FX_GO_MICROSECOND (1000 * FX_GO_NANOSECOND)
#define FX_GO_MILLISECOND (1000 * FX_GO_MICROSECOND)
#define FX_GO_SECOND      (1000 * FX_GO_MILLISECOND)
#define FX_GO_MINUTE      (60 * FX_GO_SECOND)
#define FX_GO_HOUR        (60 * FX_GO_MINUTE)

/* Parses `[-+] (digits [. digits] unit)+` with the units ns us µs ms s m h, or `0`
 * (time.ParseDuration). Errors: FX_EMUTATE with Go's message. */
bool fx_go_duration_parse(struct fx_text text, int64_t *ret_nanoseconds,
                          struct fx_err *err) FX_MUST_USE;

/* Appends the duration as Go prints it: `1h30m0s`. */
void fx_go_duration_print(struct fx_buf *buf, int64_t nanoseconds);

#endif
