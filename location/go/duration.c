/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/duration.c - parsing and printing of durations.
 */
#include "location/go/time.h"

#include <stddef.h>

#include "base/macros.h"
#include "location/go/layout.h"

/* Sums are kept without their sign, since the least int64 has no positive counterpart. */
#define MOST ((uint64_t)1 << 63)

static const struct unit {
    const char *name;
    uint64_t nanoseconds;
} units[] = {
    {"ns", (uint64_t)FX_GO_NANOSECOND},
    {"us", (uint64_t)FX_GO_MICROSECOND},
    {"\xc2\xb5s", (uint64_t)FX_GO_MICROSECOND}, /* U+00B5, the micro sign */
    {"\xce\xbcs", (uint64_t)FX_GO_MICROSECOND}, /* U+03BC, the Greek letter */
    {"ms", (uint64_t)FX_GO_MILLISECOND},
    {"s", (uint64_t)FX_GO_SECOND},
    {"m", (uint64_t)FX_GO_MINUTE},
    {"h", (uint64_t)FX_GO_HOUR},
};

static const struct unit *find_unit(struct fx_text name) {
    for (size_t i = 0; i < FX_COUNT(units); i++) {
        if (fx_text_is(name, units[i].name)) {
            return &units[i];
        }
    }
    return NULL;
}

static bool fail_duration(struct fx_err *err, const char *what, struct fx_text text) {
    char quoted[TIME_QUOTED];
    return fx_fail(err, FX_EMUTATE, "time: %s duration %s", what,
                   time_quote(text, quoted));
}

static bool fail_unit(struct fx_err *err, struct fx_text unit, struct fx_text text) {
    char quoted_unit[TIME_QUOTED];
    char quoted[TIME_QUOTED];
    return fx_fail(err, FX_EMUTATE, "time: unknown unit %s in duration %s",
                   time_quote(unit, quoted_unit), time_quote(text, quoted));
}

/* ---- reading --------------------------------------------------------------------- */

/* A number: `digits [. digits]`. */
struct amount {
    uint64_t whole;
    uint64_t part; /* the fraction is part / scale: 25 / 100 for 0.25 */
    double scale;
};

/* Reads the digits before the point. False on overflow. */
static bool take_whole(struct fx_text *text, uint64_t *ret_whole) {
    *ret_whole = 0;
    for (; fx_is_digit(fx_text_first(*text)); *text = fx_text_rest(*text, 1)) {
        const uint64_t digit = (uint64_t)(fx_text_first(*text) - '0');
        if (*ret_whole > (MOST - digit) / 10) {
            return false;
        }
        *ret_whole = *ret_whole * 10 + digit;
    }
    return true;
}

/* Reads the digits after the point. Ignores digits that do not fit a uint64. */
static void take_part(struct fx_text *text, struct amount *amount) {
    bool full = false;
    for (; fx_is_digit(fx_text_first(*text)); *text = fx_text_rest(*text, 1)) {
        const uint64_t digit = (uint64_t)(fx_text_first(*text) - '0');
        full = full || amount->part > (MOST - 1) / 10;
        if (!full) {
            amount->part = amount->part * 10 + digit;
            amount->scale *= 10;
        }
    }
}

/* Reads an amount. False without a digit, or on overflow. */
static bool take_amount(struct fx_text *text, struct amount *ret_amount) {
    *ret_amount = (struct amount){.scale = 1};
    size_t digits = fx_text_count_digits(*text, SIZE_MAX);
    if (!take_whole(text, &ret_amount->whole)) {
        return false;
    }
    if (fx_text_first(*text) == '.') {
        *text = fx_text_rest(*text, 1);
        digits += fx_text_count_digits(*text, SIZE_MAX);
        take_part(text, ret_amount);
    }
    return digits > 0;
}

static struct fx_text take_unit(struct fx_text *text) {
    size_t n = 0;
    while (n < text->len && text->data[n] != '.' && !fx_is_digit(text->data[n])) {
        n++;
    }
    const struct fx_text unit = {text->data, n};
    *text = fx_text_rest(*text, n);
    return unit;
}

/* Adds the amount to the sum; false on overflow. The fraction is computed in doubles, as
 * in Go, because its last digits depend on that. */
