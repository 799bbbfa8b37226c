/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/time_parse.c - time.Parse: reads a text by a reference layout, element by
 * element, then makes a time from the values it has read.
 */
#include "location/go/time.h"

#include <strings.h>

#include "base/date.h"
#include "location/go/layout.h"

#define NOT_GIVEN (-1)

struct time_reading {
    struct fx_text layout, whole; /* the arguments */
    struct fx_text text;          /* the text that is not read yet */
    struct fx_err *err;
    int year, month, day, yearday;
    int weekday; /* not compared with the date */
    int hour, minute, second;
    int32_t nanoseconds;
    bool pm, am;
    bool utc; /* `Z` or `UTC` was read */
    bool has_offset;
    int32_t offset;
    struct fx_text zone;
};

#define MOST_FRACTION_DIGITS 9 /* of a second; further digits are read and dropped */

/* ---- numbers --------------------------------------------------------------------- */

static int number_of(struct fx_text digits) {
    int number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        number = number * 10 + (digits.data[i] - '0');
    }
    return number;
}

/* A range of values, and the message for others. */
struct number_range {
    int min, max;
    const char *why;
};

static const struct number_range months_range = {1, 12, "month out of range"};
static const struct number_range hours_range = {0, 23, "hour out of range"};
static const struct number_range half_day_hours_range = {0, 12, "hour out of range"};
static const struct number_range minutes_range = {0, 59, "minute out of range"};
static const struct number_range seconds_range = {0, 59, "second out of range"};

static bool take_within(struct time_reading *reading, size_t least,
                        const struct number_range *range, int *ret_number,
                        const char **ret_why) {
    if (!fx_text_take_number(&reading->text, least, 2, ret_number)) {
        return false;
    }
    if (*ret_number < range->min || *ret_number > range->max) {
        *ret_why = range->why;
        return false;
    }
    return true;
}

/* ---- names ----------------------------------------------------------------------- */

/* Takes one of the names, ignoring case, and sets *ret_number to its number, from 1. A
 * short name is the first letters of a long one. */
static bool take_name(struct time_reading *reading, const char *const *names,
                      size_t n_names, bool is_long, int *ret_number) {
    for (size_t i = 0; i < n_names; i++) {
        const size_t len = is_long ? fx_text_of(names[i]).len : SHORT_NAME;
        if (reading->text.len >= len &&
            strncasecmp(reading->text.data, names[i], len) == 0) {
            reading->text = fx_text_rest(reading->text, len);
            *ret_number = (int)i + 1;
            return true;
        }
    }
    return false;
}

static bool take_pm(struct time_reading *reading, struct fx_text am, struct fx_text pm) {
    if (fx_text_starts(reading->text, pm)) {
        reading->pm = true;
    } else if (fx_text_starts(reading->text, am)) {
        reading->am = true;
    } else {
        return false;
    }
    reading->text = fx_text_rest(reading->text, 2);
    return true;
}

/* ---- seconds and their parts ------------------------------------------------------- */

/* Takes the fraction of a second with `n` digits. Digits after the ninth are dropped. */
static void take_digits_of_second(struct time_reading *reading, size_t n) {
    int32_t nanoseconds = 0;
    for (size_t i = 0; i < MOST_FRACTION_DIGITS; i++) {
        const int digit = i < n ? reading->text.data[1 + i] - '0' : 0;
        nanoseconds = nanoseconds * 10 + digit;
    }
    reading->nanoseconds = nanoseconds;
    reading->text = fx_text_rest(reading->text, 1 + n);
}

/* Returns the number of digits after a point or comma, up to `most`. */
static size_t count_fraction(struct fx_text text, size_t most) {
    const char point = fx_text_first(text);
    return point == '.' || point == ','
               ? fx_text_count_digits(fx_text_rest(text, 1), most)
               : 0;
}

/* Takes a fraction like `.000`, with exactly `wanted` digits. */
static bool take_fraction(struct time_reading *reading, size_t wanted) {
    if (count_fraction(reading->text, wanted) < wanted) {
        return false;
    }
    take_digits_of_second(reading, wanted);
    return true;
}

