/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/time_distance.c - the order of times, what is between them, and rounding.
 */
#include "location/go/time.h"

int fx_go_time_compare(const struct fx_go_time *a, const struct fx_go_time *b) {
    if (a->seconds != b->seconds) {
        return a->seconds < b->seconds ? -1 : 1;
    }
    return (a->nanoseconds > b->nanoseconds) - (a->nanoseconds < b->nanoseconds);
}

#define MOST_DISTANCE ((uint64_t)INT64_MAX + 1)

/* The nanoseconds from `early` to `late`, which is not before it: at most MOST_DISTANCE.
 */
static uint64_t distance(const struct fx_go_time *early, const struct fx_go_time *late) {
    const uint64_t seconds = (uint64_t)late->seconds - (uint64_t)early->seconds;
    if (seconds > MOST_DISTANCE / (uint64_t)FX_GO_SECOND + 1) {
        return MOST_DISTANCE;
    }
    const uint64_t sum = seconds * (uint64_t)FX_GO_SECOND + (uint64_t)late->nanoseconds -
                         (uint64_t)early->nanoseconds;
    return sum < MOST_DISTANCE ? sum : MOST_DISTANCE;
}

int64_t fx_go_time_subtract(const struct fx_go_time *a, const struct fx_go_time *b) {
    if (fx_go_time_compare(a, b) >= 0) {
        const uint64_t after = distance(b, a);
        return after == MOST_DISTANCE ? INT64_MAX : (int64_t)after;
    }
    const uint64_t before = distance(a, b);
    return before == MOST_DISTANCE ? INT64_MIN : -(int64_t)before;
}

/* (a × b) % modulus, for a and b below the modulus, which is below 2^63. */
static uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t modulus) {
    uint64_t product = 0;
    for (; b > 0; b >>= 1) {
        if ((b & 1) != 0) {
            product = (product + a) % modulus;
        }
        a = (a + a) % modulus;
    }
    return product;
}

/* The seconds since year 1 modulo the modulus; not negative. */
static uint64_t seconds_modulo(int64_t seconds, int64_t modulus) {
    const int64_t zero = fx_go_time_zero.seconds % modulus;
    const int64_t rest = (seconds % modulus - zero) % modulus;
    return (uint64_t)(rest < 0 ? rest + modulus : rest);
}

struct fx_go_time fx_go_time_truncate(const struct fx_go_time *time,
                                      int64_t nanoseconds) {
    if (nanoseconds <= 0) {
        return *time;
    }
    const uint64_t modulus = (uint64_t)nanoseconds;
    const uint64_t seconds = multiply_modulo(seconds_modulo(time->seconds, nanoseconds),
                                             (uint64_t)FX_GO_SECOND % modulus, modulus);
    const uint64_t rest = (seconds + (uint64_t)time->nanoseconds % modulus) % modulus;
    return fx_go_time_add(time, -(int64_t)rest);
}
