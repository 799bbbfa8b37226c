/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.c - conversions between the types of scalars (spec/cel.md sections 4 and 10).
 */
#include "location/cel/functions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/budget.h"
#include "base/macros.h"
#include "base/strconv.h"
#include "location/cel/cost.h"
#include "location/go/time.h"
#include "value/number.h"

#define RFC_3339 FX_TEXT("2006-01-02T15:04:05Z07:00")

struct fx_cel_value fx_cel_fail_conversion(struct fx_cel_run *run,
                                           struct fx_cel_value from, const char *to) {
    return fx_cel_fail(run, "type conversion error from '%s' to '%s'",
                       fx_cel_type_name(from), to);
}

struct fx_cel_value fx_cel_to_itself(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    (void)run;
    return args[0];
}

struct fx_cel_value fx_cel_type_call(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_type(fx_cel_type_of(args[0]));
}

uint64_t fx_cel_argument_cost(const struct fx_cel_value *args,
                              struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_traverse(args[0]);
}

/* ---- bool and bytes
 * --------------------------------------------------------------------- */

struct fx_cel_value fx_cel_bool_of_string(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    static const char *const yes[] = {"1", "t", "T", "TRUE", "true", "True"};
    static const char *const no[] = {"0", "f", "F", "FALSE", "false", "False"};
    for (size_t i = 0; i < FX_COUNT(yes); i++) {
        if (fx_text_is(args[0].text, yes[i])) {
            return fx_cel_make_bool(true);
        }
        if (fx_text_is(args[0].text, no[i])) {
            return fx_cel_make_bool(false);
        }
    }
    return fx_cel_fail_conversion(run, args[0], "bool");
}

struct fx_cel_value fx_cel_bytes_of_string(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_bytes(args[0].text);
}

/* ---- numbers
 * ---------------------------------------------------------------------------- */

struct fx_cel_value fx_cel_double_of_int(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_double((double)args[0].integer);
}

struct fx_cel_value fx_cel_double_of_uint(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_double((double)args[0].uinteger);
}

/* The result of reading a number: one that is too large is no number either. */
static struct fx_cel_value number_read(struct fx_cel_run *run, enum fx_go_number how,
                                       const struct fx_cel_value *from,
                                       struct fx_cel_value number, const char *type) {
    if (how == FX_GO_NOMEM) {
        return fx_cel_no_memory(run);
    }
    return how == FX_GO_NUMBER ? number : fx_cel_fail_conversion(run, *from, type);
}

struct fx_cel_value fx_cel_double_of_string(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    double real = 0;
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    const enum fx_go_number how = fx_go_parse_float(args[0].text, &real);
    return number_read(run, how, args, fx_cel_make_double(real), "double");
}

struct fx_cel_value fx_cel_int_of_double(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    const double real = args[0].real;
    if (!(real > -0x1p63 && real < 0x1p63)) { /* NaN is neither */
        return fx_cel_fail(run, "integer overflow");
    }
    return fx_cel_make_int((int64_t)real);
}

struct fx_cel_value fx_cel_int_of_duration(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(args[0].duration);
}

struct fx_cel_value fx_cel_int_of_timestamp(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(args[0].timestamp.seconds);
}

struct fx_cel_value fx_cel_int_of_uint(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    if (args[0].uinteger > (uint64_t)INT64_MAX) {
        return fx_cel_fail(run, "integer overflow");
    }
    return fx_cel_make_int((int64_t)args[0].uinteger);
}

#define DECIMAL 10u

struct fx_cel_value fx_cel_int_of_string(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    int64_t integer = 0;
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    const enum fx_go_number how = fx_go_parse_int(args[0].text, DECIMAL, &integer);
    return number_read(run, how, args, fx_cel_make_int(integer), "int");
}

struct fx_cel_value fx_cel_uint_of_double(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    const double real = args[0].real;
    if (!(real >= 0 && real < 0x1p64)) { /* NaN is neither */
        return fx_cel_fail(run, "unsigned integer overflow");
    }
    return fx_cel_make_uint((uint64_t)real);
}