/* Takes a fraction like `.999`, with any number of digits. There may be no fraction. */
static void take_short_fraction(struct time_reading *reading) {
    const size_t n = count_fraction(reading->text, MOST_FRACTION_DIGITS);
    if (n > 0) {
        take_digits_of_second(reading, n);
    }
}

/* Takes the seconds. A fraction may follow them even if the layout has none. */
static bool take_second(struct time_reading *reading, size_t least, struct fx_text rest,
                        const char **ret_why) {
    if (!take_within(reading, least, &seconds_range, &reading->second, ret_why)) {
        return false;
    }
    if (count_fraction(reading->text, 1) == 0) {
        return true;
    }
    struct layout_chunk next;
    layout_next(&rest, &next);
    if (next.element != LAYOUT_FRACTION && next.element != LAYOUT_SHORT_FRACTION) {
        take_digits_of_second(reading, count_fraction(reading->text, SIZE_MAX));
    }
    return true;
}

/* ---- zones ----------------------------------------------------------------------- */

/* Returns the two digits at an offset, or NOT_GIVEN. */
static int pair_at(struct fx_text text, size_t at) {
    const struct fx_text rest = fx_text_rest(text, at);
    return fx_text_count_digits(rest, 2) < 2 ? NOT_GIVEN
                                             : number_of((struct fx_text){rest.data, 2});
}

/* The form of an offset: [+-] hours [ [:] minutes [ [:] seconds ] ], two digits each. */
struct offset_form {
    size_t numbers, step, len;
};

static struct offset_form form_of(const struct layout_zone *zone) {
    const size_t numbers = 1u + (zone->minutes ? 1u : 0u) + (zone->seconds ? 1u : 0u);
    const size_t step = zone->colons ? 3 : 2;
    return (struct offset_form){numbers, step, 1 + 2 + (numbers - 1) * step};
}

static bool has_colons(struct fx_text text, struct offset_form form) {
    for (size_t i = 1; form.step == 3 && i < form.numbers; i++) {
        if (text.data[i * form.step] != ':') {
            return false;
        }
    }
    return true;
}

static bool take_offset(struct time_reading *reading, const struct layout_zone *zone) {
    const struct fx_text text = reading->text;
    const struct offset_form form = form_of(zone);
    int sum = 0;
    if (text.len < form.len || !has_colons(text, form)) {
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        const int number = i < form.numbers ? pair_at(text, 1 + i * form.step) : 0;
        if (number == NOT_GIVEN) {
            return false;
        }
        sum = sum * 60 + number;
    }
    reading->offset = text.data[0] == '-' ? -sum : sum;
    reading->has_offset = true;
    reading->text = fx_text_rest(text, form.len);
    return text.data[0] == '+' || text.data[0] == '-';
}

static bool take_zone(struct time_reading *reading, const struct layout_zone *zone) {
    if (zone->iso && !zone->seconds && fx_text_take(&reading->text, 'Z')) {
        reading->utc = true;
        return true;
    }
    return take_offset(reading, zone);
}

/* Returns the length of an offset such as `+3` or `-11`, up to 23 hours, or 0. */
static size_t signed_length(struct fx_text text) {
    if (fx_text_first(text) != '+' && fx_text_first(text) != '-') {
        return 0;
    }
    const struct fx_text rest = fx_text_rest(text, 1);
    const size_t n = fx_text_count_digits(rest, SIZE_MAX);
    struct fx_text digits = {rest.data, n};
    while (digits.len > 2 && digits.data[0] == '0') {
        digits = fx_text_rest(digits, 1);
    }
    return n == 0 || digits.len > 2 || number_of(digits) > 23 ? 0 : 1 + n;
}

static size_t count_upper(struct fx_text text) {
    size_t n = 0;
    while (n < text.len && n < 6 && text.data[n] >= 'A' && text.data[n] <= 'Z') {
        n++;
    }
    return n;
}

