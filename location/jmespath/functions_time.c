/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_time.c - Kyverno's functions of times. They are strings of
 * RFC 3339, also in results, which have no fractions of a second.
 */
#include "base/date.h"
#include "base/strconv.h"
#include "location/go/time.h"
#include "location/jmespath/functions.h"
#include "location/jmespath/operand.h"

#define RFC_3339 FX_TEXT("2006-01-02T15:04:05Z07:00")

#define BYTES_OF_A_TIME_UNIT 2u /* layouts are searched byte by byte for elements */

/* ---- arguments and results --------------------------------------------------------- */

static bool parse_time(struct fx_text layout, struct fx_text text,
                       struct fx_go_time *ret_time, struct fx_err *err) {
    if (!fx_spend(16 + (layout.len + text.len) / BYTES_OF_A_TIME_UNIT)) {
        return fx_fail_exceeded(err);
    }
    return fx_go_time_parse(layout, text, ret_time, err) || jmespath_fail_argument(err);
}

static bool read_time(const struct fx_jmespath_call *call, size_t i,
                      struct fx_go_time *ret_time, struct fx_err *err) {
    return parse_time(RFC_3339, jmespath_argument_text(call, i), ret_time, err);
}

static bool read_duration(const struct fx_jmespath_call *call, size_t i,
                          int64_t *ret_nanoseconds, struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, i);
    if (!fx_spend(1 + text.len / BYTES_OF_A_TIME_UNIT)) {
        return fx_fail_exceeded(err);
    }
    return fx_go_duration_parse(text, ret_nanoseconds, err) ||
           jmespath_fail_argument(err);
}

