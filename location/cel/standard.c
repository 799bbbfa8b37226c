/* SPDX-License-Identifier: Apache-2.0
 *
 * standard.c - the table of CEL's standard functions (spec/cel.md section 7), in cel-go's
 * order: with arguments of free types the first overload that fits decides.
 *
 * Implemented in: size, contains, startsWith, endsWith, matches: texts.c; the
 * conversions, type and dyn: convert.c; the accessors of times and durations: time.c
 * with zone.c.
 */
#include "location/cel/function.h"

/* An overload of a global function with one or two arguments; a conversion, which is
 * folded if its argument is constant; a method without or with an argument. */
#define UNARY(function_, a, result_, call_, cost_) \
    {                                              \
        .function = (function_),                   \
        .n_args = 1,                               \
        .args = {&(a)},                            \
        .result = &(result_),                      \
        .call = (call_),                           \
        .cost = (cost_),                           \
    }
#define BINARY(function_, a, b, result_, call_, cost_) \
    {                                                  \
        .function = (function_),                       \
        .n_args = 2,                                   \
        .args = {&(a), &(b)},                          \
        .result = &(result_),                          \
        .call = (call_),                               \
        .cost = (cost_),                               \
    }
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

const struct fx_cel_overload fx_cel_standard[] = {
    /* sizes */
    UNARY("size", fx_cel_bytes, fx_cel_int, NULL, NULL),
    METHOD0("size", fx_cel_bytes, fx_cel_int, NULL, NULL),
    UNARY("size", fx_cel_list_t, fx_cel_int, NULL, NULL),
    METHOD0("size", fx_cel_list_t, fx_cel_int, NULL, NULL),
    UNARY("size", fx_cel_map_kv, fx_cel_int, NULL, NULL),
    METHOD0("size", fx_cel_map_kv, fx_cel_int, NULL, NULL),
    UNARY("size", fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("size", fx_cel_string, fx_cel_int, NULL, NULL),

    /* types and conversions */
    UNARY("type", fx_cel_t, fx_cel_type_t, NULL, NULL),
    CONVERSION("bool", fx_cel_bool, fx_cel_bool, NULL, NULL),
    CONVERSION("bool", fx_cel_string, fx_cel_bool, NULL, NULL),
    CONVERSION("bytes", fx_cel_bytes, fx_cel_bytes, NULL, NULL),
    CONVERSION("bytes", fx_cel_string, fx_cel_bytes, NULL, NULL),
    CONVERSION("double", fx_cel_double, fx_cel_double, NULL, NULL),
    CONVERSION("double", fx_cel_int, fx_cel_double, NULL, NULL),
    CONVERSION("double", fx_cel_string, fx_cel_double, NULL, NULL),
    CONVERSION("double", fx_cel_uint, fx_cel_double, NULL, NULL),
    CONVERSION("duration", fx_cel_duration, fx_cel_duration, NULL, NULL),
    CONVERSION("duration", fx_cel_int, fx_cel_duration, NULL, NULL),
    CONVERSION("duration", fx_cel_string, fx_cel_duration, NULL, NULL),
    CONVERSION("dyn", fx_cel_t, fx_cel_dyn, NULL, NULL),
    CONVERSION("int", fx_cel_int, fx_cel_int, NULL, NULL),
    CONVERSION("int", fx_cel_double, fx_cel_int, NULL, NULL),
    CONVERSION("int", fx_cel_duration, fx_cel_int, NULL, NULL),
    CONVERSION("int", fx_cel_string, fx_cel_int, NULL, NULL),
    CONVERSION("int", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    CONVERSION("int", fx_cel_uint, fx_cel_int, NULL, NULL),
    CONVERSION("string", fx_cel_string, fx_cel_string, NULL, NULL),
    CONVERSION("string", fx_cel_bool, fx_cel_string, NULL, NULL),
    CONVERSION("string", fx_cel_bytes, fx_cel_string, NULL, NULL),
    CONVERSION("string", fx_cel_double, fx_cel_string, NULL, NULL),
    CONVERSION("string", fx_cel_duration, fx_cel_string, NULL, NULL),
    CONVERSION("string", fx_cel_int, fx_cel_string, NULL, NULL),
    CONVERSION("string", fx_cel_timestamp, fx_cel_string, NULL, NULL),
    CONVERSION("string", fx_cel_uint, fx_cel_string, NULL, NULL),
    CONVERSION("timestamp", fx_cel_timestamp, fx_cel_timestamp, NULL, NULL),
    CONVERSION("timestamp", fx_cel_int, fx_cel_timestamp, NULL, NULL),
    CONVERSION("timestamp", fx_cel_string, fx_cel_timestamp, NULL, NULL),
    CONVERSION("uint", fx_cel_uint, fx_cel_uint, NULL, NULL),
    CONVERSION("uint", fx_cel_double, fx_cel_uint, NULL, NULL),
    CONVERSION("uint", fx_cel_int, fx_cel_uint, NULL, NULL),
    CONVERSION("uint", fx_cel_string, fx_cel_uint, NULL, NULL),

    /* strings */
    METHOD1("contains", fx_cel_string, fx_cel_string, fx_cel_bool, NULL, NULL),
    METHOD1("endsWith", fx_cel_string, fx_cel_string, fx_cel_bool, NULL, NULL),
    BINARY("matches", fx_cel_string, fx_cel_string, fx_cel_bool, NULL, NULL),
    METHOD1("matches", fx_cel_string, fx_cel_string, fx_cel_bool, NULL, NULL),
    METHOD1("startsWith", fx_cel_string, fx_cel_string, fx_cel_bool, NULL, NULL),

    /* times */
    METHOD0("getFullYear", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getFullYear", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getMonth", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getMonth", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getDayOfYear", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getDayOfYear", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getDayOfMonth", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getDayOfMonth", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getDate", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getDate", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getDayOfWeek", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getDayOfWeek", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getHours", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getHours", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getHours", fx_cel_duration, fx_cel_int, NULL, NULL),
    METHOD0("getMinutes", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getMinutes", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getMinutes", fx_cel_duration, fx_cel_int, NULL, NULL),
    METHOD0("getSeconds", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getSeconds", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getSeconds", fx_cel_duration, fx_cel_int, NULL, NULL),
    METHOD0("getMilliseconds", fx_cel_timestamp, fx_cel_int, NULL, NULL),
    METHOD1("getMilliseconds", fx_cel_timestamp, fx_cel_string, fx_cel_int, NULL, NULL),
    METHOD0("getMilliseconds", fx_cel_duration, fx_cel_int, NULL, NULL),

    {.function = NULL},
};
