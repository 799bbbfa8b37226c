/* SPDX-License-Identifier: Apache-2.0
 *
 * base/date.c - the calendar.
 */
#include "base/date.h"

#include <time.h>

int64_t fx_date_now(void) {
    return (int64_t)time(NULL);
}

/* A year begins in March here. So the leap day is its last day, and the months before
 * month m have (153 m + 2) / 5 days. From -0400-03-01, which is before all dates of
 * four-digit years, to 1970-01-01 there are 865565 days. */
int64_t fx_date_seconds(int year, int month, int day, int hour, int minute, int second) {
    const int64_t m = (month + 9) % 12;
    const int64_t y = year + 400 - (month <= 2 ? 1 : 0);
    const int64_t days =
        365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 865565;
    return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

void fx_date_print(int64_t seconds, char out[FX_DATE]) {
    const time_t time = (time_t)seconds;
    struct tm utc = {0};
    if (gmtime_r(&time, &utc) == NULL || utc.tm_year + 1900 < 1000 ||
        strftime(out, FX_DATE, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        out[0] = '\0';
    }
}

/* ---- reading --------------------------------------------------------------------- */

bool fx_date_is_leap_year(int64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int fx_date_days_of_month(int64_t year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && fx_date_is_leap_year(year) ? 1 : 0);
}

bool fx_date_take(struct fx_text *text, size_t least, size_t most, int min, int max,
                  int *ret_number) {
    return fx_text_take_number(text, least, most, ret_number) && *ret_number >= min &&
           *ret_number <= max;
}

bool fx_date_take_day(struct fx_text *text, size_t least, int *year, int *month,
                      int *day) {
    return fx_date_take(text, 4, 4, 0, 9999, year) && fx_text_take(text, '-') &&
           fx_date_take(text, least, 2, 1, 12, month) && fx_text_take(text, '-') &&
           fx_date_take(text, least, 2, 1, fx_date_days_of_month(*year, *month), day);
}

static bool take_time(struct fx_text *text, int *hour, int *minute, int *second) {
    return fx_date_take(text, 2, 2, 0, 23, hour) && fx_text_take(text, ':') &&
           fx_date_take(text, 2, 2, 0, 59, minute) && fx_text_take(text, ':') &&
           fx_date_take(text, 2, 2, 0, 60, second);
}

bool fx_date_skip_digits(struct fx_text *text) {
    const size_t n = fx_text_count_digits(*text, text->len);
    *text = fx_text_rest(*text, n);
    return n > 0;
}

/* Removes the offset from UTC from the start of the text; *ret_seconds is in seconds. */
static bool take_offset(struct fx_text *text, int *ret_seconds) {
    int hour = 0;
    int minute = 0;
    if (fx_text_take(text, 'Z') || fx_text_take(text, 'z')) {
        *ret_seconds = 0;
        return true;
    }
    const bool ahead = fx_text_take(text, '+');
    if ((!ahead && !fx_text_take(text, '-')) || !fx_date_take(text, 2, 2, 0, 23, &hour) ||
        !fx_text_take(text, ':') || !fx_date_take(text, 2, 2, 0, 59, &minute)) {
        return false;
    }
    *ret_seconds = (ahead ? 1 : -1) * (hour * 60 + minute) * 60;
    return true;
}

bool fx_date_parse(struct fx_text text, int64_t *ret_seconds) {
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int offset = 0;
    if (!fx_date_take_day(&text, 2, &year, &month, &day) ||
        (!fx_text_take(&text, 'T') && !fx_text_take(&text, 't')) ||
        !take_time(&text, &hour, &minute, &second) ||
        (fx_text_take(&text, '.') && !fx_date_skip_digits(&text)) ||
        !take_offset(&text, &offset) || text.len > 0) {
        return false;
    }
    *ret_seconds = fx_date_seconds(year, month, day, hour, minute, second) - offset;
    return true;
}
