/* SPDX-License-Identifier: Apache-2.0
 *
 * base/date.h - dates of RFC 3339 and seconds since 1970.
 */
#ifndef FX_BASE_DATE_H
#define FX_BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* Returns the current time in seconds since 1970. */
int64_t fx_date_now(void);

/* Returns the seconds from 1970 to a date in UTC, from year 0 on; `month` and `day` count
 * from 1. */
int64_t fx_date_seconds(int year, int month, int day, int hour, int minute, int second);

bool fx_date_is_leap_year(int64_t year);

/* Returns the number of days of the month. `month` counts from 1. */
int fx_date_days_of_month(int64_t year, int month);

/* Removes `least` to `most` digits from the start of the text. False for fewer digits,
 * and for a number that is not between `min` and `max`. */
bool fx_date_take(struct fx_text *text, size_t least, size_t most, int min, int max,
                  int *ret_number) FX_MUST_USE;

/* Removes `yyyy-mm-dd` from the start of the text; month and day have at least `least`
 * digits. */
bool fx_date_take_day(struct fx_text *text, size_t least, int *year, int *month,
                      int *day) FX_MUST_USE;

/* Removes the digits of a fraction. False if there is no digit. */
bool fx_date_skip_digits(struct fx_text *text) FX_MUST_USE;

#define FX_DATE sizeof "2026-01-02T03:04:05Z"

/* Prints the date of these seconds in the form of Kubernetes, in UTC; empty if the year
 * does not have four digits. */
void fx_date_print(int64_t seconds, char out[FX_DATE]);

/* Reads `2026-01-02T03:04:05Z`, also with a fraction (which is dropped) and an offset as
 * in `+01:00` (RFC 3339 section 5.6; a leap second is the second after it). False for any
 * other text. */
bool fx_date_parse(struct fx_text text, int64_t *ret_seconds) FX_MUST_USE;

#endif