/* Returns the length of the name of a zone, or 0: three capital letters, four or five
 * that end in T, and some special names of time.Parse. */
static size_t zone_name_length(struct fx_text text) {
    if (text.len < 3) {
        return 0;
    }
    if (fx_text_starts(text, FX_TEXT("ChST")) || fx_text_starts(text, FX_TEXT("MeST"))) {
        return 4;
    }
    if (fx_text_starts(text, FX_TEXT("GMT"))) {
        return 3 + signed_length(fx_text_rest(text, 3));
    }
    if (text.data[0] == '+' || text.data[0] == '-') {
        return signed_length(text);
    }
    const size_t n = count_upper(text);
    switch (n) {
    case 3: return 3;
    case 4: return text.data[3] == 'T' || fx_text_starts(text, FX_TEXT("WITA")) ? 4 : 0;
    case 5: return text.data[4] == 'T' ? 5 : 0;
    default: return 0;
    }
}

static bool take_zone_name(struct time_reading *reading) {
    if (fx_text_starts(reading->text, FX_GO_UTC)) {
        reading->utc = true;
        reading->text = fx_text_rest(reading->text, 3);
        return true;
    }
    const size_t n = zone_name_length(reading->text);
    reading->zone = (struct fx_text){reading->text.data, n};
    reading->text = fx_text_rest(reading->text, n);
    return n > 0;
}

/* ---- each element ---------------------------------------------------------------- */

/* Takes the two digits of `06`, a year from 1969 to 2068. */
static bool take_short_year(struct time_reading *reading) {
    const int year = pair_at(reading->text, 0);
    if (year == NOT_GIVEN) {
        return false;
    }
    reading->text = fx_text_rest(reading->text, 2);
    reading->year = year + (year >= 69 ? 1900 : 2000);
    return true;
}

/* Takes a day. The end of the parse checks whether the month has that day. */
static bool take_day(struct time_reading *reading, enum layout_element element) {
    if (element == LAYOUT_SPACE_DAY) {
        (void)fx_text_take(&reading->text, ' ');
    }
    return fx_text_take_number(&reading->text, element == LAYOUT_ZERO_DAY ? 2 : 1, 2,
                               &reading->day);
}

static bool take_yearday(struct time_reading *reading, bool spaces) {
    for (int i = 0; spaces && i < 2 && fx_text_take(&reading->text, ' '); i++) {
    }
    return fx_text_take_number(&reading->text, spaces ? 1 : 3, 3, &reading->yearday);
}

static bool read_date(struct time_reading *reading, enum layout_element element,
                      const char **ret_why) {
    switch ((int)element) {
    case LAYOUT_LONG_YEAR:
        return fx_text_take_number(&reading->text, 4, 4, &reading->year);
    case LAYOUT_YEAR: return take_short_year(reading);
    case LAYOUT_LONG_MONTH:
    case LAYOUT_MONTH:
        return take_name(reading, month_names, FX_COUNT(month_names),
                         element == LAYOUT_LONG_MONTH, &reading->month);
    case LAYOUT_NUMBER_MONTH:
        return take_within(reading, 1, &months_range, &reading->month, ret_why);
    case LAYOUT_ZERO_MONTH:
        return take_within(reading, 2, &months_range, &reading->month, ret_why);
    case LAYOUT_LONG_WEEKDAY:
    case LAYOUT_WEEKDAY:
        return take_name(reading, weekday_names, FX_COUNT(weekday_names),
                         element == LAYOUT_LONG_WEEKDAY, &reading->weekday);
    case LAYOUT_SPACE_YEARDAY:
    case LAYOUT_ZERO_YEARDAY:
        return take_yearday(reading, element == LAYOUT_SPACE_YEARDAY);
    default: return take_day(reading, element);
    }
}

/* Parses one element; `rest` is the layout after it. False if the text does not match;
 * reading->text is then undefined. For a value out of range *ret_why is then the message;
 * otherwise it does not change. */
