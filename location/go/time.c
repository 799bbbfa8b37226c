/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/time.c - the calendar, and formatting by a reference layout.
 */
#include "location/go/time.h"

#include <stdio.h>

#include "base/date.h"
#include "location/go/layout.h"

#define DAY            86400
#define DAYS_OF_400    146097 /* days in 400 years, after which the calendar repeats */
#define DAYS_TO_1970   719468 /* days from 0000-03-01 to 1970-01-01 */
#define THURSDAY       4      /* the weekday of 1970-01-01 */
#define YEAR_1_SECONDS (-INT64_C(62135596800))

const struct fx_go_time fx_go_time_zero = {.seconds = YEAR_1_SECONDS, .zone = {"UTC", 3}};

/* Divides, and rounds down. */
static int64_t floor_divide(int64_t number, int64_t by) {
    return number / by - (number % by < 0 ? 1 : 0);
}

static int64_t floor_rest(int64_t number, int64_t by) {
    const int64_t rest = number % by;
    return rest < 0 ? rest + by : rest;
}

/* Adds two numbers; an overflow wraps around. */
static int64_t wrapping_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Computes the date. Years start in March here, so that the leap day is the last day and
 * the days before month m are (153 m + 2) / 5, as in base/date.c. */
static void split_days(int64_t days_since_1970, struct fx_go_time_parts *parts) {
    const int64_t days = days_since_1970 + DAYS_TO_1970;
    const int64_t cycle = floor_divide(days, DAYS_OF_400);
    const int of_cycle = (int)floor_rest(days, DAYS_OF_400);
    const int year =
        (of_cycle - of_cycle / 1460 + of_cycle / 36524 - of_cycle / 146096) / 365;
    const int of_year = of_cycle - (365 * year + year / 4 - year / 100);
    const int month = (5 * of_year + 2) / 153;
    parts->day = of_year - (153 * month + 2) / 5 + 1;
    parts->month = month < 10 ? month + 3 : month - 9;
    parts->year = cycle * 400 + year + (parts->month <= 2 ? 1 : 0);
    const int before_march = fx_date_is_leap_year(parts->year) ? 60 : 59;
    parts->yearday = month < 10 ? of_year + before_march + 1 : of_year - 306 + 1;
    parts->weekday = (int)floor_rest(days_since_1970 + THURSDAY, 7);
}

void fx_go_time_split(const struct fx_go_time *time, struct fx_go_time_parts *ret_parts) {
    const int64_t seconds = wrapping_add(time->seconds, time->offset);
    const int of_day = (int)floor_rest(seconds, DAY);
    split_days(floor_divide(seconds, DAY), ret_parts);
    ret_parts->hour = of_day / 3600;
    ret_parts->minute = of_day / 60 % 60;
    ret_parts->second = of_day % 60;
}

struct fx_go_time fx_go_time_add(const struct fx_go_time *time, int64_t nanoseconds) {
    struct fx_go_time sum = *time;
    sum.nanoseconds += (int32_t)floor_rest(nanoseconds, FX_GO_SECOND);
    sum.seconds = wrapping_add(sum.seconds, floor_divide(nanoseconds, FX_GO_SECOND));
    if (sum.nanoseconds >= FX_GO_SECOND) {
        sum.nanoseconds -= (int32_t)FX_GO_SECOND;
        sum.seconds = wrapping_add(sum.seconds, 1);
    }
    return sum;
}

bool fx_go_time_equal(const struct fx_go_time *a, const struct fx_go_time *b) {
    return a->seconds == b->seconds && a->nanoseconds == b->nanoseconds &&
           a->offset == b->offset && fx_text_equal(a->zone, b->zone);
}

void fx_go_time_print(struct fx_buf *buf, const struct fx_go_time *time) {
    fx_go_time_format(buf, time, FX_TEXT("2006-01-02 15:04:05.999999999 -0700 MST"));
}

static void add_name(struct fx_buf *buf, const char *name, bool is_long) {
    fx_buf_text(buf, is_long ? fx_text_of(name) : (struct fx_text){name, SHORT_NAME});
}

/* Appends the number, padded with zeros. */
static void add_number(struct fx_buf *buf, int number, unsigned least) {
    fx_buf_padded(buf, (uint64_t)number, least);
}

/* Appends the number, padded with spaces. */
static void add_spaced(struct fx_buf *buf, int number, unsigned least) {
    const unsigned n = number >= 100 ? 3 : number >= 10 ? 2 : 1;
    fx_buf_fill(buf, ' ', least > n ? least - n : 0);
    add_number(buf, number, 1);
}

static void add_year(struct fx_buf *buf, int64_t year, bool is_long) {
    const uint64_t size = year < 0 ? -(uint64_t)year : (uint64_t)year;
    if (is_long) {
        fx_buf_str(buf, year < 0 ? "-" : "");
        fx_buf_padded(buf, size, 4);
    } else {
        fx_buf_padded(buf, size % 100, 2);
    }
}

static int hour_of_half_day(int hour) {
    return hour % 12 == 0 ? 12 : hour % 12;
}

static void add_pm(struct fx_buf *buf, int hour, const char *am, const char *pm) {
    fx_buf_str(buf, hour >= 12 ? pm : am);
}

