/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/dates.c - Sprig's Dates, without those that read the clock. Sprig takes
 * the present time for a value that is not a time; here such a value is an error.
 */
#include "location/sprig/functions.h"

#include <assert.h>
#include <stddef.h>

#include "base/strconv.h"
#include "location/go/time.h"

/* A time zone. The local zone is always UTC: a review must not depend on where the server
 * runs. Other zones need the IANA database, which a container may lack, which changes
 * every few months, and which would have to be read during a review. So only zones with a
 * fixed offset are known; any other zone is an error. */
struct zone {
    int32_t offset; /* seconds east of UTC */
    struct fx_text name;
};

/* ---- names of time zones (IANA tz database, file backward included) ---------------- */

/* Zones with the offset of UTC. */
static const char *const utc_names[] = {
    "",     "UTC",     "Local",         "UCT",      "Universal",
    "Zulu", "Etc/UTC", "Etc/Universal", "Etc/Zulu", "Etc/UCT",
};

static const char *const gmt_names[] = {
    "GMT",     "GMT0",     "GMT+0",     "GMT-0",     "Greenwich",
    "Etc/GMT", "Etc/GMT0", "Etc/GMT+0", "Etc/GMT-0", "Etc/Greenwich",
};

/* The first parts of the names of regional zones. */
static const char *const areas[] = {
    "Africa/",   "America/", "Antarctica/", "Arctic/", "Asia/",
    "Atlantic/", "Brazil/",  "Canada/",     "Chile/",  "Europe/",
    "Indian/",   "Mexico/",  "Pacific/",    "US/",     "Australia/",
};

static const char *const single_names[] = {
    "CET",       "CST6CDT", "Cuba",      "EET",     "EST",     "EST5EDT",
    "Egypt",     "Eire",    "Factory",   "GB",      "GB-Eire", "HST",
    "Hongkong",  "Iceland", "Iran",      "Israel",  "Jamaica", "Japan",
    "Kwajalein", "Libya",   "MET",       "MST",     "MST7MDT", "NZ",
    "NZ-CHAT",   "Navajo",  "PRC",       "PST8PDT", "Poland",  "Portugal",
    "ROC",       "ROK",     "Singapore", "Turkey",  "W-SU",    "WET",
};