static bool read_element(struct time_reading *reading, const struct layout_chunk *chunk,
                         struct fx_text rest, const char **ret_why) {
    struct layout_zone zone;
    if (layout_zone_of(chunk->element, &zone)) {
        return take_zone(reading, &zone);
    }
    switch ((int)chunk->element) {
    case LAYOUT_HOUR:
        return take_within(reading, 1, &hours_range, &reading->hour, ret_why);
    case LAYOUT_HOUR_12:
        return take_within(reading, 1, &half_day_hours_range, &reading->hour, ret_why);
    case LAYOUT_ZERO_HOUR_12:
        return take_within(reading, 2, &half_day_hours_range, &reading->hour, ret_why);
    case LAYOUT_MINUTE:
        return take_within(reading, 1, &minutes_range, &reading->minute, ret_why);
    case LAYOUT_ZERO_MINUTE:
        return take_within(reading, 2, &minutes_range, &reading->minute, ret_why);
    case LAYOUT_SECOND: return take_second(reading, 1, rest, ret_why);
    case LAYOUT_ZERO_SECOND: return take_second(reading, 2, rest, ret_why);
    case LAYOUT_UPPER_PM: return take_pm(reading, FX_TEXT("AM"), FX_TEXT("PM"));
    case LAYOUT_LOWER_PM: return take_pm(reading, FX_TEXT("am"), FX_TEXT("pm"));
    case LAYOUT_ZONE_NAME: return take_zone_name(reading);
    case LAYOUT_FRACTION: return take_fraction(reading, chunk->text.len - 1);
    case LAYOUT_SHORT_FRACTION: take_short_fraction(reading); return true;
    default: return read_date(reading, chunk->element, ret_why);
    }
}

/* ---- error messages --------------------------------------------------------------- */

static bool fail_element(const struct time_reading *reading, struct fx_text element) {
    if (reading->err == NULL) {
        return false;
    }
    char layout[TIME_QUOTED];
    char whole[TIME_QUOTED];
    char wanted[TIME_QUOTED];
    char found[TIME_QUOTED];
    return fx_fail(reading->err, FX_EMUTATE,
                   "parsing time %s as %s: cannot parse %s as %s",
                   time_quote(reading->whole, whole), time_quote(reading->layout, layout),
                   time_quote(reading->text, found), time_quote(element, wanted));
}

static bool fail_whole(const struct time_reading *reading, const char *why) {
    if (reading->err == NULL) {
        return false;
    }
    char whole[TIME_QUOTED];
    return fx_fail(reading->err, FX_EMUTATE, "parsing time %s: %s",
                   time_quote(reading->whole, whole), why);
}

static bool fail_extra(const struct time_reading *reading) {
    if (reading->err == NULL) {
        return false;
    }
    char whole[TIME_QUOTED];
    char extra[TIME_QUOTED];
    return fx_fail(reading->err, FX_EMUTATE, "parsing time %s: extra text: %s",
                   time_quote(reading->whole, whole), time_quote(reading->text, extra));
}

/* ---- the text between elements ---------------------------------------------------- */

static struct fx_text cut_spaces(struct fx_text text) {
    size_t n = 0;
    while (n < text.len && text.data[n] == ' ') {
        n++;
    }
    return fx_text_rest(text, n);
}

/* Skips the text between elements. Spaces in the layout match one or more spaces, or
 * the end of the text. */
static bool skip_prefix(struct time_reading *reading, struct fx_text prefix) {
    while (prefix.len > 0) {
        if (prefix.data[0] == ' ') {
            if (reading->text.len > 0 && reading->text.data[0] != ' ') {
                return false;
            }
            prefix = cut_spaces(prefix);
            reading->text = cut_spaces(reading->text);
            continue;
        }
        if (!fx_text_take(&reading->text, prefix.data[0])) {
            return false;
        }
        prefix = fx_text_rest(prefix, 1);
    }
    return true;
}

/* ---- the time that was read ------------------------------------------------------ */

