/* SPDX-License-Identifier: Apache-2.0
 *
 * standard.c - the table of CEL's standard functions (spec/cel.md section 7), in cel-go's
 * order: with arguments of free types the first overload that fits decides.
 *
 * Implemented in: size, contains, startsWith, endsWith, matches: texts.c; the
 * conversions, type and dyn: convert.c; the accessors of times and durations: time.c
 * with zone.c.
 */
#include "location/cel/functions.h"

/* A conversion, which is folded if its argument is constant; a method without or with an
 * argument. */
#define CONVERSION(function_, a, result_, call_, cost_) \
    {                                                   \
        .function = (function_),                        \
        .n_args = 1,                                    \
        .args = {&(a)},                                 \
        .result = &(result_),                           \
        .call = (call_),                                \
        .cost = (cost_),                                \
        .folds = true,                                  \
    }
#define METHOD0(function_, a, result_, call_, cost_) \
    {                                                \
        .function = (function_),                     \
        .is_member = true,                           \
        .n_args = 1,                                 \
        .args = {&(a)},                              \
        .result = &(result_),                        \
        .call = (call_),                             \
        .cost = (cost_),                             \
    }
#define METHOD1(function_, a, b, result_, call_, cost_) \
    {                                                   \
        .function = (function_),                        \
        .is_member = true,                              \
        .n_args = 2,                                    \
        .args = {&(a), &(b)},                           \
        .result = &(result_),                           \
        .call = (call_),                                \
        .cost = (cost_),                                \
    }

/* size(), global or a method; a test of a string with another one. */
#define SIZE(arguments)        \
    {                          \
        .function = "size",    \
        arguments,             \
        .result = &fx_cel_int, \
        .call = fx_cel_size,   \
        .takes_all = true,     \
    }
#define TEST(function_, arguments, call_, cost_, pattern) \
    {                                                     \
        .function = (function_),                          \
        arguments(&fx_cel_string, &fx_cel_string),        \
        .result = &fx_cel_bool,                           \
        .call = (call_),                                  \
        .cost = (cost_),                                  \
        .takes_all = true,                                \
        .regex_argument = (pattern),                      \
    }

