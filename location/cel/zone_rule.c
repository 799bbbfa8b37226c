/* SPDX-License-Identifier: Apache-2.0
 *
 * zone_rule.c - the rule at the end of a time zone's file (RFC 9636 section 3.3.1; POSIX,
 * "Other Environment Variables", TZ).
 */
#include "location/cel/zone.h"

#include "base/date.h"
#include "location/go/time.h"

#define DAY_SECONDS  INT64_C(86400)
#define DAY_OF_MARCH 60 /* of March 1 in a leap year, from 1 */

/* Removes the name of a zone: three letters or more, or <…>. */
static bool take_name(struct fx_text *text) {
    size_t n = 0;
    if (fx_text_take(text, '<')) {
        (void)fx_text_cut(text, '>');
        return true;
    }
    while (n < text->len && fx_is_letter(text->data[n])) {
        n++;
    }
    *text = fx_text_rest(*text, n);
    return n >= 3;
}

/* Removes `[+-]hh[:mm[:ss]]`. */
static bool take_time(struct fx_text *text, int32_t *ret_seconds) {
    int parts[3] = {0};
    const bool is_negative = fx_text_take(text, '-');
    if (!is_negative) {
        (void)fx_text_take(text, '+');
    }
    if (!fx_date_take(text, 1, 3, 0, 24 * 7, &parts[0])) {
        return false;
    }
    for (size_t i = 1; i < 3 && fx_text_take(text, ':'); i++) {
        if (!fx_date_take(text, 2, 2, 0, 59, &parts[i])) {
            return false;
        }
    }
    const int32_t seconds = (parts[0] * 60 + parts[1]) * 60 + parts[2];
    *ret_seconds = is_negative ? -seconds : seconds;
    return true;
}

static bool take_week_day(struct fx_text *text, struct cel_zone_day *day) {
    day->kind = CEL_ZONE_DAY_OF_THE_WEEK;
    return fx_date_take(text, 1, 2, 1, 12, &day->month) && fx_text_take(text, '.') &&
           fx_date_take(text, 1, 1, 1, 5, &day->week) && fx_text_take(text, '.') &&
           fx_date_take(text, 1, 1, 0, 6, &day->day);
}

/* Removes `,day[/time]`. */
static bool take_day(struct fx_text *text, struct cel_zone_day *day) {
    bool ok = fx_text_take(text, ',');
    *day = (struct cel_zone_day){.seconds = 2 * 3600};
    if (ok && fx_text_take(text, 'M')) {
        ok = take_week_day(text, day);
    } else if (ok && fx_text_take(text, 'J')) {
        day->kind = CEL_ZONE_DAY_JULIAN;
        ok = fx_date_take(text, 1, 3, 1, 365, &day->day);
    } else if (ok) {
        day->kind = CEL_ZONE_DAY_OF_YEAR;
        ok = fx_date_take(text, 1, 3, 0, 365, &day->day);
    }
    return ok && (!fx_text_take(text, '/') || take_time(text, &day->seconds));
}

bool cel_zone_rule_parse(struct fx_text text, struct cel_zone_rule *ret_rule) {
    int32_t west = 0;
    *ret_rule = (struct cel_zone_rule){0};
    if (!take_name(&text) || !take_time(&text, &west)) {
        return false;
    }
    ret_rule->offset = -west;
    if (text.len == 0) {
        return true;
    }
    ret_rule->has_daylight = true;
    west -= 3600; /* if it is not given */
    if (!take_name(&text) || (fx_text_first(text) != ',' && !take_time(&text, &west))) {
        return false;
    }
    ret_rule->daylight_offset = -west;
    return take_day(&text, &ret_rule->start) && take_day(&text, &ret_rule->end) &&
           text.len == 0;
}

/* ---- the offset ------------------------------------------------------------------ */

/* The day of the year, from 0, on which the offset changes. */
static int day_of_year(const struct cel_zone_day *day, int64_t year, int first_weekday) {
    const int leap = fx_date_is_leap_year(year) ? 1 : 0;
    if (day->kind == CEL_ZONE_DAY_OF_YEAR) {
        return day->day;
    }
    if (day->kind == CEL_ZONE_DAY_JULIAN) {
        return day->day - 1 + (leap != 0 && day->day >= DAY_OF_MARCH ? 1 : 0);
    }
    int first = 0; /* of the month */
    for (int month = 1; month < day->month; month++) {
        first += fx_date_days_of_month(year, month);
    }
    const int weekday = (first_weekday + first) % 7;
    int found = first + (day->day - weekday + 7) % 7 + (day->week - 1) * 7;
    if (found >= first + fx_date_days_of_month(year, day->month)) {
        found -= 7; /* the fifth week is the last one */
    }
    return found;
}

int32_t cel_zone_rule_offset(const struct cel_zone_rule *rule, int64_t seconds) {
    if (!rule->has_daylight) {
        return rule->offset;
    }
    struct fx_go_time_parts parts;
    const struct fx_go_time utc = {.seconds = seconds};
    fx_go_time_split(&utc, &parts);
    const int64_t since = (parts.yearday - 1) * DAY_SECONDS +
                          (int64_t)((parts.hour * 60 + parts.minute) * 60 + parts.second);
    const int first_weekday = ((parts.weekday - (parts.yearday - 1)) % 7 + 7) % 7;
    const int64_t start =
        day_of_year(&rule->start, parts.year, first_weekday) * DAY_SECONDS +
        rule->start.seconds - rule->offset;
    const int64_t end = day_of_year(&rule->end, parts.year, first_weekday) * DAY_SECONDS +
                        rule->end.seconds - rule->daylight_offset;
    const bool is_daylight =
        start <= end ? since >= start && since < end : since >= start || since < end;
    return is_daylight ? rule->daylight_offset : rule->offset;
}
