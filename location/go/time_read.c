/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/time_read.c - reading the elements of a reference layout.
 */
#include "location/go/time_read.h"

#include <strings.h>

#include "location/go/text.h"
#include "location/go/time.h"

#define MOST_FRACTION_DIGITS 9 /* of a second; more are read and dropped */

/* ---- numbers --------------------------------------------------------------------- */

static int number_of(struct fx_text digits) {
    int number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        number = number * 10 + (digits.data[i] - '0');
    }
    return number;
}

/* `least` to `most` digits, as many as there are. */
static bool take_number(struct reading *reading, size_t least, size_t most,
                        int *ret_number) {
    const size_t n = count_digits_up_to(reading->text, most);
    if (n < least) {
        return false;
    }
    *ret_number = number_of((struct fx_text){reading->text.data, n});
    reading->text = text_behind(reading->text, n);
    return true;
}

/* The same; beyond `max` (or below `min`) something is out of range. */
struct range {
    int min, max;
    const char *why;
};

static bool take_within(struct reading *reading, size_t least, struct range range,
                        int *ret_number, const char **ret_why) {
    if (!take_number(reading, least, 2, ret_number)) {
        return false;
    }
    if (*ret_number < range.min || *ret_number > range.max) {
        *ret_why = range.why;
        return false;
    }
    return true;
}

static void skip_space(struct reading *reading) {
    if (first_of(reading->text) == ' ') {
        reading->text = text_behind(reading->text, 1);
    }
}

/* ---- names ----------------------------------------------------------------------- */

/* One of the names, in any case; the short ones are their first letters. */
static bool take_name(struct reading *reading, const char *const *names, size_t n_names,
                      bool is_long, int *ret_index) {
    for (size_t i = 0; i < n_names; i++) {
        const size_t len = is_long ? fx_text_of(names[i]).len : SHORT_NAME;
        if (reading->text.len >= len &&
            strncasecmp(reading->text.data, names[i], len) == 0) {
            reading->text = text_behind(reading->text, len);
            *ret_index = (int)i;
            return true;
        }
    }
    return false;
}

static bool take_month_name(struct reading *reading, bool is_long) {
    int index = 0;
    if (!take_name(reading, month_names, FX_COUNT(month_names), is_long, &index)) {
        return false;
    }
    reading->month = index + 1;
    return true;
}

/* Which one it is does not matter. */
static bool take_weekday_name(struct reading *reading, bool is_long) {
    int index = 0;
    return take_name(reading, weekday_names, FX_COUNT(weekday_names), is_long, &index);
}

static bool take_pm(struct reading *reading, struct fx_text am, struct fx_text pm) {
    if (fx_text_starts(reading->text, pm)) {
        reading->pm = true;
    } else if (fx_text_starts(reading->text, am)) {
        reading->am = true;
    } else {
        return false;
    }
    reading->text = text_behind(reading->text, 2);
    return true;
}

/* ---- seconds and their parts ------------------------------------------------------- */

/* So many digits behind a point, of a second; those beyond the ninth are dropped. */
static void take_digits_of_second(struct reading *reading, size_t n) {
    int32_t nanoseconds = 0;
    for (size_t i = 0; i < MOST_FRACTION_DIGITS; i++) {
        const int digit = i < n ? reading->text.data[1 + i] - '0' : 0;
        nanoseconds = nanoseconds * 10 + digit;
    }
    reading->nanoseconds = nanoseconds;
    reading->text = text_behind(reading->text, 1 + n);
}

/* How many digits stand behind a point or comma here, `most` at most. */
static size_t count_fraction(struct fx_text text, size_t most) {
    const char point = first_of(text);
    return point == '.' || point == ',' ? count_digits_up_to(text_behind(text, 1), most)
                                        : 0;
}

/* `.000`: exactly that many. */
static bool take_fraction(struct reading *reading, size_t wanted) {
    if (count_fraction(reading->text, wanted) < wanted) {
        return false;
    }
    take_digits_of_second(reading, wanted);
    return true;
}

/* `.999`: as many as there are, also none. */
static void take_short_fraction(struct reading *reading) {
    const size_t n = count_fraction(reading->text, MOST_FRACTION_DIGITS);
    if (n > 0) {
        take_digits_of_second(reading, n);
    }
}