/* Appends an element of the date or the time of day; false for other elements. */
static bool add_part(struct fx_buf *buf, const struct fx_go_time_parts *parts,
                     enum layout_element element) {
    const int month = parts->month;
    switch ((int)element) {
    case LAYOUT_LONG_MONTH:
    case LAYOUT_MONTH:
        add_name(buf, month_names[month - 1], element == LAYOUT_LONG_MONTH);
        return true;
    case LAYOUT_LONG_WEEKDAY:
    case LAYOUT_WEEKDAY:
        add_name(buf, weekday_names[parts->weekday], element == LAYOUT_LONG_WEEKDAY);
        return true;
    case LAYOUT_LONG_YEAR:
    case LAYOUT_YEAR:
        add_year(buf, parts->year, element == LAYOUT_LONG_YEAR);
        return true;
    case LAYOUT_NUMBER_MONTH: add_number(buf, month, 1); return true;
    case LAYOUT_ZERO_MONTH: add_number(buf, month, 2); return true;
    case LAYOUT_DAY: add_number(buf, parts->day, 1); return true;
    case LAYOUT_SPACE_DAY: add_spaced(buf, parts->day, 2); return true;
    case LAYOUT_ZERO_DAY: add_number(buf, parts->day, 2); return true;
    case LAYOUT_SPACE_YEARDAY: add_spaced(buf, parts->yearday, 3); return true;
    case LAYOUT_ZERO_YEARDAY: add_number(buf, parts->yearday, 3); return true;
    case LAYOUT_HOUR: add_number(buf, parts->hour, 2); return true;
    case LAYOUT_HOUR_12: add_number(buf, hour_of_half_day(parts->hour), 1); return true;
    case LAYOUT_ZERO_HOUR_12:
        add_number(buf, hour_of_half_day(parts->hour), 2);
        return true;
    case LAYOUT_MINUTE: add_number(buf, parts->minute, 1); return true;
    case LAYOUT_ZERO_MINUTE: add_number(buf, parts->minute, 2); return true;
    case LAYOUT_SECOND: add_number(buf, parts->second, 1); return true;
    case LAYOUT_ZERO_SECOND: add_number(buf, parts->second, 2); return true;
    case LAYOUT_UPPER_PM: add_pm(buf, parts->hour, "AM", "PM"); return true;
    case LAYOUT_LOWER_PM: add_pm(buf, parts->hour, "am", "pm"); return true;
    default: return false;
    }
}

static void add_offset(struct fx_buf *buf, int32_t offset,
                       const struct layout_zone *zone) {
    if (zone->iso && offset == 0) {
        fx_buf_char(buf, 'Z');
        return;
    }
    const int seconds = offset < 0 ? -offset : offset;
    const char *colon = zone->colons ? ":" : "";
    /* the sign is that of the whole minutes, as in Go */
    fx_buf_char(buf, (char)(offset / 60 < 0 ? '-' : '+'));
    add_number(buf, seconds / 3600, 2);
    if (zone->minutes) {
        fx_buf_str(buf, colon);
        add_number(buf, seconds / 60 % 60, 2);
    }
    if (zone->seconds) {
        fx_buf_str(buf, colon);
        add_number(buf, seconds % 60, 2);
    }
}

static void add_zone_name(struct fx_buf *buf, const struct fx_go_time *time) {
    if (time->zone.len > 0) {
        fx_buf_text(buf, time->zone);
    } else {
        add_offset(buf, time->offset, &(struct layout_zone){.minutes = true});
    }
}

/* Appends a fraction of a second; `text` is `.000` or `,999`. At most nine digits are
 * printed. */
static void add_fraction(struct fx_buf *buf, int32_t nanoseconds, struct fx_text text,
                         bool is_short) {
    char digits[sizeof "000000000"];
    (void)snprintf(digits, sizeof digits, "%09u", (unsigned)nanoseconds % 1000000000u);
    const size_t wanted = text.len - 1;
    size_t n = wanted < 9 ? wanted : 9;
    while (is_short && n > 0 && digits[n - 1] == '0') {
        n--;
    }
    if (is_short && n == 0) {
        return;
    }
    fx_buf_char(buf, text.data[0]);
    fx_buf_add(buf, digits, n);
}

static void add_element(struct fx_buf *buf, const struct fx_go_time *time,
                        const struct fx_go_time_parts *parts,
                        const struct layout_chunk *chunk) {
    struct layout_zone zone;
    const bool is_short = chunk->element == LAYOUT_SHORT_FRACTION;
    if (layout_zone_of(chunk->element, &zone)) {
        add_offset(buf, time->offset, &zone);
    } else if (chunk->element == LAYOUT_ZONE_NAME) {
        add_zone_name(buf, time);
    } else if (chunk->element == LAYOUT_FRACTION || is_short) {
        add_fraction(buf, time->nanoseconds, chunk->text, is_short);
    } else {
        (void)add_part(buf, parts, chunk->element);
    }
}

void fx_go_time_format(struct fx_buf *buf, const struct fx_go_time *time,
                       struct fx_text layout) {
    struct fx_go_time_parts parts;
    struct layout_chunk chunk;
    fx_go_time_split(time, &parts);
    do {
        layout_next(&layout, &chunk);
        fx_buf_text(buf, chunk.prefix);
        if (chunk.element != LAYOUT_END) {
            add_element(buf, time, &parts, &chunk);
        }
    } while (chunk.element != LAYOUT_END);
}