static bool add_amount(const struct amount *amount, const struct unit *unit,
                       uint64_t *sum) {
    if (amount->whole > MOST / unit->nanoseconds) {
        return false;
    }
    uint64_t nanoseconds = amount->whole * unit->nanoseconds;
    if (amount->part > 0) {
        nanoseconds += (uint64_t)((double)amount->part *
                                  ((double)unit->nanoseconds / amount->scale));
    }
    *sum += nanoseconds;
    return nanoseconds <= MOST && *sum <= MOST;
}

/* duration := "0" | ( amount unit )+ */
static bool take_all(struct fx_text text, struct fx_text whole_text, uint64_t *ret_sum,
                     struct fx_err *err) {
    *ret_sum = 0;
    if (fx_text_is(text, "0")) {
        return true;
    }
    if (text.len == 0) {
        return fail_duration(err, "invalid", whole_text);
    }
    while (text.len > 0) {
        struct amount amount;
        if (!take_amount(&text, &amount)) {
            return fail_duration(err, "invalid", whole_text);
        }
        const struct fx_text name = take_unit(&text);
        if (name.len == 0) {
            return fail_duration(err, "missing unit in", whole_text);
        }
        const struct unit *unit = find_unit(name);
        if (unit == NULL) {
            return fail_unit(err, name, whole_text);
        }
        if (!add_amount(&amount, unit, ret_sum)) {
            return fail_duration(err, "invalid", whole_text);
        }
    }
    return true;
}

bool fx_go_duration_parse(struct fx_text text, int64_t *ret_nanoseconds,
                          struct fx_err *err) {
    const bool negative = fx_text_first(text) == '-';
    const bool has_sign = negative || fx_text_first(text) == '+';
    uint64_t sum = 0;
    if (!take_all(fx_text_rest(text, has_sign ? 1 : 0), text, &sum, err)) {
        return false;
    }
    if (!negative && sum == MOST) {
        return fail_duration(err, "invalid", text);
    }
    *ret_nanoseconds = sum == MOST ? INT64_MIN : negative ? -(int64_t)sum : (int64_t)sum;
    return true;
}

/* ---- printing -------------------------------------------------------------------- */

/* Prints a number of units with its fraction. */
static void print_amount(struct fx_buf *buf, uint64_t nanoseconds, uint64_t unit) {
    fx_buf_number(buf, nanoseconds / unit);
    uint64_t rest = nanoseconds % unit;
    if (rest > 0) {
        fx_buf_char(buf, '.');
    }
    while (rest > 0) {
        unit /= 10;
        fx_buf_char(buf, (char)('0' + rest / unit));
        rest %= unit;
    }
}

static void print_below_second(struct fx_buf *buf, uint64_t nanoseconds) {
    if (nanoseconds < (uint64_t)FX_GO_MICROSECOND) {
        print_amount(buf, nanoseconds, (uint64_t)FX_GO_NANOSECOND);
        fx_buf_str(buf, "ns");
    } else if (nanoseconds < (uint64_t)FX_GO_MILLISECOND) {
        print_amount(buf, nanoseconds, (uint64_t)FX_GO_MICROSECOND);
        fx_buf_str(buf, "\xc2\xb5s");
    } else {
        print_amount(buf, nanoseconds, (uint64_t)FX_GO_MILLISECOND);
        fx_buf_str(buf, "ms");
    }
}

static void print_above_second(struct fx_buf *buf, uint64_t nanoseconds) {
    const uint64_t minutes = nanoseconds / (uint64_t)FX_GO_MINUTE;
    if (minutes >= 60) {
        fx_buf_number(buf, minutes / 60);
        fx_buf_char(buf, 'h');
    }
    if (minutes > 0) {
        fx_buf_number(buf, minutes % 60);
        fx_buf_char(buf, 'm');
    }
    print_amount(buf, nanoseconds % (uint64_t)FX_GO_MINUTE, (uint64_t)FX_GO_SECOND);
    fx_buf_char(buf, 's');
}

void fx_go_duration_print(struct fx_buf *buf, int64_t nanoseconds) {
    const uint64_t size =
        nanoseconds < 0 ? -(uint64_t)nanoseconds : (uint64_t)nanoseconds;
    if (nanoseconds < 0) {
        fx_buf_char(buf, '-');
    }
    if (size == 0) {
        fx_buf_str(buf, "0s");
    } else if (size < (uint64_t)FX_GO_SECOND) {
        print_below_second(buf, size);
    } else {
        print_above_second(buf, size);
    }
}
