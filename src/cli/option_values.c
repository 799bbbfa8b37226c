/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/option_values.c - parses durations and sizes.
 */
#include <string.h>

#include "cli/options.h"

struct unit {
    const char *name;
    uint64_t factor;
};

/* Reads digits at *at into *ret_number and moves *at behind them. */
static bool read_digits(const char **at, uint64_t *ret_number) {
    uint64_t number = 0;
    const char *start = *at;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
    }
    *ret_number = number;
    return *at > start;
}

/* Reads letters at *at as one of `units` (name NULL ends). */
static const struct unit *read_unit(const char **at, const struct unit *units) {
    const size_t len = strspn(*at, "kmhsKMGi");
    for (; units->name != NULL; units++) {
        if (strlen(units->name) == len && strncmp(units->name, *at, len) == 0) {
            *at += len;
            return units;
        }
    }
    return NULL;
}

/* number unit, as a product that is added to *total. */
static bool add_part(const char **at, const struct unit *units, uint64_t *total) {
    uint64_t number = 0;
    if (!read_digits(at, &number)) {
        return false;
    }
    const struct unit *unit = read_unit(at, units);
    if (unit == NULL || number > (UINT64_MAX - *total) / unit->factor) {
        return false;
    }
    *total += number * unit->factor;
    return true;
}

bool fx_duration_parse(const char *text, uint64_t *ret_ms) {
    static const struct unit units[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {NULL, 0}};
    uint64_t total = 0;
    do {
        if (!add_part(&text, units, &total)) {
            return false;
        }
    } while (*text != '\0');
    *ret_ms = total;
    return total > 0;
}

bool fx_size_parse(const char *text, size_t *ret_bytes) {
    static const struct unit units[] = {
        {"", 1},
        {"k", 1000},
        {"M", 1000000},
        {"G", 1000000000},
        {"Ki", 1024},
        {"Mi", UINT64_C(1) << 20},
        {"Gi", UINT64_C(1) << 30},
        {NULL, 0},
    };
    uint64_t total = 0;
    if (!add_part(&text, units, &total) || *text != '\0' || total == 0 ||
        total > SIZE_MAX) {
        return false;
    }
    *ret_bytes = (size_t)total;
    return true;
}
