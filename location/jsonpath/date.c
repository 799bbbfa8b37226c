/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/date.c - dates as Go's time.Parse reads them.
 */
#include "location/jsonpath/date.h"

#include <stdio.h>
#include <string.h>

/* In a layout a letter stands for a part of a date, anything else for itself; a blank for
 * any number of blanks:
 *
 *   Y year, four digits     m month, two digits    b name of the month, three letters
 *   d day, two digits       e day, one or two      a name of the weekday
 *   H hour                  I hour of twelve       p AM or PM
 *   M minute  S second, with a fraction or without
 *   z +0100   c +01:00      o +0100 or Z   O +01:00 or Z   Z name of the zone
 */
static const char *const layouts[] = {
    "a b e H:M:S Y", "a b e H:M:S Z Y", "a b d H:M:S z Y", "I:Mp",
    "Y-m-dTH:M:SO",  "Y-m-d",           "Y-m-d H:M",       "Y-m-d H:M:S",
    "Y-m-d H:M:Sc",  "Y-m-dTHo",        "Y-m-dTH:Mo",      "Y-m-dTH:M:So",
};

struct cursor {
    const char *at, *end;
    bool afternoon, forenoon;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool skip(struct cursor *cursor, char c) {
    const bool there = cursor->at < cursor->end && *cursor->at == c;
    cursor->at += there;
    return there;
}

/* From `least` to `most` digits. */
static bool read_number(struct cursor *cursor, unsigned least, unsigned most,
                        int *ret_value) {
    unsigned n = 0;
    int value = 0;
    while (n < most && cursor->at < cursor->end && is_digit(*cursor->at)) {
        value = value * 10 + (*cursor->at++ - '0');
        n++;
    }
    *ret_value = value;
    return n >= least;
}

/* ---- names ---------------------------------------------------------------------------
 */

static bool starts_with(const struct cursor *cursor, const char *name) {
    for (size_t i = 0; name[i] != '\0'; i++) {
        if (cursor->at + i >= cursor->end || (cursor->at[i] | 0x20) != (name[i] | 0x20)) {
            return false;
        }
    }
    return true;
}

/* One of the names of three letters, in any case; *ret_index counts from 1. */
static bool read_name(struct cursor *cursor, const char *const *names, size_t n_names,
                      int *ret_index) {
    for (size_t i = 0; i < n_names; i++) {
        if (starts_with(cursor, names[i])) {
            cursor->at += strlen(names[i]);
            *ret_index = (int)i + 1;
            return true;
        }
    }
    return false;
}

static bool read_month(struct cursor *cursor, int *ret_month) {
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    return read_name(cursor, names, FX_COUNT(names), ret_month);
}

/* Nobody asks whether it is the right one. */
static bool read_weekday(struct cursor *cursor) {
    static const char *const names[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    int weekday = 0;
    return read_name(cursor, names, FX_COUNT(names), &weekday);
}

static bool read_half(struct cursor *cursor) {
    cursor->afternoon = skip(cursor, 'P');
    cursor->forenoon = !cursor->afternoon && skip(cursor, 'A');
    return (cursor->afternoon || cursor->forenoon) && skip(cursor, 'M');
}

/* ---- zones ---------------------------------------------------------------------------
 */

static void set_zone(struct date *date, int minutes, const char *name, size_t len) {
    date->offset = minutes;
    memset(date->zone, 0, sizeof date->zone);
    memcpy(date->zone, name, len < sizeof date->zone ? len : sizeof date->zone - 1);
}

static void set_utc(struct date *date) {
    set_zone(date, 0, "UTC", 3);
}

/* +0100 or +01:00; of no hours and minutes it is UTC. */
static bool read_offset(struct cursor *cursor, bool colon, struct date *date) {
    const bool west = skip(cursor, '-');
    int hours = 0;
    int minutes = 0;
    if ((!west && !skip(cursor, '+')) || !read_number(cursor, 2, 2, &hours) ||
        (colon && !skip(cursor, ':')) || !read_number(cursor, 2, 2, &minutes)) {
        return false;
    }
    minutes += hours * 60;
    set_zone(date, west ? -minutes : minutes, "", 0);
    if (minutes == 0) {
        set_utc(date);
    }
    return true;
}

/* GMT with hours behind it, as in GMT-8. */
static bool read_gmt(struct cursor *cursor, struct date *date) {
    const char *const start = cursor->at;
    cursor->at += 3;
    const bool west = skip(cursor, '-');
    int hours = 0;
    if (west || skip(cursor, '+')) {
        if (!read_number(cursor, 1, 2, &hours) || hours > 23) {
            return false;
        }
    }
    set_zone(date, (west ? -hours : hours) * 60, start, (size_t)(cursor->at - start));
    return true;
}

/* Three capital letters; four or five where the last is a T. An abbreviation says nothing
 * of the offset, so it is 0. */
static bool read_zone(struct cursor *cursor, struct date *date) {
    const char *const start = cursor->at;
    size_t len = 0;
    while (start + len < cursor->end && start[len] >= 'A' && start[len] <= 'Z') {
        len++;
    }
    if (len == 3 && memcmp(start, "GMT", 3) == 0) {
        return read_gmt(cursor, date);
    }
    const bool is_name = len == 3 || ((len == 4 || len == 5) && start[len - 1] == 'T') ||
                         (len == 4 && memcmp(start, "WITA", 4) == 0);
    if (!is_name) {
        return false;
    }
    cursor->at += len;
    set_zone(date, 0, start, len);
    return true;
}

/* ---- times of day --------------------------------------------------------------------
 */

/* A point or comma and digits, of which nine count; or nothing. */
static void read_fraction(struct cursor *cursor, struct date *date) {
    if (cursor->end - cursor->at < 2 || (*cursor->at != '.' && *cursor->at != ',') ||
        !is_digit(cursor->at[1])) {
        return;
    }
    cursor->at++;
    int scale = 100000000;
    for (; cursor->at < cursor->end && is_digit(*cursor->at); cursor->at++) {
        date->nanosecond += (*cursor->at - '0') * scale;
        scale /= 10;
    }
}

static bool read_second(struct cursor *cursor, struct date *date) {
    if (!read_number(cursor, 2, 2, &date->second)) {
        return false;
    }
    read_fraction(cursor, date);
    return true;
}

/* ---- layouts -------------------------------------------------------------------------
 */

static bool skip_blanks(struct cursor *cursor) {
    bool any = cursor->at == cursor->end;
    while (skip(cursor, ' ')) {
        any = true;
    }
    return any;
}

static bool read_part(struct cursor *cursor, char part, struct date *date) {
    switch (part) {
    case ' ': return skip_blanks(cursor);
    case 'Y': return read_number(cursor, 4, 4, &date->year);
    case 'm': return read_number(cursor, 2, 2, &date->month);
    case 'b': return read_month(cursor, &date->month);
    case 'd': return read_number(cursor, 2, 2, &date->day);
    case 'e': return read_number(cursor, 1, 2, &date->day);
    case 'a': return read_weekday(cursor);
    case 'H':
    case 'I': return read_number(cursor, 1, 2, &date->hour);
    case 'p': return read_half(cursor);
    case 'M': return read_number(cursor, 2, 2, &date->minute);
    case 'S': return read_second(cursor, date);
    case 'z': return read_offset(cursor, false, date);
    case 'c': return read_offset(cursor, true, date);
    case 'o':
    case 'O':
        if (skip(cursor, 'Z')) {
            set_utc(date);
            return true;
        }
        return read_offset(cursor, part == 'O', date);
    case 'Z': return read_zone(cursor, date);
    default: return skip(cursor, part);
    }
}

static int days_of(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* Are all parts what they may be? */
static bool is_possible(const struct date *date) {
    return date->month >= 1 && date->month <= 12 && date->day >= 1 &&
           date->day <= days_of(date->year, date->month) && date->hour <= 23 &&
           date->minute <= 59 && date->second <= 59;
}

static bool read_layout(struct fx_text text, const char *layout, struct date *date) {
    struct cursor cursor = {.at = text.data, .end = text.data + text.len};
    *date = (struct date){.month = 1, .day = 1};
    set_utc(date);
    for (const char *part = layout; *part != '\0'; part++) {
        if (!read_part(&cursor, *part, date) || (*part == 'I' && date->hour > 12)) {
            return false;
        }
    }
    if (cursor.afternoon && date->hour < 12) {
        date->hour += 12;
    } else if (cursor.forenoon && date->hour == 12) {
        date->hour = 0;
    }
    return cursor.at == cursor.end && is_possible(date);
}

bool fx_jsonpath_date_parse(struct fx_text text, struct date *ret_date) {
    for (size_t i = 0; i < FX_COUNT(layouts) && text.len > 0; i++) {
        if (read_layout(text, layouts[i], ret_date)) {
            return true;
        }
    }
    return false;
}

bool fx_jsonpath_date_equal(const struct date *a, const struct date *b) {
    return a->year == b->year && a->month == b->month && a->day == b->day &&
           a->hour == b->hour && a->minute == b->minute && a->second == b->second &&
           a->nanosecond == b->nanosecond && a->offset == b->offset &&
           strcmp(a->zone, b->zone) == 0;
}

/* The fraction of the second without zeros at its end. */
static void print_fraction(struct fx_buf *buf, int nanosecond) {
    char digits[16];
    size_t len = 9;
    (void)snprintf(digits, sizeof digits, "%09d", nanosecond);
    while (len > 0 && digits[len - 1] == '0') {
        len--;
    }
    if (len > 0) {
        fx_buf_char(buf, '.');
        fx_buf_add(buf, digits, len);
    }
}

void fx_jsonpath_date_print(struct fx_buf *buf, const struct date *date) {
    char offset[16];
    const int minutes = date->offset < 0 ? -date->offset : date->offset;
    (void)snprintf(offset, sizeof offset, "%c%02d%02d", date->offset < 0 ? '-' : '+',
                   minutes / 60, minutes % 60);
    fx_buf_printf(buf, "%04d-%02d-%02d %02d:%02d:%02d", date->year, date->month,
                  date->day, date->hour, date->minute, date->second);
    print_fraction(buf, date->nanosecond);
    fx_buf_printf(buf, " %s %s", offset, date->zone[0] != '\0' ? date->zone : offset);
}