struct fx_cel_value fx_cel_uint_of_int(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    if (args[0].integer < 0) {
        return fx_cel_fail(run, "unsigned integer overflow");
    }
    return fx_cel_make_uint((uint64_t)args[0].integer);
}

struct fx_cel_value fx_cel_uint_of_string(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    uint64_t uinteger = 0;
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    const enum fx_go_number how = fx_go_parse_uint(args[0].text, DECIMAL, &uinteger);
    return number_read(run, how, args, fx_cel_make_uint(uinteger), "uint");
}

/* ---- times and durations
 * ---------------------------------------------------------------- */

bool fx_cel_is_timestamp(int64_t seconds) {
    return seconds >= FX_CEL_FIRST_SECOND && seconds <= FX_CEL_LAST_SECOND;
}

bool fx_cel_timestamp_parse(struct fx_text text, struct fx_cel_value *ret_timestamp,
                            bool *ret_is_outside) {
    struct fx_go_time time = {0};
    *ret_is_outside = false;
    if (!fx_go_time_parse(RFC_3339, text, &time, NULL)) {
        return false;
    }
    if (!fx_cel_is_timestamp(time.seconds)) {
        *ret_is_outside = true;
        return false;
    }
    *ret_timestamp = (struct fx_cel_value){
        .kind = FX_CEL_TIMESTAMP,
        .timestamp = {.seconds = time.seconds,
                      .nanoseconds = time.nanoseconds,
                      .offset = time.offset},
    };
    return true;
}

struct fx_cel_value fx_cel_timestamp_of_string(struct fx_cel_run *run,
                                               const struct fx_cel_value *args) {
    struct fx_cel_value timestamp;
    bool is_outside = false;
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    if (fx_cel_timestamp_parse(args[0].text, &timestamp, &is_outside)) {
        return timestamp;
    }
    return is_outside ? fx_cel_fail(run, "timestamp overflow")
                      : fx_cel_fail_conversion(run, args[0], "google.protobuf.Timestamp");
}

struct fx_cel_value fx_cel_timestamp_of_int(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    if (!fx_cel_is_timestamp(args[0].integer)) {
        return fx_cel_fail(run, "timestamp overflow");
    }
    return (struct fx_cel_value){
        .kind = FX_CEL_TIMESTAMP,
        .timestamp = {.seconds = args[0].integer},
    };
}

bool fx_cel_duration_parse(struct fx_text text, struct fx_cel_value *ret_duration) {
    int64_t nanoseconds = 0;
    struct fx_err ignored;
    fx_err_reset(&ignored);
    if (!fx_go_duration_parse(text, &nanoseconds, &ignored)) {
        return false;
    }
    *ret_duration = fx_cel_make_duration(nanoseconds);
    return true;
}

struct fx_cel_value fx_cel_duration_of_string(struct fx_cel_run *run,
                                              const struct fx_cel_value *args) {
    struct fx_cel_value duration;
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    if (fx_cel_duration_parse(args[0].text, &duration)) {
        return duration;
    }
    return fx_cel_fail_conversion(run, args[0], "google.protobuf.Duration");
}

/* Declared, but no number is a duration. */
struct fx_cel_value fx_cel_duration_of_int(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    return fx_cel_fail_conversion(run, args[0], "google.protobuf.Duration");
}

/* ---- strings
 * ---------------------------------------------------------------------------- */

#define SCALAR_BYTES 64u /* the text of any number or time is shorter */
#define DOUBLE_UNITS 8u  /* for the digits of a double */
#define TIME_UNITS   8u  /* for the parts of a time */

struct fx_cel_value fx_cel_string_of_bool(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_string(args[0].boolean ? FX_TEXT("true") : FX_TEXT("false"));
}

