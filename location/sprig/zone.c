/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/zone.c - names of time zones (IANA tz database, file backward
 * included).
 */
#include "location/sprig/zone.h"

#include <stddef.h>

#include "location/go/text.h"

/* Never another offset than that of UTC. */
static const char *const utc_names[] = {
    "",     "UTC",     "Local",         "UCT",      "Universal",
    "Zulu", "Etc/UTC", "Etc/Universal", "Etc/Zulu", "Etc/UCT",
};

static const char *const gmt_names[] = {
    "GMT",     "GMT0",     "GMT+0",     "GMT-0",     "Greenwich",
    "Etc/GMT", "Etc/GMT0", "Etc/GMT+0", "Etc/GMT-0", "Etc/Greenwich",
};

/* What the names of places begin with. */
static const char *const areas[] = {
    "Africa/",   "America/", "Antarctica/", "Arctic/", "Asia/",
    "Atlantic/", "Brazil/",  "Canada/",     "Chile/",  "Europe/",
    "Indian/",   "Mexico/",  "Pacific/",    "US/",     "Australia/",
};

static const char *const single_names[] = {
    "CET",       "CST6CDT", "Cuba",      "EET",     "EST",     "EST5EDT",
    "Egypt",     "Eire",    "Factory",   "GB",      "GB-Eire", "HST",
    "Hongkong",  "Iceland", "Iran",      "Israel",  "Jamaica", "Japan",
    "Kwajalein", "Libya",   "MET",       "MST",     "MST7MDT", "NZ",
    "NZ-CHAT",   "Navajo",  "PRC",       "PST8PDT", "Poland",  "Portugal",
    "ROC",       "ROK",     "Singapore", "Turkey",  "W-SU",    "WET",
};

static bool is_one_of(struct fx_text name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (fx_text_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

static bool is_place(struct fx_text name) {
    for (size_t i = 0; i < FX_COUNT(areas); i++) {
        if (fx_text_starts(name, fx_text_of(areas[i]))) {
            return true;
        }
    }
    return is_one_of(name, single_names, FX_COUNT(single_names));
}

/* From 14 hours ahead to 12 behind, as they call themselves. */
static const struct fx_text fixed_names[] = {
    {"-12", 3}, {"-11", 3}, {"-10", 3}, {"-09", 3}, {"-08", 3}, {"-07", 3}, {"-06", 3},
    {"-05", 3}, {"-04", 3}, {"-03", 3}, {"-02", 3}, {"-01", 3}, {"", 0},    {"+01", 3},
    {"+02", 3}, {"+03", 3}, {"+04", 3}, {"+05", 3}, {"+06", 3}, {"+07", 3}, {"+08", 3},
    {"+09", 3}, {"+10", 3}, {"+11", 3}, {"+12", 3}, {"+13", 3}, {"+14", 3},
};
#define MOST_BEHIND 12
#define MOST_AHEAD  14

/* `Etc/GMT+5` is five hours behind: the sign is that of POSIX. */
static bool find_fixed(struct fx_text name, struct zone *ret_zone) {
    const struct fx_text prefix = FX_TEXT("Etc/GMT");
    if (!fx_text_starts(name, prefix) || name.len < prefix.len + 2) {
        return false;
    }
    const char sign = name.data[prefix.len];
    const struct fx_text digits = text_behind(name, prefix.len + 1);
    if ((sign != '+' && sign != '-') || count_digits(digits) != digits.len ||
        digits.len > 2 || digits.data[0] == '0') {
        return false;
    }
    const int size = digits.len == 2 ? 10 * (digits.data[0] - '0') + digits.data[1] - '0'
                                     : digits.data[0] - '0';
    const int hours = sign == '+' ? -size : size;
    if (hours < -MOST_BEHIND || hours > MOST_AHEAD) {
        return false;
    }
    *ret_zone = (struct zone){hours * 3600, fixed_names[hours + MOST_BEHIND]};
    return true;
}

bool zone_find(struct fx_text name, struct zone *ret_zone, struct fx_err *err) {
    if (is_place(name) && !is_one_of(name, utc_names, FX_COUNT(utc_names))) {
        return fx_fail(err, FX_EMUTATE,
                       "time zone `%.*s` is not known here: its offset changes, by "
                       "tables that a review does not read; use `UTC`, or `Etc/GMT-2` "
                       "for two hours ahead of it",
                       FX_TEXT_ARG(name));
    }
    if (!find_fixed(name, ret_zone)) {
        const bool gmt = is_one_of(name, gmt_names, FX_COUNT(gmt_names));
        *ret_zone = (struct zone){0, gmt ? FX_TEXT("GMT") : FX_TEXT("UTC")};
    }
    return true;
}
