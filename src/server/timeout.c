/* SPDX-License-Identifier: Apache-2.0
 *
 * server/timeout.c - Go's durations, and what a review may use of one.
 */
#include "server/timeout.h"

#define MILLISECOND 1000000u
#define SECOND      (1000 * (uint64_t)MILLISECOND)
#define LONGEST     (60 * (int64_t)SECOND)

static const struct unit {
    struct fx_text name;
    uint64_t ns;
} units[] = {
    {{"ns", 2}, 1},           {{"us", 2}, 1000},
    {{"\xc2\xb5s", 3}, 1000}, /* U+00B5, micro sign */
    {{"\xce\xbcs", 3}, 1000}, /* U+03BC, Greek message mu */
    {{"ms", 2}, MILLISECOND}, {{"s", 1}, SECOND},
    {{"m", 1}, 60 * SECOND},  {{"h", 1}, 3600 * SECOND},
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static struct fx_text skip(struct fx_text text, size_t bytes) {
    return (struct fx_text){text.data + bytes, text.len - bytes};
}

/* Digits at the start of *rest; false where they do not fit. */
static bool take_whole(struct fx_text *rest, uint64_t *ret_whole) {
    uint64_t whole = 0;
    while (rest->len > 0 && is_digit(rest->data[0])) {
        const uint64_t digit = (uint64_t)(rest->data[0] - '0');
        if (whole > (INT64_MAX - digit) / 10) {
            return false;
        }
        whole = whole * 10 + digit;
        *rest = skip(*rest, 1);
    }
    *ret_whole = whole;
    return true;
}

/* ".digits" at the start of *rest, as a fraction of one. */
static double take_fraction(struct fx_text *rest) {
    double fraction = 0;
    double place = 0.1;
    *rest = skip(*rest, 1);
    for (; rest->len > 0 && is_digit(rest->data[0]); *rest = skip(*rest, 1)) {
        fraction += place * (rest->data[0] - '0');
        place /= 10;
    }
    return fraction;
}

/* The unit is all up to the next digit or dot. */
static const struct unit *take_unit(struct fx_text *rest) {
    size_t length = 0;
    while (length < rest->len && !is_digit(rest->data[length]) &&
           rest->data[length] != '.') {
        length++;
    }
    const struct fx_text name = {rest->data, length};
    *rest = skip(*rest, length);
    for (size_t i = 0; i < FX_COUNT(units); i++) {
        if (fx_text_equal(units[i].name, name)) {
            return &units[i];
        }
    }
    return NULL;
}

/* part := digits* ( "." digits* )? unit, with a digit somewhere */
static bool take_part(struct fx_text *rest, uint64_t *total) {
    const struct fx_text start = *rest;
    uint64_t whole = 0;
    if (!take_whole(rest, &whole)) {
        return false;
    }
    size_t digits = start.len - rest->len;
    double fraction = 0;
    if (rest->len > 0 && rest->data[0] == '.') {
        const size_t before = rest->len;
        fraction = take_fraction(rest);
        digits += before - rest->len - 1;
    }
    const struct unit *unit = digits == 0 ? NULL : take_unit(rest);
    if (unit == NULL || whole > INT64_MAX / unit->ns) {
        return false;
    }
    const uint64_t part = whole * unit->ns + (uint64_t)(fraction * (double)unit->ns);
    if (part > INT64_MAX - *total) {
        return false;
    }
    *total += part;
    return true;
}

bool fx_timeout_parse(struct fx_text text, int64_t *ret_ns) {
    bool negative = false;
    if (text.len > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
        negative = text.data[0] == '-';
        text = skip(text, 1);
    }
    uint64_t total = 0;
    if (!fx_text_is(text, "0")) {
        do {
            if (!take_part(&text, &total)) {
                return false;
            }
        } while (text.len > 0);
    }
    *ret_ns = negative ? -(int64_t)total : (int64_t)total;
    return true;
}

/* The value of `timeout` in "a=b&timeout=5s"; empty where there is none. */
static struct fx_text timeout_of(struct fx_text query) {
    const struct fx_text name = FX_TEXT("timeout=");
    while (query.len > 0) {
        size_t length = 0;
        while (length < query.len && query.data[length] != '&') {
            length++;
        }
        const struct fx_text pair = {query.data, length};
        if (fx_text_starts(pair, name)) {
            return skip(pair, name.len);
        }
        query = skip(query, length < query.len ? length + 1 : length);
    }
    return (struct fx_text){0};
}

bool fx_timeout_budget_ns(struct fx_text query, uint64_t default_ms, uint64_t *ret_ns) {
    const struct fx_text given = timeout_of(query);
    int64_t ns = 0;
    if (given.len > 0 && (!fx_timeout_parse(given, &ns) || ns < 0)) {
        return false;
    }
    *ret_ns = ns == 0 ? default_ms * MILLISECOND
                      : (uint64_t)(ns > LONGEST ? LONGEST : ns) / 5 * 4;
    return true;
}