static bool is_one_of(struct fx_text name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (fx_text_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

static bool is_place(struct fx_text name) {
    for (size_t i = 0; i < FX_COUNT(areas); i++) {
        if (fx_text_starts(name, fx_text_of(areas[i]))) {
            return true;
        }
    }
    return is_one_of(name, single_names, FX_COUNT(single_names));
}

/* The names of the offsets from -12 to +14 hours. */
static const struct fx_text fixed_names[] = {
    {"-12", 3}, {"-11", 3}, {"-10", 3}, {"-09", 3}, {"-08", 3}, {"-07", 3}, {"-06", 3},
    {"-05", 3}, {"-04", 3}, {"-03", 3}, {"-02", 3}, {"-01", 3}, {"", 0},    {"+01", 3},
    {"+02", 3}, {"+03", 3}, {"+04", 3}, {"+05", 3}, {"+06", 3}, {"+07", 3}, {"+08", 3},
    {"+09", 3}, {"+10", 3}, {"+11", 3}, {"+12", 3}, {"+13", 3}, {"+14", 3},
};
#define MOST_BEHIND 12
#define MOST_AHEAD  14

/* Finds a zone such as `Etc/GMT+5`, which is five hours west of UTC: the sign is that of
 * POSIX. */
static bool find_fixed(struct fx_text name, struct zone *ret_zone) {
    const struct fx_text prefix = FX_TEXT("Etc/GMT");
    if (!fx_text_starts(name, prefix) || name.len < prefix.len + 2) {
        return false;
    }
    const char sign = name.data[prefix.len];
    const struct fx_text digits = fx_text_rest(name, prefix.len + 1);
    if ((sign != '+' && sign != '-') || !fx_text_is_digits(digits) || digits.len > 2 ||
        digits.data[0] == '0') {
        return false;
    }
    const int size = digits.len == 2 ? 10 * (digits.data[0] - '0') + digits.data[1] - '0'
                                     : digits.data[0] - '0';
    const int hours = sign == '+' ? -size : size;
    if (hours < -MOST_BEHIND || hours > MOST_AHEAD) {
        return false;
    }
    *ret_zone = (struct zone){hours * 3600, fixed_names[hours + MOST_BEHIND]};
    return true;
}

/* Finds a zone: UTC for "", "UTC", "Local" and for any unknown name, as in Sprig, and
 * the fixed zones of `Etc`. Errors: FX_EMUTATE for any other zone. */
static bool zone_find(struct fx_text name, struct zone *ret_zone, struct fx_err *err) {
    if (is_place(name) && !is_one_of(name, utc_names, FX_COUNT(utc_names))) {
        return fx_fail(err, FX_EMUTATE,
                       "time zone `%.*s` is not supported: its offset changes, and "
                       "reviews read no time zone tables; use `UTC`, or `Etc/GMT-2` "
                       "for two hours ahead of it",
                       FX_TEXT_ARG(name));
    }
    if (!find_fixed(name, ret_zone)) {
        const bool gmt = is_one_of(name, gmt_names, FX_COUNT(gmt_names));
        *ret_zone = (struct zone){0, gmt ? FX_TEXT("GMT") : FX_TEXT("UTC")};
    }
    return true;
}

/* ---- times as values ------------------------------------------------------------- */

static size_t time_size(const void *object) {
    const struct fx_go_time *time = object;
    return time->zone.len;
}

static void print_time(struct fx_buf *buf, const void *object) {
    fx_go_time_print(buf, object);
}

static bool times_equal(const void *a, const void *b) {
    return fx_go_time_equal(a, b);
}

/* Returns the time since 1970 in fractions of a second. */
static int64_t count_since_1970(const struct fx_go_time *time, int64_t per_second) {
    const uint64_t whole = (uint64_t)time->seconds * (uint64_t)per_second;
    return (int64_t)(whole + (uint64_t)(time->nanoseconds / (FX_GO_SECOND / per_second)));
}

static bool is_zero(const struct fx_go_time *time) {
    return time->seconds == fx_go_time_zero.seconds && time->nanoseconds == 0;
}

/* Calls a method of time.Time that has no arguments and returns a number or a bool. */
static bool time_member(const void *object, struct fx_text name,
                        struct value *ret_value) {
    const struct fx_go_time *time = object;
    struct fx_go_time_parts parts;
    fx_go_time_split(time, &parts);
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
        {"Nanosecond", value_int(time->nanoseconds)},
        {"Unix", value_int64(time->seconds)},
        {"UnixMilli", value_int64(count_since_1970(time, 1000))},
        {"UnixMicro", value_int64(count_since_1970(time, 1000000))},
        {"UnixNano", value_int64(count_since_1970(time, FX_GO_SECOND))},
        {"IsZero", value_bool(is_zero(time))},
    };
    for (size_t i = 0; i < FX_COUNT(members); i++) {
        if (fx_text_is(name, members[i].name)) {
            *ret_value = members[i].value;
            return true;
        }
    }
    return false;
}

const struct object_type time_type = {
    .name = "time.Time",
    .kind = "struct",
    .size = time_size,
    .print = print_time,
    .equal = times_equal,
    .deep_equal = times_equal,
    .member = time_member,
};

/* ---- arguments and results ------------------------------------------------------- */

/* Returns the time in the value, or NULL if it is not a time. */
static const struct fx_go_time *time_of(const struct value *value) {
    const bool is_time = value->kind == VALUE_OBJECT && value->object.type == &time_type;
    return is_time ? value->object.data : NULL;
}

/* Returns an argument whose parameter is PARAMETER_TIME. */
static const struct fx_go_time *argument_time(const struct template_call *call,
                                              size_t index) {
    const struct fx_go_time *time = time_of(&call->arguments[index]);
    assert(time != NULL);
    return time;
}

/* Converts a time, or an integer as seconds since 1970. */
static bool take_time(struct template_call *call, const struct value *value,
                      struct fx_go_time *ret_time) {
    const struct fx_go_time *time = time_of(value);
    if (time != NULL) {
        *ret_time = *time;
        return true;
    }
    if (value->kind == VALUE_INT || value->kind == VALUE_INT64) {
        *ret_time = (struct fx_go_time){.seconds = value->integer, .zone = FX_GO_UTC};
        return true;
    }
    return fx_fail(call->err, FX_EMUTATE,
                   "a value of type %s is not a time, and templates cannot read the "
                   "clock; use `toDate`, or `int` for seconds",
                   value_type_name(value));
}

static bool give_time(struct template_call *call, struct fx_go_time time) {
    struct fx_go_time *copy = run_alloc(call->run, sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    *copy = time;
    *call->ret = value_object(&time_type, copy);
    return true;
}

/* ---- printing -------------------------------------------------------------------- */

static bool print_in(struct template_call *call, struct fx_text layout,
                     const struct value *value, struct fx_text zone_name) {
    struct fx_go_time time;
    struct zone zone = {0};
    if (!take_time(call, value, &time) || !zone_find(zone_name, &zone, call->err)) {
        return false;
    }
    time.offset = zone.offset;
    time.zone = zone.name;
    fx_go_time_format(run_scratch(call->run), &time, layout);
    return run_take_scratch(call->run, call->ret);
}

/* Formats a date. The local zone is UTC. */
static bool call_date(struct template_call *call) {
    return print_in(call, call->arguments[0].string, &call->arguments[1], FX_GO_UTC);
}

static bool call_date_in_zone(struct template_call *call) {
    return print_in(call, call->arguments[0].string, &call->arguments[1],
                    call->arguments[2].string);
}

#define HTML_DATE FX_TEXT("2006-01-02")

static bool call_html_date(struct template_call *call) {
    return print_in(call, HTML_DATE, &call->arguments[0], FX_GO_UTC);
}

static bool call_html_date_in_zone(struct template_call *call) {
    return print_in(call, HTML_DATE, &call->arguments[0], call->arguments[1].string);
}

static bool call_unix_epoch(struct template_call *call) {
    fx_buf_integer(run_scratch(call->run), argument_time(call, 0)->seconds);
    return run_take_scratch(call->run, call->ret);
}

/* ---- reading and changing -------------------------------------------------------- */

static bool call_must_to_date(struct template_call *call) {
    struct fx_go_time time;
    return fx_go_time_parse(call->arguments[0].string, call->arguments[1].string, &time,
                            call->err) &&
           give_time(call, time);
}

static bool call_to_date(struct template_call *call) {
    struct fx_go_time time;
    if (!fx_go_time_parse(call->arguments[0].string, call->arguments[1].string, &time,
                          NULL)) {
        time = fx_go_time_zero;
    }
    return give_time(call, time);
}

static bool call_must_date_modify(struct template_call *call) {
    int64_t nanoseconds = 0;
    return fx_go_duration_parse(call->arguments[0].string, &nanoseconds, call->err) &&
           give_time(call, fx_go_time_add(argument_time(call, 1), nanoseconds));
}

static bool call_date_modify(struct template_call *call) {
    struct fx_err ignored = FX_ERR_INIT;
    int64_t nanoseconds = 0;
    if (!fx_go_duration_parse(call->arguments[0].string, &nanoseconds, &ignored)) {
        nanoseconds = 0;
    }
    return give_time(call, fx_go_time_add(argument_time(call, 1), nanoseconds));
}

/* ---- durations ------------------------------------------------------------------- */

/* Prints seconds as a duration. A value that is neither text nor int64, such as a plain
 * literal, counts as 0. */
static bool call_duration(struct template_call *call) {
    const struct value *value = &call->arguments[0];
    int64_t seconds = 0;
    if (value->kind == VALUE_STRING) {
        (void)fx_go_parse_int(value->string, 10, &seconds); /* the nearest integer */
    } else if (value->kind == VALUE_INT64) {
        seconds = value->integer;
    }
    fx_go_duration_print(run_scratch(call->run),
                         (int64_t)((uint64_t)seconds * (uint64_t)FX_GO_SECOND));
    return run_take_scratch(call->run, call->ret);
}

#define DAY (24 * FX_GO_HOUR)

/* Prints the duration in the largest unit of which it has more than one. */
static void print_rounded(struct fx_buf *buf, uint64_t nanoseconds) {
    static const struct {
        int64_t length;
        const char *name;
    } units[] = {
        {365 * DAY, "y"},  {30 * DAY, "mo"},    {DAY, "d"},
        {FX_GO_HOUR, "h"}, {FX_GO_MINUTE, "m"}, {FX_GO_SECOND, "s"},
    };
    for (size_t i = 0; i < FX_COUNT(units); i++) {
        const uint64_t length = (uint64_t)units[i].length;
        if (nanoseconds > length) {
            fx_buf_number(buf, nanoseconds / length);
            fx_buf_str(buf, units[i].name);
            return;
        }
    }
    fx_buf_str(buf, "0s");
}

static bool call_duration_round(struct template_call *call) {
    const struct value *value = &call->arguments[0];
    struct fx_err ignored = FX_ERR_INIT;
    int64_t nanoseconds = 0;
    if (time_of(value) != NULL) {
        return fx_fail(
            call->err, FX_EMUTATE,
            "the age of a time is not available: templates cannot read the clock");
    }
    if (value->kind == VALUE_INT64) {
        nanoseconds = value->integer;
    } else if (value->kind != VALUE_STRING ||
               !fx_go_duration_parse(value->string, &nanoseconds, &ignored)) {
        nanoseconds = 0;
    }
    print_rounded(run_scratch(call->run),
                  nanoseconds < 0 ? -(uint64_t)nanoseconds : (uint64_t)nanoseconds);
    return run_take_scratch(call->run, call->ret);
}

/* The units for each byte of a layout. A byte may be an element, which costs a search and
 * the printing of a number. */
#define PRICE_OF_LAYOUT   16
#define PRICE_OF_DURATION 4

const struct function functions_dates[] = {
    FUNCTION("date", call_date, PRICE_OF_LAYOUT, STRING, ANY),
    FUNCTION("dateInZone", call_date_in_zone, PRICE_OF_LAYOUT, STRING, ANY, STRING),
    FUNCTION("date_in_zone", call_date_in_zone, PRICE_OF_LAYOUT, STRING, ANY, STRING),
    FUNCTION("dateModify", call_date_modify, PRICE_OF_DURATION, STRING, TIME),
    FUNCTION("date_modify", call_date_modify, PRICE_OF_DURATION, STRING, TIME),
    FUNCTION("mustDateModify", call_must_date_modify, PRICE_OF_DURATION, STRING, TIME),
    FUNCTION("must_date_modify", call_must_date_modify, PRICE_OF_DURATION, STRING, TIME),
    FUNCTION("duration", call_duration, PRICE_OF_DURATION, ANY),
    FUNCTION("durationRound", call_duration_round, PRICE_OF_DURATION, ANY),
    FUNCTION("htmlDate", call_html_date, PRICE_OF_LAYOUT, ANY),
    FUNCTION("htmlDateInZone", call_html_date_in_zone, PRICE_OF_LAYOUT, ANY, STRING),
    FUNCTION("toDate", call_to_date, PRICE_OF_LAYOUT, STRING, STRING),
    FUNCTION("mustToDate", call_must_to_date, PRICE_OF_LAYOUT, STRING, STRING),
    FUNCTION("unixEpoch", call_unix_epoch, 1, TIME),
    {.name = NULL},
};
