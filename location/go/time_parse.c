/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/time_parse.c - reading a text in a reference layout: element by
 * element of the layout, then one time of what they said.
 */
#include "location/go/time.h"

#include "base/date.h"
#include "location/go/layout.h"
#include "location/go/text.h"
#include "location/go/time_read.h"

/* ---- what may go wrong ----------------------------------------------------------- */

static bool fail_element(const struct reading *reading, struct fx_text element) {
    char layout[TIME_QUOTED];
    char whole[TIME_QUOTED];
    char wanted[TIME_QUOTED];
    char found[TIME_QUOTED];
    return fx_fail(reading->err, FX_EMUTATE,
                   "parsing time %s as %s: cannot parse %s as %s",
                   time_quote(reading->whole, whole), time_quote(reading->layout, layout),
                   time_quote(reading->text, found), time_quote(element, wanted));
}

static bool fail_whole(const struct reading *reading, const char *why) {
    char whole[TIME_QUOTED];
    return fx_fail(reading->err, FX_EMUTATE, "parsing time %s: %s",
                   time_quote(reading->whole, whole), why);
}

static bool fail_extra(const struct reading *reading) {
    char whole[TIME_QUOTED];
    char extra[TIME_QUOTED];
    return fx_fail(reading->err, FX_EMUTATE, "parsing time %s: extra text: %s",
                   time_quote(reading->whole, whole), time_quote(reading->text, extra));
}

/* ---- what stands between elements -------------------------------------------------- */

static struct fx_text cut_spaces(struct fx_text text) {
    size_t n = 0;
    while (n < text.len && text.data[n] == ' ') {
        n++;
    }
    return text_behind(text, n);
}

/* Spaces of the layout stand for any number of spaces, also for none at the end. */
static bool skip_prefix(struct reading *reading, struct fx_text prefix) {
    while (prefix.len > 0) {
        const char next = first_of(reading->text);
        if (prefix.data[0] == ' ') {
            if (reading->text.len > 0 && next != ' ') {
                return false;
            }
            prefix = cut_spaces(prefix);
            reading->text = cut_spaces(reading->text);
            continue;
        }
        if (reading->text.len == 0 || next != prefix.data[0]) {
            return false;
        }
        prefix = text_behind(prefix, 1);
        reading->text = text_behind(reading->text, 1);
    }
    return true;
}

/* ---- the time that was told ------------------------------------------------------ */

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_of(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

/* A day of the year, and perhaps month and day, too: they must say the same. */
static bool settle_yearday(struct reading *reading) {
    int day = reading->yearday;
    int month = 1;
    if (day < 1 || day > (is_leap(reading->year) ? 366 : 365)) {
        return fail_whole(reading, "day-of-year out of range");
    }
    for (; day > days_of(reading->year, month); month++) {
        day -= days_of(reading->year, month);
    }
    if (reading->month != NOT_TOLD && reading->month != month) {
        return fail_whole(reading, "day-of-year does not match month");
    }
    if (reading->day != NOT_TOLD && reading->day != day) {
        return fail_whole(reading, "day-of-year does not match day");
    }
    reading->month = month;
    reading->day = day;
    return true;
}

static bool settle_day(struct reading *reading) {
    if (reading->yearday != NOT_TOLD) {
        return settle_yearday(reading);
    }
    reading->month = reading->month == NOT_TOLD ? 1 : reading->month;
    reading->day = reading->day == NOT_TOLD ? 1 : reading->day;
    return (reading->day >= 1 &&
            reading->day <= days_of(reading->year, reading->month)) ||
           fail_whole(reading, "day out of range");
}

static void settle_hour(struct reading *reading) {
    if (reading->pm && reading->hour < 12) {
        reading->hour += 12;
    } else if (reading->am && reading->hour == 12) {
        reading->hour = 0;
    }
}

/* `GMT+3` says its offset in its name; others say nothing, where no zones are known. */
static int32_t offset_of_name(struct fx_text name) {
    int hours = 0;
    if (name.len <= 3 || !fx_text_starts(name, FX_TEXT("GMT"))) {
        return 0;
    }
    for (size_t i = 4; i < name.len; i++) {
        hours = hours * 10 + (name.data[i] - '0');
    }
    return (name.data[3] == '-' ? -3600 : 3600) * hours;
}

/* An offset that is that of UTC, without another name, is UTC. */
static void settle_zone(const struct reading *reading, struct fx_go_time *time) {
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

static bool settle(struct reading *reading, struct fx_go_time *ret_time) {
    if (!settle_day(reading)) {
        return false;
    }
    settle_hour(reading);
    struct fx_go_time time = {.nanoseconds = reading->nanoseconds};
    settle_zone(reading, &time);
    /* what only a name says is told, but not reckoned with: so Go has it */
    const int32_t ahead = reading->has_offset ? time.offset : 0;
    time.seconds = fx_date_seconds(reading->year, reading->month, reading->day,
                                   reading->hour, reading->minute, reading->second) -
                   ahead;
    *ret_time = time;
    return true;
}

bool fx_go_time_parse(struct fx_text layout, struct fx_text text,
                      struct fx_go_time *ret_time, struct fx_err *err) {
    struct reading reading = {
        .layout = layout,
        .whole = text,
        .text = text,
        .err = err,
        .month = NOT_TOLD,
        .day = NOT_TOLD,
        .yearday = NOT_TOLD,
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
    return reading.text.len > 0 ? fail_extra(&reading) : settle(&reading, ret_time);
}