/* Checks a day of the year against the month and day, if given. */
static bool settle_yearday(struct time_reading *reading) {
    int day = reading->yearday;
    int month = 1;
    if (day < 1 || day > (fx_date_is_leap_year(reading->year) ? 366 : 365)) {
        return fail_whole(reading, "day-of-year out of range");
    }
    for (; day > fx_date_days_of_month(reading->year, month); month++) {
        day -= fx_date_days_of_month(reading->year, month);
    }
    if (reading->month != NOT_GIVEN && reading->month != month) {
        return fail_whole(reading, "day-of-year does not match month");
    }
    if (reading->day != NOT_GIVEN && reading->day != day) {
        return fail_whole(reading, "day-of-year does not match day");
    }
    reading->month = month;
    reading->day = day;
    return true;
}

static bool settle_day(struct time_reading *reading) {
    if (reading->yearday != NOT_GIVEN) {
        return settle_yearday(reading);
    }
    reading->month = reading->month == NOT_GIVEN ? 1 : reading->month;
    reading->day = reading->day == NOT_GIVEN ? 1 : reading->day;
    return (reading->day >= 1 &&
            reading->day <= fx_date_days_of_month(reading->year, reading->month)) ||
           fail_whole(reading, "day out of range");
}

static void settle_hour(struct time_reading *reading) {
    if (reading->pm && reading->hour < 12) {
        reading->hour += 12;
    } else if (reading->am && reading->hour == 12) {
        reading->hour = 0;
    }
}

/* Returns the offset in a name such as `GMT+3`; 0 for other names. */
static int32_t offset_of_name(struct fx_text name) {
    if (name.len <= 3 || !fx_text_starts(name, FX_TEXT("GMT"))) {
        return 0;
    }
    return (name.data[3] == '-' ? -3600 : 3600) * number_of(fx_text_rest(name, 4));
}

/* Sets the zone of the time. An offset of 0 without a name is UTC. */
static void settle_zone(const struct time_reading *reading, struct fx_go_time *time) {
    time->zone = reading->zone;
    if (reading->has_offset) {
        time->offset = reading->offset;
        if (reading->offset == 0 && reading->zone.len == 0) {
            time->zone = FX_GO_UTC;
        }
    } else if (reading->zone.len > 0) {
        time->offset = offset_of_name(reading->zone);
    } else {
        time->zone = FX_GO_UTC;
    }
    if (reading->utc) {
        time->offset = 0;
        time->zone = FX_GO_UTC;
    }
}

static bool settle_time(struct time_reading *reading, struct fx_go_time *ret_time) {
    if (!settle_day(reading)) {
        return false;
    }
    settle_hour(reading);
    struct fx_go_time time = {.nanoseconds = reading->nanoseconds};
    settle_zone(reading, &time);
    /* an offset from a name is stored, but not subtracted, as in Go */
    const int32_t ahead = reading->has_offset ? time.offset : 0;
    time.seconds = fx_date_seconds(reading->year, reading->month, reading->day,
                                   reading->hour, reading->minute, reading->second) -
                   ahead;
    *ret_time = time;
    return true;
}

bool fx_go_time_parse(struct fx_text layout, struct fx_text text,
                      struct fx_go_time *ret_time, struct fx_err *err) {
    struct time_reading reading = {
        .layout = layout,
        .whole = text,
        .text = text,
        .err = err,
        .month = NOT_GIVEN,
        .day = NOT_GIVEN,
        .yearday = NOT_GIVEN,
    };
    struct fx_text rest = layout;
    for (;;) {
        struct layout_chunk chunk;
        layout_next(&rest, &chunk);
        if (!skip_prefix(&reading, chunk.prefix)) {
            return fail_element(&reading, chunk.prefix);
        }
        if (chunk.element == LAYOUT_END) {
            break;
        }
        const char *why = NULL;
        const struct fx_text before = reading.text;
        if (!read_element(&reading, &chunk, rest, &why)) {
            reading.text = before;
            return why != NULL ? fail_whole(&reading, why)
                               : fail_element(&reading, chunk.text);
        }
    }
    return reading.text.len > 0 ? fail_extra(&reading) : settle_time(&reading, ret_time);
}