/* A fraction may follow the seconds, though the layout names none. */
static bool take_second(struct reading *reading, size_t least, struct fx_text rest,
                        const char **ret_why) {
    const struct range range = {0, 59, "second out of range"};
    if (!take_within(reading, least, range, &reading->second, ret_why)) {
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

/* Two digits at a place, or NOT_TOLD. */
static int pair_at(struct fx_text text, size_t at) {
    const struct fx_text rest = text_behind(text, at);
    return count_digits_up_to(rest, 2) < 2 ? NOT_TOLD
                                           : number_of((struct fx_text){rest.data, 2});
}

/* How an offset looks: [+-] hours [ [:] minutes [ [:] seconds ] ], two digits each. */
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

static bool take_offset(struct reading *reading, const struct layout_zone *zone) {
    const struct fx_text text = reading->text;
    const struct offset_form form = form_of(zone);
    int sum = 0;
    if (text.len < form.len || !has_colons(text, form)) {
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        const int number = i < form.numbers ? pair_at(text, 1 + i * form.step) : 0;
        if (number == NOT_TOLD) {
            return false;
        }
        sum = sum * 60 + number;
    }
    reading->offset = text.data[0] == '-' ? -sum : sum;
    reading->has_offset = true;
    reading->text = text_behind(text, form.len);
    return text.data[0] == '+' || text.data[0] == '-';
}

static bool take_zone(struct reading *reading, const struct layout_zone *zone) {
    if (zone->iso && !zone->seconds && first_of(reading->text) == 'Z') {
        reading->text = text_behind(reading->text, 1);
        reading->utc = true;
        return true;
    }
    return take_offset(reading, zone);
}

/* The length of `+3`, `-11`: hours up to 23. 0 where there is none. */
static size_t signed_length(struct fx_text text) {
    if (first_of(text) != '+' && first_of(text) != '-') {
        return 0;
    }
    const struct fx_text rest = text_behind(text, 1);
    const size_t n = count_digits(rest);
    struct fx_text digits = {rest.data, n};
    while (digits.len > 2 && digits.data[0] == '0') {
        digits = text_behind(digits, 1);
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

/* The length of a zone's name: three capitals, four or five that end in T, and some that
 * time.Parse names. 0 where there is none. */
static size_t zone_name_length(struct fx_text text) {
    if (text.len < 3) {
        return 0;
    }
    if (fx_text_starts(text, FX_TEXT("ChST")) || fx_text_starts(text, FX_TEXT("MeST"))) {
        return 4;
    }
    if (fx_text_starts(text, FX_TEXT("GMT"))) {
        return 3 + signed_length(text_behind(text, 3));
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

static bool take_zone_name(struct reading *reading) {
    if (fx_text_starts(reading->text, FX_GO_UTC)) {
        reading->utc = true;
        reading->text = text_behind(reading->text, 3);
        return true;
    }
    const size_t n = zone_name_length(reading->text);
    reading->zone = (struct fx_text){reading->text.data, n};
    reading->text = text_behind(reading->text, n);
    return n > 0;
}

/* ---- each element ---------------------------------------------------------------- */

/* `06`: of 1969 to 2068. */
static bool take_short_year(struct reading *reading) {
    const int year = pair_at(reading->text, 0);
    if (year == NOT_TOLD) {
        return false;
    }
    reading->text = text_behind(reading->text, 2);
    reading->year = year + (year >= 69 ? 1900 : 2000);
    return true;
}

static bool take_month(struct reading *reading, size_t least, const char **ret_why) {
    const struct range range = {1, 12, "month out of range"};
    return take_within(reading, least, range, &reading->month, ret_why);
}

/* Whether the month has that day is seen when all is read. */
static bool take_day(struct reading *reading, enum layout_element element) {
    if (element == LAYOUT_SPACE_DAY) {
        skip_space(reading);
    }
    return take_number(reading, element == LAYOUT_ZERO_DAY ? 2 : 1, 2, &reading->day);
}

static bool take_yearday(struct reading *reading, bool spaces) {
    size_t least = 3;
    for (int i = 0; spaces && i < 2 && first_of(reading->text) == ' '; i++) {
        skip_space(reading);
        least--;
    }
    return take_number(reading, spaces ? 1 : least, 3, &reading->yearday);
}

static bool take_hour(struct reading *reading, size_t least, int max,
                      const char **ret_why) {
    const struct range range = {0, max, "hour out of range"};
    return take_within(reading, least, range, &reading->hour, ret_why);
}

static bool take_minute(struct reading *reading, size_t least, const char **ret_why) {
    const struct range range = {0, 59, "minute out of range"};
    return take_within(reading, least, range, &reading->minute, ret_why);
}

static bool read_date(struct reading *reading, enum layout_element element,
                      const char **ret_why) {
    switch ((int)element) {
    case LAYOUT_LONG_YEAR: return take_number(reading, 4, 4, &reading->year);
    case LAYOUT_YEAR: return take_short_year(reading);
    case LAYOUT_LONG_MONTH:
    case LAYOUT_MONTH: return take_month_name(reading, element == LAYOUT_LONG_MONTH);
    case LAYOUT_NUMBER_MONTH: return take_month(reading, 1, ret_why);
    case LAYOUT_ZERO_MONTH: return take_month(reading, 2, ret_why);
    case LAYOUT_LONG_WEEKDAY:
    case LAYOUT_WEEKDAY:
        return take_weekday_name(reading, element == LAYOUT_LONG_WEEKDAY);
    case LAYOUT_SPACE_YEARDAY:
    case LAYOUT_ZERO_YEARDAY:
        return take_yearday(reading, element == LAYOUT_SPACE_YEARDAY);
    default: return take_day(reading, element);
    }
}

bool read_element(struct reading *reading, const struct layout_chunk *chunk,
                  struct fx_text rest, const char **ret_why) {
    struct layout_zone zone;
    if (layout_zone_of(chunk->element, &zone)) {
        return take_zone(reading, &zone);
    }
    switch ((int)chunk->element) {
    case LAYOUT_HOUR: return take_hour(reading, 1, 23, ret_why);
    case LAYOUT_HOUR_12: return take_hour(reading, 1, 12, ret_why);
    case LAYOUT_ZERO_HOUR_12: return take_hour(reading, 2, 12, ret_why);
    case LAYOUT_MINUTE: return take_minute(reading, 1, ret_why);
    case LAYOUT_ZERO_MINUTE: return take_minute(reading, 2, ret_why);
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
