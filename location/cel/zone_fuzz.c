/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/zone_fuzz.c - the file of a time zone: what is read gives an offset that
 * is one of the file, at any time. The bytes are also read as the rule at the end of a
 * file.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "location/cel/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_OFFSET ((24 * 7 + 1) * 3600) /* of a rule */

static const int64_t times[] = {
    -62135596800, -2147483649, -1, 0, 951782400, 1709251199, 4102444800, 253402300799,
};

static bool is_of_file(const struct cel_zone *zone, int32_t offset) {
    if (offset == zone->first_offset ||
        (zone->has_rule &&
         (offset == zone->rule.offset || offset == zone->rule.daylight_offset))) {
        return true;
    }
    for (size_t i = 0; i < zone->n; i++) {
        if (offset == zone->changes[i].offset) {
            return true;
        }
    }
    return false;
}

static void check_rule(struct fx_text text) {
    struct cel_zone_rule rule;
    if (!cel_zone_rule_parse(text, &rule)) {
        return;
    }
    assert(rule.offset >= -MOST_OFFSET && rule.offset <= MOST_OFFSET);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        const int32_t offset = cel_zone_rule_offset(&rule, times[i]);
        assert(offset == rule.offset ||
               (rule.has_daylight && offset == rule.daylight_offset));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text bytes = {(const char *)data, size};
    struct cel_zone zone;
    check_rule(bytes);
    if (cel_zone_parse(bytes, &zone) != CEL_ZONE_PARSED) {
        assert(zone.changes == NULL);
        return 0;
    }
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        assert(is_of_file(&zone, cel_zone_offset_at(&zone, times[i])));
    }
    for (size_t i = 0; i < zone.n; i++) {
        const int32_t offset = cel_zone_offset_at(&zone, zone.changes[i].at);
        assert(offset == zone.changes[i].offset || (zone.has_rule && i + 1 == zone.n));
    }
    cel_zone_finish(&zone);
    return 0;
}
