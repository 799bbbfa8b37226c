/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/zone.h - time zones of the IANA database as files have them (RFC 9636,
 * TZif). Private to the room; fx_cel_zone_offset() is in functions.h.
 */
#ifndef FX_LOCATION_CEL_ZONE_H
#define FX_LOCATION_CEL_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* A day of the year on which the offset changes, and the time of that day. */
struct cel_zone_day {
    enum cel_zone_day_kind {
        CEL_ZONE_DAY_JULIAN,      /* Jn: 1 to 365, February 29 is not counted */
        CEL_ZONE_DAY_OF_YEAR,     /* n: 0 to 365 */
        CEL_ZONE_DAY_OF_THE_WEEK, /* Mm.w.d */
    } kind;
    int month, week, day;
    int32_t seconds; /* after midnight, by the offset before the change */
};

/* What holds after the last change of a file: POSIX's TZ=EST5EDT,M3.2.0,M11.1.0. */
struct cel_zone_rule {
    int32_t offset;          /* east of UTC, in seconds */
    bool has_daylight;       /* the rest is set */
    int32_t daylight_offset; /* between these days */
    struct cel_zone_day start, end;
};

/* Reads the rule. False if the text is none. (zone_rule.c) */
bool cel_zone_rule_parse(struct fx_text text, struct cel_zone_rule *ret_rule) FX_MUST_USE;

/* The offset that the rule gives for a time. */
int32_t cel_zone_rule_offset(const struct cel_zone_rule *rule, int64_t seconds);

struct cel_zone_change {
    int64_t at;     /* from this second on */
    int32_t offset; /* this offset holds */
};

struct cel_zone {
    int32_t first_offset; /* before the first change */
    struct cel_zone_change *changes;
    size_t n;
    bool has_rule; /* for the time after the last change */
    struct cel_zone_rule rule;
};

enum cel_zone_parsed { CEL_ZONE_PARSED, CEL_ZONE_INVALID, CEL_ZONE_NO_MEMORY };

/* Reads the bytes of a file. Finish the zone with the function below. */
enum cel_zone_parsed cel_zone_parse(struct fx_text bytes,
                                    struct cel_zone *ret_zone) FX_MUST_USE;

void cel_zone_finish(struct cel_zone *zone); /* a zeroed one is fine */

/* The offset of the zone at a time. */
int32_t cel_zone_offset_at(const struct cel_zone *zone, int64_t seconds);

#endif
