/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/dates.c - Sprig's Dates, without those that read the
 * clock: where Sprig would take the present time for what is no time, it is an error
 * here.
 */
#include "location/sprig/functions.h"

#include "location/go/strconv.h"
#include "location/go/time.h"
#include "location/sprig/convert.h"
#include "location/sprig/zone.h"

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

/* Since 1970, in parts of a second. */
static int64_t count(const struct fx_go_time *time, int64_t per_second) {
    const uint64_t whole = (uint64_t)time->seconds * (uint64_t)per_second;
    return (int64_t)(whole + (uint64_t)(time->nanoseconds / (FX_GO_SECOND / per_second)));
}

static bool is_zero(const struct fx_go_time *time) {
    return time->seconds == fx_go_time_zero.seconds && time->nanoseconds == 0;
}

/* The methods of time.Time that take nothing and give a number or a bool. */
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
        {"UnixMilli", value_int64(count(time, 1000))},
        {"UnixMicro", value_int64(count(time, 1000000))},
        {"UnixNano", value_int64(count(time, FX_GO_SECOND))},
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

/* ---- arguments and results -----------------------------------------------------------
 */

/* The time that the value is; NULL where it is none. */
static const struct fx_go_time *time_of(const struct value *value) {
    const bool is_time = value->kind == VALUE_OBJECT && value->object.type == &time_type;
    return is_time ? value->object.data : NULL;
}

/* A time, or seconds since 1970. */
static bool take_time(struct call *call, const struct value *value,
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
                   "a value of type %s is no time, and the clock, which would be taken "
                   "instead, may not be read; use `toDate`, or `int` for seconds",
                   value_type_name(value));
}

