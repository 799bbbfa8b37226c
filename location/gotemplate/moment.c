/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/moment.c - the calendar, and what a template may ask a time.
 */
#include "location/gotemplate/moment.h"

#include "location/gotemplate/duration.h"

#define DAY            86400
#define DAYS_OF_400    146097 /* years, after which the calendar repeats */
#define DAYS_TO_1970   719468 /* from 0000-03-01 */
#define THURSDAY       4      /* 1970-01-01 */
#define YEAR_1_SECONDS (-INT64_C(62135596800))

const struct moment moment_zero = {.seconds = YEAR_1_SECONDS, .zone = {"UTC", 3}};

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
static void split_days(int64_t days_since_1970, struct moment_parts *parts) {
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

void moment_split(const struct moment *moment, struct moment_parts *ret_parts) {
    const int64_t seconds = wrapping_add(moment->seconds, moment->offset);
    const int of_day = (int)floor_rest(seconds, DAY);
    split_days(floor_divide(seconds, DAY), ret_parts);
    ret_parts->hour = of_day / 3600;
    ret_parts->minute = of_day / 60 % 60;
    ret_parts->second = of_day % 60;
}

struct moment moment_add(const struct moment *moment, int64_t nanoseconds) {
    struct moment sum = *moment;
    sum.nanoseconds += (int32_t)floor_rest(nanoseconds, SECOND);
    sum.seconds = wrapping_add(sum.seconds, floor_divide(nanoseconds, SECOND));
    if (sum.nanoseconds >= SECOND) {
        sum.nanoseconds -= (int32_t)SECOND;
        sum.seconds = wrapping_add(sum.seconds, 1);
    }
    return sum;
}

/* As reflect.DeepEqual sees them: the zone counts. */
static bool moment_equal(const void *left, const void *right) {
    const struct moment *a = left;
    const struct moment *b = right;
    return a->seconds == b->seconds && a->nanoseconds == b->nanoseconds &&
           a->offset == b->offset && fx_text_equal(a->zone, b->zone);
}

/* Since 1970, in parts of a second. */
static int64_t count(const struct moment *moment, int64_t per_second) {
    const uint64_t whole = (uint64_t)moment->seconds * (uint64_t)per_second;
    return wrapping_add((int64_t)whole, moment->nanoseconds / (SECOND / per_second));
}

static bool is_zero(const struct moment *moment) {
    return moment->seconds == moment_zero.seconds && moment->nanoseconds == 0;
}

/* The methods of time.Time that take nothing and give a number or a bool. */
static bool moment_member(const void *object, struct fx_text name,
                          struct value *ret_value) {
    const struct moment *moment = object;
    struct moment_parts parts;
    moment_split(moment, &parts);
    const struct {
        const char *name;
        struct value value;
    } members[] = {
        {"Year", value_int(parts.year)},
        {"Day", value_int(parts.day)},
        {"YearDay", value_int(parts.yearday)},
        {"Hour", value_int(parts.hour)},
        {"Minute", value_int(parts.minute)},
        {"Second", value_int(parts.second)},
        {"Nanosecond", value_int(moment->nanoseconds)},
        {"Unix", value_int64(moment->seconds)},
        {"UnixMilli", value_int64(count(moment, 1000))},
        {"UnixMicro", value_int64(count(moment, 1000000))},
        {"UnixNano", value_int64(count(moment, SECOND))},
        {"IsZero", value_bool(is_zero(moment))},
    };
    for (size_t i = 0; i < FX_COUNT(members); i++) {
        if (fx_text_is(name, members[i].name)) {
            *ret_value = members[i].value;
            return true;
        }
    }
    return false;
}

static size_t moment_size(const void *object) {
    const struct moment *moment = object;
    return moment->zone.len;
}

void moment_print(struct fx_buf *buf, const void *object) {
    moment_format(buf, object, FX_TEXT("2006-01-02 15:04:05.999999999 -0700 MST"));
}

const struct object_type moment_type = {
    .name = "time.Time",
    .kind = "struct",
    .size = moment_size,
    .print = moment_print,
    .equal = moment_equal,
    .deep_equal = moment_equal,
    .member = moment_member,
};
