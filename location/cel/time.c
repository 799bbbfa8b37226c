/* SPDX-License-Identifier: Apache-2.0
 *
 * time.c - the accessors of timestamps and durations (spec/cel.md sections 7 and 10). A
 * zone is an argument; without one it is UTC, whatever zone the timestamp was parsed
 * with.
 */
#include "location/cel/functions.h"

#include <string.h>

#include "base/strconv.h"
#include "location/go/time.h"

#define MINUTE_NANOSECONDS UINT64_C(60000000000)

/* Reads the number of hours or minutes as Go's Atoi; false sets the failure. */
static bool take_number(struct fx_cel_run *run, struct fx_text text, int64_t *ret_number,
                        struct fx_cel_value *ret_failure) {
    const enum fx_go_number how = fx_go_parse_int(text, 10, ret_number);
    if (how == FX_GO_NUMBER) {
        return true;
    }
    *ret_failure =
        fx_cel_fail(run, "strconv.Atoi: parsing \"%.*s\": %s", FX_TEXT_ARG(text),
                    how == FX_GO_RANGE ? "value out of range" : "invalid syntax");
    return false;
}

/* An offset, `[+-]hours:minutes`, in seconds. Nothing checks its range: what is larger
 * than 292 years of nanoseconds wraps around, as in the original. */
static bool offset_of(struct fx_cel_run *run, struct fx_text text, size_t colon,
                      int64_t *ret_seconds, struct fx_cel_value *ret_failure) {
    int64_t hours = 0;
    int64_t minutes = 0;
    if (!take_number(run, (struct fx_text){text.data, colon}, &hours, ret_failure) ||
        !take_number(run, fx_text_rest(text, colon + 1), &minutes, ret_failure)) {
        return false;
    }
    const uint64_t parts = (uint64_t)hours * 60;
    const uint64_t sum =
        text.data[0] == '-' ? parts - (uint64_t)minutes : parts + (uint64_t)minutes;
    *ret_seconds = (int64_t)(sum * MINUTE_NANOSECONDS) / FX_GO_SECOND;
    return true;
}

/* Go refuses names that could leave the folder of the zones in other words. */
static struct fx_cel_value fail_zone(struct fx_cel_run *run, struct fx_text name) {
    const char first = fx_text_first(name);
    if (first == '/' || first == '\\' || fx_text_contains(name, FX_TEXT(".."))) {
        return fx_cel_fail(run, "time: invalid location name");
    }
    return fx_cel_fail(run, "unknown time zone %.*s", FX_TEXT_ARG(name));
}

static bool zone_of(struct fx_cel_run *run, struct fx_text name, int64_t seconds,
                    int64_t *ret_offset, struct fx_cel_value *ret_failure) {
    int32_t offset = 0;
    *ret_offset = 0;
    if (name.len == 0 || fx_text_is(name, "UTC") || fx_text_is(name, "Local")) {
        return true;
    }
    const char *colon = memchr(name.data, ':', name.len);
    if (colon != NULL) {
        return offset_of(run, name, (size_t)(colon - name.data), ret_offset, ret_failure);
    }
    const enum fx_cel_zone_found found = fx_cel_zone_offset(name, seconds, &offset);
    *ret_offset = offset;
    if (found == FX_CEL_ZONE_NO_MEMORY) {
        *ret_failure = fx_cel_no_memory(run);
    } else if (found == FX_CEL_ZONE_UNKNOWN) {
        *ret_failure = fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_cel_exceeded(run)
                                                                   : fail_zone(run, name);
    }
    return found == FX_CEL_ZONE_FOUND;
}

/* The date and the time in the zone. */
static bool split(struct fx_cel_run *run, const struct fx_cel_value *args, bool has_zone,
                  struct fx_go_time_parts *ret_parts, struct fx_cel_value *ret_failure) {
    struct fx_go_time time = {.seconds = args[0].timestamp.seconds};
    if (has_zone) {
        int64_t offset = 0;
        if (!fx_cel_spend_bytes(args[1].text.len)) {
            *ret_failure = fx_cel_exceeded(run);
            return false;
        }
        if (!zone_of(run, args[1].text, time.seconds, &offset, ret_failure)) {
            return false;
        }
        time.seconds += offset; /* a year of time is about 2^35 seconds */
    }
    fx_go_time_split(&time, ret_parts);
    return true;
}

/* The pair of functions of an accessor, without and with a zone. */
#define ACCESSOR(name, expression)                                                     \
    struct fx_cel_value fx_cel_get_##name(struct fx_cel_run *run,                      \
                                          const struct fx_cel_value *args) {           \
        struct fx_go_time_parts parts;                                                 \
        struct fx_cel_value failure;                                                   \
        return split(run, args, false, &parts, &failure) ? fx_cel_make_int(expression) \
                                                         : failure;                    \
    }                                                                                  \
    struct fx_cel_value fx_cel_get_##name##_in(struct fx_cel_run *run,                 \
                                               const struct fx_cel_value *args) {      \
        struct fx_go_time_parts parts;                                                 \
        struct fx_cel_value failure;                                                   \
        return split(run, args, true, &parts, &failure) ? fx_cel_make_int(expression)  \
                                                        : failure;                     \
    }

ACCESSOR(full_year, parts.year)
ACCESSOR(month, parts.month - 1)
ACCESSOR(day_of_year, parts.yearday - 1)
ACCESSOR(day_of_month, parts.day - 1)
ACCESSOR(date, parts.day)
ACCESSOR(day_of_week, parts.weekday)
ACCESSOR(hours, parts.hour)
ACCESSOR(minutes, parts.minute)
ACCESSOR(seconds, parts.second)
ACCESSOR(milliseconds, args[0].timestamp.nanoseconds / FX_GO_MILLISECOND)

/* ---- durations: the whole of them in a unit
 * --------------------------------------------- */

struct fx_cel_value fx_cel_duration_hours(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(args[0].duration / FX_GO_HOUR);
}

struct fx_cel_value fx_cel_duration_minutes(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(args[0].duration / FX_GO_MINUTE);
}

struct fx_cel_value fx_cel_duration_seconds(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(args[0].duration / FX_GO_SECOND);
}

struct fx_cel_value fx_cel_duration_milliseconds(struct fx_cel_run *run,
                                                 const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(args[0].duration / FX_GO_MILLISECOND);
}
