/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/time_format.c - writing a time in a reference layout.
 */
#include "location/go/time.h"

#include <stdio.h>

#include "location/go/duration.h"
#include "location/go/layout.h"

static void add_name(struct fx_buf *buf, const char *name, bool is_long) {
    fx_buf_text(buf, is_long ? fx_text_of(name) : (struct fx_text){name, SHORT_NAME});
}

/* With zeros in front. */
static void add_number(struct fx_buf *buf, int number, unsigned least) {
    fx_buf_padded(buf, (uint64_t)number, least);
}

/* With spaces in front. */
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

/* The elements of calendar and clock; false where it is another one. */
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
    /* the sign is that of whole minutes, as Go has it */
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

/* `text` is `.000` or `,999`. More digits than nine are not told. */
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