const struct fx_cel_overload fx_cel_standard[] = {
    /* sizes */
    SIZE(FX_CEL_FUNCTION(&fx_cel_bytes)),
    SIZE(FX_CEL_METHOD(&fx_cel_bytes)),
    SIZE(FX_CEL_FUNCTION(&fx_cel_list_t)),
    SIZE(FX_CEL_METHOD(&fx_cel_list_t)),
    SIZE(FX_CEL_FUNCTION(&fx_cel_map_kv)),
    SIZE(FX_CEL_METHOD(&fx_cel_map_kv)),
    SIZE(FX_CEL_FUNCTION(&fx_cel_string)),
    SIZE(FX_CEL_METHOD(&fx_cel_string)),

    /* types and conversions */
    CONVERSION("type", fx_cel_t, fx_cel_type_t, fx_cel_type_call, NULL),
    CONVERSION("bool", fx_cel_bool, fx_cel_bool, fx_cel_to_itself, NULL),
    CONVERSION("bool", fx_cel_string, fx_cel_bool, fx_cel_bool_of_string, NULL),
    CONVERSION("bytes", fx_cel_bytes, fx_cel_bytes, fx_cel_to_itself, NULL),
    CONVERSION("bytes", fx_cel_string, fx_cel_bytes, fx_cel_bytes_of_string,
               fx_cel_argument_cost),
    CONVERSION("double", fx_cel_double, fx_cel_double, fx_cel_to_itself, NULL),
    CONVERSION("double", fx_cel_int, fx_cel_double, fx_cel_double_of_int, NULL),
    CONVERSION("double", fx_cel_string, fx_cel_double, fx_cel_double_of_string, NULL),
    CONVERSION("double", fx_cel_uint, fx_cel_double, fx_cel_double_of_uint, NULL),
    CONVERSION("duration", fx_cel_duration, fx_cel_duration, fx_cel_to_itself, NULL),
    CONVERSION("duration", fx_cel_int, fx_cel_duration, fx_cel_duration_of_int, NULL),
    CONVERSION("duration", fx_cel_string, fx_cel_duration, fx_cel_duration_of_string,
               NULL),
    CONVERSION("dyn", fx_cel_t, fx_cel_dyn, fx_cel_to_itself, NULL),
    CONVERSION("int", fx_cel_int, fx_cel_int, fx_cel_to_itself, NULL),
    CONVERSION("int", fx_cel_double, fx_cel_int, fx_cel_int_of_double, NULL),
    CONVERSION("int", fx_cel_duration, fx_cel_int, fx_cel_int_of_duration, NULL),
    CONVERSION("int", fx_cel_string, fx_cel_int, fx_cel_int_of_string, NULL),
    CONVERSION("int", fx_cel_timestamp, fx_cel_int, fx_cel_int_of_timestamp, NULL),
    CONVERSION("int", fx_cel_uint, fx_cel_int, fx_cel_int_of_uint, NULL),
    CONVERSION("string", fx_cel_string, fx_cel_string, fx_cel_to_itself, NULL),
    CONVERSION("string", fx_cel_bool, fx_cel_string, fx_cel_string_of_bool, NULL),
    CONVERSION("string", fx_cel_bytes, fx_cel_string, fx_cel_string_of_bytes,
               fx_cel_argument_cost),
    CONVERSION("string", fx_cel_double, fx_cel_string, fx_cel_string_of_double, NULL),
    CONVERSION("string", fx_cel_duration, fx_cel_string, fx_cel_string_of_duration, NULL),
    CONVERSION("string", fx_cel_int, fx_cel_string, fx_cel_string_of_int, NULL),
    CONVERSION("string", fx_cel_timestamp, fx_cel_string, fx_cel_string_of_timestamp,
               NULL),
    CONVERSION("string", fx_cel_uint, fx_cel_string, fx_cel_string_of_uint, NULL),
    CONVERSION("timestamp", fx_cel_timestamp, fx_cel_timestamp, fx_cel_to_itself, NULL),
    CONVERSION("timestamp", fx_cel_int, fx_cel_timestamp, fx_cel_timestamp_of_int, NULL),
    CONVERSION("timestamp", fx_cel_string, fx_cel_timestamp, fx_cel_timestamp_of_string,
               NULL),
    CONVERSION("uint", fx_cel_uint, fx_cel_uint, fx_cel_to_itself, NULL),
    CONVERSION("uint", fx_cel_double, fx_cel_uint, fx_cel_uint_of_double, NULL),
    CONVERSION("uint", fx_cel_int, fx_cel_uint, fx_cel_uint_of_int, NULL),
    CONVERSION("uint", fx_cel_string, fx_cel_uint, fx_cel_uint_of_string, NULL),

    /* strings */
    TEST("contains", FX_CEL_METHOD, fx_cel_contains, fx_cel_contains_cost, 0),
    TEST("endsWith", FX_CEL_METHOD, fx_cel_ends_with, fx_cel_argument_cost, 0),
    TEST("matches", FX_CEL_FUNCTION, fx_cel_matches, fx_cel_matches_cost, 2),
    TEST("matches", FX_CEL_METHOD, fx_cel_matches, fx_cel_matches_cost, 2),
    TEST("startsWith", FX_CEL_METHOD, fx_cel_starts_with, fx_cel_argument_cost, 0),

    /* times */
    METHOD0("getFullYear", fx_cel_timestamp, fx_cel_int, fx_cel_get_full_year, NULL),
    METHOD1("getFullYear", fx_cel_timestamp, fx_cel_string, fx_cel_int,
            fx_cel_get_full_year_in, NULL),
    METHOD0("getMonth", fx_cel_timestamp, fx_cel_int, fx_cel_get_month, NULL),
    METHOD1("getMonth", fx_cel_timestamp, fx_cel_string, fx_cel_int, fx_cel_get_month_in,
            NULL),
    METHOD0("getDayOfYear", fx_cel_timestamp, fx_cel_int, fx_cel_get_day_of_year, NULL),
    METHOD1("getDayOfYear", fx_cel_timestamp, fx_cel_string, fx_cel_int,
            fx_cel_get_day_of_year_in, NULL),
    METHOD0("getDayOfMonth", fx_cel_timestamp, fx_cel_int, fx_cel_get_day_of_month, NULL),
    METHOD1("getDayOfMonth", fx_cel_timestamp, fx_cel_string, fx_cel_int,
            fx_cel_get_day_of_month_in, NULL),
    METHOD0("getDate", fx_cel_timestamp, fx_cel_int, fx_cel_get_date, NULL),
    METHOD1("getDate", fx_cel_timestamp, fx_cel_string, fx_cel_int, fx_cel_get_date_in,
            NULL),
    METHOD0("getDayOfWeek", fx_cel_timestamp, fx_cel_int, fx_cel_get_day_of_week, NULL),
    METHOD1("getDayOfWeek", fx_cel_timestamp, fx_cel_string, fx_cel_int,
            fx_cel_get_day_of_week_in, NULL),
    METHOD0("getHours", fx_cel_timestamp, fx_cel_int, fx_cel_get_hours, NULL),
    METHOD1("getHours", fx_cel_timestamp, fx_cel_string, fx_cel_int, fx_cel_get_hours_in,
            NULL),
    METHOD0("getHours", fx_cel_duration, fx_cel_int, fx_cel_duration_hours, NULL),
    METHOD0("getMinutes", fx_cel_timestamp, fx_cel_int, fx_cel_get_minutes, NULL),
    METHOD1("getMinutes", fx_cel_timestamp, fx_cel_string, fx_cel_int,
            fx_cel_get_minutes_in, NULL),
    METHOD0("getMinutes", fx_cel_duration, fx_cel_int, fx_cel_duration_minutes, NULL),
    METHOD0("getSeconds", fx_cel_timestamp, fx_cel_int, fx_cel_get_seconds, NULL),
    METHOD1("getSeconds", fx_cel_timestamp, fx_cel_string, fx_cel_int,
            fx_cel_get_seconds_in, NULL),
    METHOD0("getSeconds", fx_cel_duration, fx_cel_int, fx_cel_duration_seconds, NULL),
    METHOD0("getMilliseconds", fx_cel_timestamp, fx_cel_int, fx_cel_get_milliseconds,
            NULL),
    METHOD1("getMilliseconds", fx_cel_timestamp, fx_cel_string, fx_cel_int,
            fx_cel_get_milliseconds_in, NULL),
    METHOD0("getMilliseconds", fx_cel_duration, fx_cel_int, fx_cel_duration_milliseconds,
            NULL),

    {.function = NULL},
};