static bool give_time(const struct fx_go_time *time, json_t **ret_value,
                      struct fx_err *err) {
    struct fx_buf buf;
    jmespath_result_init(&buf);
    fx_go_time_format(&buf, time, RFC_3339);
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

static struct fx_go_time in_utc(const struct fx_go_time *time) {
    return (struct fx_go_time){time->seconds, time->nanoseconds, 0, FX_GO_UTC};
}

static struct fx_go_time time_of_seconds(int64_t seconds) {
    return (struct fx_go_time){.seconds = seconds, .zone = FX_GO_UTC};
}

/* ---- the clock --------------------------------------------------------------------- */

/* For time_now(), too: Fixpoint has no zone of its own. */
static bool call_time_now(const struct fx_jmespath_call *call, json_t **ret_value,
                          struct fx_err *err) {
    const struct fx_go_time now = time_of_seconds(fx_date_now());
    (void)call;
    return give_time(&now, ret_value, err);
}

/* An empty layout is RFC 3339; an empty second time is the present. */
static bool call_time_since(const struct fx_jmespath_call *call, json_t **ret_value,
                            struct fx_err *err) {
    const struct fx_text given = jmespath_argument_text(call, 0);
    const struct fx_text layout = given.len == 0 ? RFC_3339 : given;
    const struct fx_text end = jmespath_argument_text(call, 2);
    struct fx_go_time from;
    struct fx_go_time to = time_of_seconds(fx_date_now());
    return parse_time(layout, jmespath_argument_text(call, 1), &from, err) &&
           (end.len == 0 || parse_time(layout, end, &to, err)) &&
           jmespath_operand_give_duration(fx_go_time_subtract(&to, &from), ret_value,
                                          err);
}

/* ---- one time ---------------------------------------------------------------------- */

/* A layout that is an integer says that the text has the seconds since 1970. */
static bool call_time_parse(const struct fx_jmespath_call *call, json_t **ret_value,
                            struct fx_err *err) {
    const struct fx_text layout = jmespath_argument_text(call, 0);
    const struct fx_text text = jmespath_argument_text(call, 1);
    struct fx_go_time time;
    int64_t seconds = 0;
    if (fx_go_parse_int(layout, 10, &seconds) == FX_GO_NUMBER) {
        if (fx_go_parse_int(text, 10, &seconds) != FX_GO_NUMBER) {
            return fx_fail_quoted(err, FX_EINVALID, "invalid number of seconds: ", text,
                                  "");
        }
        time = time_of_seconds(seconds);
    } else if (!parse_time(layout, text, &time, err)) {
        return false;
    }
    return give_time(&time, ret_value, err);
}

static bool call_time_utc(const struct fx_jmespath_call *call, json_t **ret_value,
                          struct fx_err *err) {
    struct fx_go_time time;
    if (!read_time(call, 0, &time, err)) {
        return false;
    }
    time = in_utc(&time);
    return give_time(&time, ret_value, err);
}

static bool call_time_to_cron(const struct fx_jmespath_call *call, json_t **ret_value,
                              struct fx_err *err) {
    struct fx_go_time time;
    struct fx_go_time_parts parts;
    struct fx_buf buf;
    if (!read_time(call, 0, &time, err)) {
        return false;
    }
    fx_go_time_split(&time, &parts);
    jmespath_result_init(&buf);
    fx_buf_printf(&buf, "%d %d %d %d %d", parts.minute, parts.hour, parts.day,
                  parts.month, parts.weekday);
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

/* ---- times and durations ----------------------------------------------------------- */

static bool call_time_add(const struct fx_jmespath_call *call, json_t **ret_value,
                          struct fx_err *err) {
    struct fx_go_time time;
    int64_t duration = 0;
    if (!read_time(call, 0, &time, err) || !read_duration(call, 1, &duration, err)) {
        return false;
    }
    time = fx_go_time_add(&time, duration);
    return give_time(&time, ret_value, err);
}

static bool call_time_truncate(const struct fx_jmespath_call *call, json_t **ret_value,
                               struct fx_err *err) {
    struct fx_go_time time;
    int64_t duration = 0;
    if (!read_time(call, 0, &time, err) || !read_duration(call, 1, &duration, err)) {
        return false;
    }
    time = fx_go_time_truncate(&time, duration);
    return give_time(&time, ret_value, err);
}

static bool call_time_diff(const struct fx_jmespath_call *call, json_t **ret_value,
                           struct fx_err *err) {
    struct fx_go_time from;
    struct fx_go_time to;
    return read_time(call, 0, &from, err) && read_time(call, 1, &to, err) &&
           jmespath_operand_give_duration(fx_go_time_subtract(&to, &from), ret_value,
                                          err);
}

/* ---- order ------------------------------------------------------------------------- */

static bool read_order(const struct fx_jmespath_call *call, int *ret_order,
                       struct fx_err *err) {
    struct fx_go_time a;
    struct fx_go_time b;
    if (!read_time(call, 0, &a, err) || !read_time(call, 1, &b, err)) {
        return false;
    }
    *ret_order = fx_go_time_compare(&a, &b);
    return true;
}

static bool call_time_before(const struct fx_jmespath_call *call, json_t **ret_value,
                             struct fx_err *err) {
    int order = 0;
    return read_order(call, &order, err) &&
           fx_jmespath_give_boolean(order < 0, ret_value, err);
}

static bool call_time_after(const struct fx_jmespath_call *call, json_t **ret_value,
                            struct fx_err *err) {
    int order = 0;
    return read_order(call, &order, err) &&
           fx_jmespath_give_boolean(order > 0, ret_value, err);
}

static bool call_time_between(const struct fx_jmespath_call *call, json_t **ret_value,
                              struct fx_err *err) {
    struct fx_go_time time;
    struct fx_go_time start;
    struct fx_go_time end;
    return read_time(call, 0, &time, err) && read_time(call, 1, &start, err) &&
           read_time(call, 2, &end, err) &&
           fx_jmespath_give_boolean(fx_go_time_compare(&time, &start) > 0 &&
                                        fx_go_time_compare(&time, &end) < 0,
                                    ret_value, err);
}

#define TIMES_1                 {.types = FX_JMESPATH_STRING}
#define TIMES_2                 TIMES_1, TIMES_1
#define TIMES_3                 TIMES_1, TIMES_1, TIMES_1
#define CLOCK_ROW(name_, call_) {.name = (name_), .is_random = true, .call = (call_)}

const struct fx_jmespath_function fx_jmespath_time_functions[] = {
    CLOCK_ROW("time_now", call_time_now),
    CLOCK_ROW("time_now_utc", call_time_now),
    {.name = "time_since",
     .parameters = {TIMES_3},
     .is_random = true,
     .call = call_time_since},
    FX_JMESPATH_ROW("time_parse", call_time_parse, TIMES_2),
    FX_JMESPATH_ROW("time_utc", call_time_utc, TIMES_1),
    FX_JMESPATH_ROW("time_to_cron", call_time_to_cron, TIMES_1),
    FX_JMESPATH_ROW("time_add", call_time_add, TIMES_2),
    FX_JMESPATH_ROW("time_truncate", call_time_truncate, TIMES_2),
    FX_JMESPATH_ROW("time_diff", call_time_diff, TIMES_2),
    FX_JMESPATH_ROW("time_before", call_time_before, TIMES_2),
    FX_JMESPATH_ROW("time_after", call_time_after, TIMES_2),
    FX_JMESPATH_ROW("time_between", call_time_between, TIMES_3),
    {.name = NULL},
};