struct fx_cel_value fx_cel_string_of_bytes(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    if (!fx_text_is_utf8(args[0].text)) {
        return fx_cel_fail(run, "invalid UTF-8 in bytes, cannot convert to string");
    }
    return fx_cel_make_string(args[0].text);
}

struct fx_cel_value fx_cel_string_of_int(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    char text[SCALAR_BYTES];
    const int len = snprintf(text, sizeof text, "%" PRId64, args[0].integer);
    return fx_cel_copy_string(run, (struct fx_text){text, (size_t)len});
}

struct fx_cel_value fx_cel_string_of_uint(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    char text[SCALAR_BYTES];
    const int len = snprintf(text, sizeof text, "%" PRIu64, args[0].uinteger);
    return fx_cel_copy_string(run, (struct fx_text){text, (size_t)len});
}

struct fx_cel_value fx_cel_string_of_double(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    char text[FX_NUMBER_SIZE];
    if (!fx_spend(DOUBLE_UNITS)) {
        return fx_cel_exceeded(run);
    }
    const size_t len = fx_number_print_go(args[0].real, false, text);
    return fx_cel_copy_string(run, (struct fx_text){text, len});
}

void fx_cel_print_double(struct fx_buf *buf, double real) {
    char text[FX_NUMBER_SIZE];
    fx_buf_add(buf, text, fx_number_print_go(real, false, text));
}

/* Prints shortest digits without an exponent. */
static void print_plain(struct fx_buf *buf, const struct fx_double_digits *digits) {
    if (digits->point <= 0) {
        fx_buf_str(buf, "0.");
        fx_buf_fill(buf, '0', (size_t)-digits->point);
        fx_buf_add(buf, digits->text, (size_t)digits->n);
    } else if (digits->point >= digits->n) {
        fx_buf_add(buf, digits->text, (size_t)digits->n);
        fx_buf_fill(buf, '0', (size_t)(digits->point - digits->n));
    } else {
        fx_buf_add(buf, digits->text, (size_t)digits->point);
        fx_buf_char(buf, '.');
        fx_buf_add(buf, digits->text + digits->point,
                   (size_t)(digits->n - digits->point));
    }
}

/* In seconds, which are a double: long durations lose digits. */
void fx_cel_print_duration(struct fx_buf *buf, int64_t nanoseconds) {
    struct fx_double_digits digits;
    const int64_t whole = nanoseconds / FX_GO_SECOND;
    const int64_t rest = nanoseconds % FX_GO_SECOND;
    const double seconds = (double)whole + (double)rest / (double)FX_GO_SECOND;
    if (nanoseconds == 0) {
        fx_buf_str(buf, "0s");
        return;
    }
    if (seconds < 0) {
        fx_buf_char(buf, '-');
    }
    fx_double_digits_find(fabs(seconds), false, &digits);
    print_plain(buf, &digits);
    fx_buf_char(buf, 's');
}

struct fx_cel_value fx_cel_string_of_duration(struct fx_cel_run *run,
                                              const struct fx_cel_value *args) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_cel_print_duration(&buf, args[0].duration);
    return fx_cel_take_buf(run, &buf);
}

void fx_cel_print_timestamp(struct fx_buf *buf, struct fx_cel_value timestamp) {
    const struct fx_go_time time = {
        .seconds = timestamp.timestamp.seconds,
        .nanoseconds = timestamp.timestamp.nanoseconds,
        .offset = timestamp.timestamp.offset,
    };
    fx_go_time_format(buf, &time, FX_TEXT("2006-01-02T15:04:05.999999999Z07:00"));
}

struct fx_cel_value fx_cel_string_of_timestamp(struct fx_cel_run *run,
                                               const struct fx_cel_value *args) {
    struct fx_buf buf;
    if (!fx_spend(TIME_UNITS)) {
        return fx_cel_exceeded(run);
    }
    fx_buf_init(&buf, 0);
    fx_cel_print_timestamp(&buf, args[0]);
    return fx_cel_take_buf(run, &buf);
}
