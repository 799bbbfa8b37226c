/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/time.c - the calendar, and what a template may ask a time.
 */
#include "location/go/time.h"

#include "location/go/duration.h"

#define DAY            86400
#define DAYS_OF_400    146097 /* years, after which the calendar repeats */
#define DAYS_TO_1970   719468 /* from 0000-03-01 */
#define THURSDAY       4      /* 1970-01-01 */
#define YEAR_1_SECONDS (-INT64_C(62135596800))

const struct fx_go_time fx_go_time_zero = {.seconds = YEAR_1_SECONDS, .zone = {"UTC", 3}};

/* What is below the line belongs to the day, the cycle, … before. */
static int64_t floor_divide(int64_t number, int64_t by) {
    return number / by - (number % by < 0 ? 1 : 0);
}

static int64_t floor_rest(int64_t number, int64_t by) {
    const int64_t rest = number % by;
    return rest < 0 ? rest + by : rest;
}

/* Time that leaves int64 comes back at the other end. */
static int64_t wrapping_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool is_leap(int64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Years begin in March here, so that the leap day comes last and the days before any
 * month are (153 m + 2) / 5, as in base/date.c. */
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
    const int before_march = is_leap(parts->year) ? 60 : 59;
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

/* As reflect.DeepEqual sees them: the zone counts. */
bool fx_go_time_equal(const struct fx_go_time *a, const struct fx_go_time *b) {
    return a->seconds == b->seconds && a->nanoseconds == b->nanoseconds &&
           a->offset == b->offset && fx_text_equal(a->zone, b->zone);
}

void fx_go_time_print(struct fx_buf *buf, const struct fx_go_time *time) {
    fx_go_time_format(buf, time, FX_TEXT("2006-01-02 15:04:05.999999999 -0700 MST"));
}
