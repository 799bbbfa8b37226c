/* SPDX-License-Identifier: Apache-2.0
 *
 * base/date.c - the calendar.
 */
#include "base/date.h"

#include <time.h>

int64_t fx_date_now(void) {
    return (int64_t)time(NULL);
}

/* Years begin in March here, so that the leap day comes last and the lengths of the
 * months before any one are (153 m + 2) / 5; 865565 days lie between -0400-03-01, which
 * is before all that a four-digit year can say, and 1970-01-01. */
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

/* What is left to read. */
struct cursor {
    struct fx_text rest;
};

static bool take_char(struct cursor *cursor, char wanted) {
    if (cursor->rest.len == 0 || cursor->rest.data[0] != wanted) {
        return false;
    }
    cursor->rest.data++;
    cursor->rest.len--;
    return true;
}

/* Exactly so many digits, and a number within the bounds. */
static bool take_number(struct cursor *cursor, int n_digits, int min, int max,
                        int *ret_number) {
    int number = 0;
    for (int i = 0; i < n_digits; i++) {
        if (cursor->rest.len == 0 || cursor->rest.data[0] < '0' ||
            cursor->rest.data[0] > '9') {
            return false;
        }
        number = 10 * number + (cursor->rest.data[0] - '0');
        cursor->rest.data++;
        cursor->rest.len--;
    }
    *ret_number = number;
    return number >= min && number <= max;
}

static int days_of(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

static bool take_day(struct cursor *cursor, int *year, int *month, int *day) {
    return take_number(cursor, 4, 0, 9999, year) && take_char(cursor, '-') &&
           take_number(cursor, 2, 1, 12, month) && take_char(cursor, '-') &&
           take_number(cursor, 2, 1, days_of(*year, *month), day);
}

static bool take_time(struct cursor *cursor, int *hour, int *minute, int *second) {
    return take_number(cursor, 2, 0, 23, hour) && take_char(cursor, ':') &&
           take_number(cursor, 2, 0, 59, minute) && take_char(cursor, ':') &&
           take_number(cursor, 2, 0, 60, second);
}

/* It may be there; then it has a digit at least. */
static bool skip_fraction(struct cursor *cursor) {
    int digit = 0;
    if (!take_char(cursor, '.')) {
        return true;
    }
    if (!take_number(cursor, 1, 0, 9, &digit)) {
        return false;
    }
    while (cursor->rest.len > 0 && cursor->rest.data[0] >= '0' &&
           cursor->rest.data[0] <= '9') {
        (void)take_number(cursor, 1, 0, 9, &digit);
    }
    return true;
}

/* Seconds that the clock there is ahead of UTC. */
static bool take_offset(struct cursor *cursor, int *ret_seconds) {
    int hour = 0;
    int minute = 0;
    if (take_char(cursor, 'Z') || take_char(cursor, 'z')) {
        *ret_seconds = 0;
        return true;
    }
    const bool ahead = take_char(cursor, '+');
    if ((!ahead && !take_char(cursor, '-')) || !take_number(cursor, 2, 0, 23, &hour) ||
        !take_char(cursor, ':') || !take_number(cursor, 2, 0, 59, &minute)) {
        return false;
    }
    *ret_seconds = (ahead ? 1 : -1) * (hour * 60 + minute) * 60;
    return true;
}

bool fx_date_parse(struct fx_text text, int64_t *ret_seconds) {
    struct cursor cursor = {text};
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int offset = 0;
    if (!take_day(&cursor, &year, &month, &day) ||
        (!take_char(&cursor, 'T') && !take_char(&cursor, 't')) ||
        !take_time(&cursor, &hour, &minute, &second) || !skip_fraction(&cursor) ||
        !take_offset(&cursor, &offset) || cursor.rest.len > 0) {
        return false;
    }
    *ret_seconds = fx_date_seconds(year, month, day, hour, minute, second) - offset;
    return true;
}
