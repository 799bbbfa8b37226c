/* SPDX-License-Identifier: Apache-2.0
 *
 * moments.c - `+` and `-` of timestamps and durations. Timestamps are of the years 1 to
 * 9999, durations are nanoseconds in 64 bits.
 */
#include "location/cel/functions.h"
#include "location/cel/operators.h"

#define NANOSECONDS INT64_C(1000000000)

/* The moment some seconds and nanoseconds later; both have the sign of the duration. */
static struct fx_cel_value later(struct fx_cel_value time, int64_t seconds,
                                 int64_t nanoseconds) {
    int64_t second = time.timestamp.seconds + seconds; /* both are far below 2^62 */
    int64_t nanosecond = time.timestamp.nanoseconds + nanoseconds;
    if (nanosecond < 0) {
        second--;
        nanosecond += NANOSECONDS;
    } else if (nanosecond >= NANOSECONDS) {
        second++;
        nanosecond -= NANOSECONDS;
    }
    if (!fx_cel_is_timestamp(second)) {
        return (struct fx_cel_value){.kind = FX_CEL_ERROR, .error = "timestamp overflow"};
    }
    time.timestamp.seconds = second;
    time.timestamp.nanoseconds = (int32_t)nanosecond;
    return time;
}

static struct fx_cel_value add_duration(struct fx_cel_value time, int64_t duration) {
    return later(time, duration / NANOSECONDS, duration % NANOSECONDS);
}

struct fx_cel_value fx_cel_add_times(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    const struct fx_cel_value left = args[0];
    const struct fx_cel_value right = args[1];
    if (left.kind == FX_CEL_TIMESTAMP && right.kind == FX_CEL_DURATION) {
        return add_duration(left, right.duration);
    }
    if (left.kind == FX_CEL_DURATION && right.kind == FX_CEL_TIMESTAMP) {
        return add_duration(right, left.duration);
    }
    if (left.kind == FX_CEL_DURATION && right.kind == FX_CEL_DURATION) {
        int64_t sum = 0;
        return __builtin_add_overflow(left.duration, right.duration, &sum)
                   ? fx_cel_int_overflow()
                   : fx_cel_make_duration(sum);
    }
    return fx_cel_operator_unfit(run, left, true, "_+_");
}

static struct fx_cel_value subtract_timestamps(struct fx_cel_value left,
                                               struct fx_cel_value right) {
    const int64_t seconds = left.timestamp.seconds - right.timestamp.seconds;
    const int64_t nanoseconds = left.timestamp.nanoseconds - right.timestamp.nanoseconds;
    int64_t difference = 0;
    if (__builtin_mul_overflow(seconds, NANOSECONDS, &difference) ||
        __builtin_add_overflow(difference, nanoseconds, &difference)) {
        return fx_cel_int_overflow();
    }
    return fx_cel_make_duration(difference);
}

struct fx_cel_value fx_cel_subtract_times(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    const struct fx_cel_value left = args[0];
    const struct fx_cel_value right = args[1];
    if (left.kind == FX_CEL_TIMESTAMP && right.kind == FX_CEL_TIMESTAMP) {
        return subtract_timestamps(left, right);
    }
    if (left.kind == FX_CEL_TIMESTAMP && right.kind == FX_CEL_DURATION) {
        return right.duration == INT64_MIN ? fx_cel_int_overflow()
                                           : add_duration(left, -right.duration);
    }
    if (left.kind == FX_CEL_DURATION && right.kind == FX_CEL_DURATION) {
        int64_t difference = 0;
        return __builtin_sub_overflow(left.duration, right.duration, &difference)
                   ? fx_cel_int_overflow()
                   : fx_cel_make_duration(difference);
    }
    return fx_cel_operator_unfit(run, left, true, "_-_");
}
