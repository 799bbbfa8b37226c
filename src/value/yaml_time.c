/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_time.c - which text is a timestamp (yaml.org/type/timestamp.html, as far as
 * go-yaml v2 recognises it). They stay text; the writer quotes them.
 */
#include "value/yaml_resolve.h"

struct scanner {
    const char *at, *end;
};

static bool take_char(struct scanner *scan, char c) {
    if (scan->at == scan->end || *scan->at != c) {
        return false;
    }
    scan->at++;
    return true;
}

static size_t count_digits(const struct scanner *scan) {
    size_t n = 0;
    while (scan->at + n < scan->end && scan->at[n] >= '0' && scan->at[n] <= '9') {
        n++;
    }
    return n;
}

/* `fewest` to `most` (4 at most) digits whose number lies within low and high. */
static bool take_number(struct scanner *scan, size_t fewest, size_t most, unsigned low,
                        unsigned high, unsigned *ret_value) {
    const size_t n = count_digits(scan);
    if (n < fewest || n > most) {
        return false;
    }
    unsigned value = 0;
    for (size_t i = 0; i < n; i++) {
        value = value * 10 + (unsigned)(*scan->at++ - '0');
    }
    *ret_value = value;
    return value >= low && value <= high;
}

static unsigned days_of(unsigned year, unsigned month) {
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

/* date := yyyy '-' m{1,2} '-' d{1,2} */
static bool take_date(struct scanner *scan) {
    unsigned year = 0;
    unsigned month = 0;
    unsigned day = 0;
    return take_number(scan, 4, 4, 0, 9999, &year) && take_char(scan, '-') &&
           take_number(scan, 1, 2, 1, 12, &month) && take_char(scan, '-') &&
           take_number(scan, 1, 2, 1, days_of(year, month), &day);
}

/* clock := h{1,2} ':' m{1,2} ':' s{1,2} ( [.,] digit+ )? */
static bool take_clock(struct scanner *scan) {
    unsigned part = 0;
    if (!take_number(scan, 1, 2, 0, 23, &part) || !take_char(scan, ':') ||
        !take_number(scan, 1, 2, 0, 59, &part) || !take_char(scan, ':') ||
        !take_number(scan, 1, 2, 0, 59, &part)) {
        return false;
    }
    if (take_char(scan, '.') || take_char(scan, ',')) {
        const size_t n = count_digits(scan);
        scan->at += n;
        return n > 0;
    }
    return true;
}

/* zone := 'Z' | [-+] hh ':' mm */
static bool take_zone(struct scanner *scan) {
    unsigned part = 0;
    if (take_char(scan, 'Z')) {
        return true;
    }
    return (take_char(scan, '+') || take_char(scan, '-')) &&
           take_number(scan, 2, 2, 0, 24, &part) && take_char(scan, ':') &&
           take_number(scan, 2, 2, 0, 60, &part);
}

/* time := date | date [Tt] clock zone | date ' ' clock */
bool fx_yaml_is_time(struct fx_text text) {
    if (text.len == 0) {
        return false;
    }
    struct scanner scan = {text.data, text.data + text.len};
    if (!take_date(&scan)) {
        return false;
    }
    if (take_char(&scan, 'T') || take_char(&scan, 't')) {
        return take_clock(&scan) && take_zone(&scan) && scan.at == scan.end;
    }
    if (take_char(&scan, ' ')) {
        return take_clock(&scan) && scan.at == scan.end;
    }
    return scan.at == scan.end;
}
