/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/functions.h - the functions of the standard library (standard.c), and
 * what the files that implement functions share. Private to the rooms of CEL.
 */
#ifndef FX_LOCATION_CEL_FUNCTIONS_H
#define FX_LOCATION_CEL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/cel/function.h"

struct fx_regex;

/* Spends for the work on a text of so many bytes. False: fx_cel_exceeded(). */
static inline bool fx_cel_spend_bytes(size_t bytes) {
    return fx_spend(bytes / FX_BUDGET_BYTES + 1);
}

/* Are the receiver and the argument strings? */
static inline bool fx_cel_are_strings(const struct fx_cel_value *args) {
    return args[0].kind == FX_CEL_STRING && args[1].kind == FX_CEL_STRING;
}

/* The first second of year 1, which is Go's zero time, and the last one of year 9999. */
#define FX_CEL_FIRST_SECOND INT64_C(-62135596800)
#define FX_CEL_LAST_SECOND  INT64_C(253402300799)

/* ---- convert.c: conversions (spec/cel.md sections 4 and 10) -------------------------
 */

fx_cel_call fx_cel_to_itself; /* int(int), dyn(T) and the like */
fx_cel_call fx_cel_type_call;
fx_cel_call fx_cel_bool_of_string;
fx_cel_call fx_cel_bytes_of_string;
fx_cel_call fx_cel_double_of_int, fx_cel_double_of_uint, fx_cel_double_of_string;
fx_cel_call fx_cel_int_of_double, fx_cel_int_of_duration, fx_cel_int_of_string,
    fx_cel_int_of_timestamp, fx_cel_int_of_uint;
fx_cel_call fx_cel_uint_of_double, fx_cel_uint_of_int, fx_cel_uint_of_string;
fx_cel_call fx_cel_string_of_bool, fx_cel_string_of_bytes, fx_cel_string_of_double,
    fx_cel_string_of_duration, fx_cel_string_of_int, fx_cel_string_of_timestamp,
    fx_cel_string_of_uint;
fx_cel_call fx_cel_duration_of_int, fx_cel_duration_of_string;
fx_cel_call fx_cel_timestamp_of_int, fx_cel_timestamp_of_string;

/* c(len) of the argument: bytes(string), string(bytes). */
fx_cel_call_cost fx_cel_argument_cost;

/* Reads an RFC 3339 time; false for any other text, and for a time outside of the years
 * 1 to 9999 (*ret_is_outside). */
bool fx_cel_timestamp_parse(struct fx_text text, struct fx_cel_value *ret_timestamp,
                            bool *ret_is_outside) FX_MUST_USE;

/* Reads a duration as Go writes it: "1h30m", "-1.5s". */
bool fx_cel_duration_parse(struct fx_text text,
                           struct fx_cel_value *ret_duration) FX_MUST_USE;

/* Is the time in the years 1 to 9999? */
bool fx_cel_is_timestamp(int64_t seconds);

/* Append the value as string() does. */
void fx_cel_print_timestamp(struct fx_buf *buf, struct fx_cel_value timestamp);
void fx_cel_print_duration(struct fx_buf *buf, int64_t nanoseconds);
void fx_cel_print_double(struct fx_buf *buf, double real);

/* "type conversion error from 'string' to 'int'". */
struct fx_cel_value fx_cel_fail_conversion(struct fx_cel_run *run,
                                           struct fx_cel_value from, const char *to);

/* ---- texts.c: strings, and sizes ----------------------------------------------------
 */

fx_cel_call fx_cel_size, fx_cel_contains, fx_cel_starts_with, fx_cel_ends_with,
    fx_cel_matches;
fx_cel_call_cost fx_cel_contains_cost, fx_cel_matches_cost;

/* Compiles a regular expression of CEL: as base/regex.h, and `(?<name>…)`, too. A
 * pattern that is invalid has Go's message: "error parsing regexp: missing closing ):
 * `(a`". */
bool fx_cel_regex_compile(struct fx_text pattern, struct fx_regex **ret_regex,
                          struct fx_err *err) FX_MUST_USE;

/* The error value of an error of base/regex.h. */
struct fx_cel_value fx_cel_fail_regex(struct fx_cel_run *run, const struct fx_err *err);

/* The regular expression of a call: that of the program, if it is constant, or its
 * own. */
struct fx_cel_pattern {
    const struct fx_regex *regex;
    struct fx_regex *own;
};

/* Takes run->regex, or compiles the pattern; finish it with the next function. False with
 * *ret_failure set. */
bool fx_cel_pattern_init(struct fx_cel_pattern *pattern, struct fx_cel_run *run,
                         struct fx_text text,
                         struct fx_cel_value *ret_failure) FX_MUST_USE;
void fx_cel_pattern_finish(struct fx_cel_pattern *pattern);

/* ---- time.c: the accessors of times and durations; zone.c ----------------------------
 */

fx_cel_call fx_cel_get_full_year, fx_cel_get_month, fx_cel_get_day_of_year,
    fx_cel_get_day_of_month, fx_cel_get_date, fx_cel_get_day_of_week, fx_cel_get_hours,
    fx_cel_get_minutes, fx_cel_get_seconds, fx_cel_get_milliseconds;
/* With a zone as the argument. */
fx_cel_call fx_cel_get_full_year_in, fx_cel_get_month_in, fx_cel_get_day_of_year_in,
    fx_cel_get_day_of_month_in, fx_cel_get_date_in, fx_cel_get_day_of_week_in,
    fx_cel_get_hours_in, fx_cel_get_minutes_in, fx_cel_get_seconds_in,
    fx_cel_get_milliseconds_in;
fx_cel_call fx_cel_duration_hours, fx_cel_duration_minutes, fx_cel_duration_seconds,
    fx_cel_duration_milliseconds;

enum fx_cel_zone_found { FX_CEL_ZONE_FOUND, FX_CEL_ZONE_UNKNOWN, FX_CEL_ZONE_NO_MEMORY };

/* Finds the offset from UTC, in seconds, that the IANA zone of this name has at this
 * time. The one function of the languages that reads files: those of the time zone
 * database, each once; the zones are kept, and nothing else is read. Any thread may call
 * it. */
enum fx_cel_zone_found fx_cel_zone_offset(struct fx_text name, int64_t seconds,
                                          int32_t *ret_offset) FX_MUST_USE;

#endif