static bool give_time(struct call *call, struct fx_go_time time) {
    struct fx_go_time *copy = run_alloc(call->run, sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    *copy = time;
    *call->ret = value_object(&time_type, copy);
    return true;
}

/* ---- printing ------------------------------------------------------------------------
 */

static bool print_in(struct call *call, struct fx_text layout, const struct value *value,
                     struct fx_text zone_name) {
    struct fx_go_time time;
    struct zone zone;
    if (!take_time(call, value, &time) || !zone_find(zone_name, &zone, call->err)) {
        return false;
    }
    time.offset = zone.offset;
    time.zone = zone.name;
    fx_go_time_format(run_scratch(call->run), &time, layout);
    return run_take_scratch(call->run, call->ret);
}

/* The server's zone is UTC here. */
static bool call_date(struct call *call) {
    return print_in(call, call->arguments[0].string, &call->arguments[1], FX_GO_UTC);
}

static bool call_date_in_zone(struct call *call) {
    return print_in(call, call->arguments[0].string, &call->arguments[1],
                    call->arguments[2].string);
}

#define HTML_DATE FX_TEXT("2006-01-02")

static bool call_html_date(struct call *call) {
    return print_in(call, HTML_DATE, &call->arguments[0], FX_GO_UTC);
}

static bool call_html_date_in_zone(struct call *call) {
    return print_in(call, HTML_DATE, &call->arguments[0], call->arguments[1].string);
}

static bool call_unix_epoch(struct call *call) {
    fx_buf_integer(run_scratch(call->run), time_of(&call->arguments[0])->seconds);
    return run_take_scratch(call->run, call->ret);
}

/* ---- reading and changing -------------------------------------------------------------
 */

static bool call_must_to_date(struct call *call) {
    struct fx_go_time time;
    return fx_go_time_parse(call->arguments[0].string, call->arguments[1].string, &time,
                            call->err) &&
           give_time(call, time);
}

static bool call_to_date(struct call *call) {
    struct fx_go_time time;
    if (!fx_go_time_parse(call->arguments[0].string, call->arguments[1].string, &time,
                          NULL)) {
        time = fx_go_time_zero;
    }
    return give_time(call, time);
}

static bool call_must_date_modify(struct call *call) {
    int64_t nanoseconds = 0;
    return fx_go_duration_parse(call->arguments[0].string, &nanoseconds, call->err) &&
           give_time(call, fx_go_time_add(time_of(&call->arguments[1]), nanoseconds));
}

static bool call_date_modify(struct call *call) {
    struct fx_err ignored = FX_ERR_INIT;
    int64_t nanoseconds = 0;
    if (!fx_go_duration_parse(call->arguments[0].string, &nanoseconds, &ignored)) {
        nanoseconds = 0;
    }
    return give_time(call, fx_go_time_add(time_of(&call->arguments[1]), nanoseconds));
}

/* ---- durations
 * ------------------------------------------------------------------------- */

/* Seconds; what is neither text nor int64, also a plain literal, counts as none. */
static bool call_duration(struct call *call) {
    const struct value *value = &call->arguments[0];
    int64_t seconds = 0;
    if (value->kind == VALUE_STRING) {
        (void)fx_go_parse_int(value->string, 10, &seconds); /* the nearest */
    } else if (value->kind == VALUE_INT64) {
        seconds = value->integer;
    }
    fx_go_duration_print(run_scratch(call->run),
                         (int64_t)((uint64_t)seconds * (uint64_t)FX_GO_SECOND));
    return run_take_scratch(call->run, call->ret);
}

#define DAY (24 * FX_GO_HOUR)

/* The largest unit that is not below it; exactly one is not enough. */
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

static bool call_duration_round(struct call *call) {
    const struct value *value = &call->arguments[0];
    struct fx_err ignored = FX_ERR_INIT;
    int64_t nanoseconds = 0;
    if (time_of(value) != NULL) {
        return fx_fail(call->err, FX_EMUTATE,
                       "how long ago a time was cannot be told: the clock may not be "
                       "read");
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

/* ---- the table ------------------------------------------------------------------------
 */

#define ANY       {PARAMETER_ANY, PARAMETER_NONE}
#define TIME      {PARAMETER_TIME, PARAMETER_NONE}
#define TEXT_TIME {PARAMETER_STRING, PARAMETER_TIME, PARAMETER_NONE}
#define TEXT_ANY  {PARAMETER_STRING, PARAMETER_ANY, PARAMETER_NONE}
#define TEXT_TEXT {PARAMETER_STRING, PARAMETER_STRING, PARAMETER_NONE}
#define IN_ZONE   {PARAMETER_STRING, PARAMETER_ANY, PARAMETER_STRING, PARAMETER_NONE}

/* A byte of a layout may be an element, which is looked up, and printed as a number. */
#define PRICE_OF_LAYOUT   16
#define PRICE_OF_DURATION 4

const struct function functions_dates[] = {
    {.name = "date", .call = call_date, .price = PRICE_OF_LAYOUT, .parameters = TEXT_ANY},
    {.name = "dateInZone",
     .call = call_date_in_zone,
     .price = PRICE_OF_LAYOUT,
     .parameters = IN_ZONE},
    {.name = "date_in_zone",
     .call = call_date_in_zone,
     .price = PRICE_OF_LAYOUT,
     .parameters = IN_ZONE},
    {.name = "dateModify",
     .call = call_date_modify,
     .price = PRICE_OF_DURATION,
     .parameters = TEXT_TIME},
    {.name = "date_modify",
     .call = call_date_modify,
     .price = PRICE_OF_DURATION,
     .parameters = TEXT_TIME},
    {.name = "mustDateModify",
     .call = call_must_date_modify,
     .price = PRICE_OF_DURATION,
     .parameters = TEXT_TIME},
    {.name = "must_date_modify",
     .call = call_must_date_modify,
     .price = PRICE_OF_DURATION,
     .parameters = TEXT_TIME},
    {.name = "duration",
     .call = call_duration,
     .price = PRICE_OF_DURATION,
     .parameters = ANY},
    {.name = "durationRound",
     .call = call_duration_round,
     .price = PRICE_OF_DURATION,
     .parameters = ANY},
    {.name = "htmlDate",
     .call = call_html_date,
     .price = PRICE_OF_LAYOUT,
     .parameters = ANY},
    {.name = "htmlDateInZone",
     .call = call_html_date_in_zone,
     .price = PRICE_OF_LAYOUT,
     .parameters = {PARAMETER_ANY, PARAMETER_STRING, PARAMETER_NONE}},
    {.name = "toDate",
     .call = call_to_date,
     .price = PRICE_OF_LAYOUT,
     .parameters = TEXT_TEXT},
    {.name = "mustToDate",
     .call = call_must_to_date,
     .price = PRICE_OF_LAYOUT,
     .parameters = TEXT_TEXT},
    {.name = "unixEpoch", .call = call_unix_epoch, .parameters = TIME},
    {.name = NULL},
};
