/* SPDX-License-Identifier: Apache-2.0
 *
 * zone.c - the files of the time zone database.
 */
#include "location/cel/zone.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/limits.h"
#include "location/cel/functions.h"

/* ---- reading a file (RFC 9636 section 3) ------------------------------------------- */

#define HEAD_BYTES  44u
#define TYPE_BYTES  6u
#define MOST_OFFSET (26 * 3600) /* RFC 9636 section 3.2 */

/* The numbers of a header. */
struct tzif {
    struct fx_text rest; /* after the header */
    unsigned version;
    size_t n_utc, n_standard, n_leap, n_changes, n_types, n_name_bytes;
};

static uint64_t big_endian(const char *bytes, size_t n) {
    uint64_t number = 0;
    for (size_t i = 0; i < n; i++) {
        number = number << 8 | (unsigned char)bytes[i];
    }
    return number;
}

static bool read_head(struct fx_text bytes, struct tzif *ret_head) {
    if (bytes.len < HEAD_BYTES || memcmp(bytes.data, "TZif", 4) != 0) {
        return false;
    }
    const char version = bytes.data[4];
    *ret_head = (struct tzif){
        .rest = fx_text_rest(bytes, HEAD_BYTES),
        .version = version >= '2' ? (unsigned)(version - '0') : 1,
        .n_utc = (size_t)big_endian(bytes.data + 20, 4),
        .n_standard = (size_t)big_endian(bytes.data + 24, 4),
        .n_leap = (size_t)big_endian(bytes.data + 28, 4),
        .n_changes = (size_t)big_endian(bytes.data + 32, 4),
        .n_types = (size_t)big_endian(bytes.data + 36, 4),
        .n_name_bytes = (size_t)big_endian(bytes.data + 40, 4),
    };
    return true;
}

/* The size of what follows the header, with times of so many bytes. */
static size_t body_size(const struct tzif *head, size_t time_bytes) {
    return head->n_changes * (time_bytes + 1) + head->n_types * TYPE_BYTES +
           head->n_name_bytes + head->n_leap * (time_bytes + 4) + head->n_standard +
           head->n_utc;
}

/* The offset of a type of local time; false if there is no such type. */
static bool read_type(const struct tzif *head, const char *types, size_t index,
                      int32_t *ret_offset, bool *ret_is_daylight) {
    if (index >= head->n_types) {
        return false;
    }
    const char *type = types + index * TYPE_BYTES;
    *ret_offset = (int32_t)(uint32_t)big_endian(type, 4);
    *ret_is_daylight = type[4] != 0;
    return *ret_offset >= -MOST_OFFSET && *ret_offset <= MOST_OFFSET;
}

/* Before the first change: the first type, unless the first change is to it; then the
 * first one of standard time, as Go has it. */
static bool read_first(const struct tzif *head, const char *numbers, const char *types,
                       int32_t *ret_offset) {
    bool is_daylight = false;
    if (!read_type(head, types, 0, ret_offset, &is_daylight)) {
        return false;
    }
    if (memchr(numbers, 0, head->n_changes) == NULL) {
        return true;
    }
    for (size_t i = 0; i < head->n_types; i++) {
        int32_t offset = 0;
        if (read_type(head, types, i, &offset, &is_daylight) && !is_daylight) {
            *ret_offset = offset;
            return true;
        }
    }
    return true;
}

static enum cel_zone_parsed read_changes(const struct tzif *head, size_t time_bytes,
                                         struct cel_zone *zone) {
    const char *times = head->rest.data;
    const char *numbers = times + head->n_changes * time_bytes;
    const char *types = numbers + head->n_changes;
    bool is_daylight = false;
    if (!read_first(head, numbers, types, &zone->first_offset)) {
        return CEL_ZONE_INVALID;
    }
    zone->changes = calloc(head->n_changes + 1, sizeof *zone->changes);
    if (zone->changes == NULL) {
        return CEL_ZONE_NO_MEMORY;
    }
    for (size_t i = 0; i < head->n_changes; i++) {
        struct cel_zone_change *change = &zone->changes[zone->n];
        const uint64_t at = big_endian(times + i * time_bytes, time_bytes);
        change->at = time_bytes == 4 ? (int32_t)(uint32_t)at : (int64_t)at;
        if (!read_type(head, types, (unsigned char)numbers[i], &change->offset,
                       &is_daylight) ||
            (zone->n > 0 && change->at <= change[-1].at)) {
            return CEL_ZONE_INVALID;
        }
        zone->n++;
    }
    return CEL_ZONE_PARSED;
}

/* The line after the data is the rule. */
static enum cel_zone_parsed read_rule(struct fx_text footer, struct cel_zone *zone) {
    if (!fx_text_take(&footer, '\n')) {
        return CEL_ZONE_INVALID;
    }
    const struct fx_text text = fx_text_cut(&footer, '\n');
    zone->has_rule = text.len > 0 && cel_zone_rule_parse(text, &zone->rule);
    return CEL_ZONE_PARSED;
}

enum cel_zone_parsed cel_zone_parse(struct fx_text bytes, struct cel_zone *ret_zone) {
    struct tzif head;
    size_t time_bytes = 4;
    *ret_zone = (struct cel_zone){0};
    if (!read_head(bytes, &head)) {
        return CEL_ZONE_INVALID;
    }
    if (head.version >= 2) { /* the same data follows with times of 64 bits */
        const size_t skipped = body_size(&head, 4);
        if (skipped > head.rest.len ||
            !read_head(fx_text_rest(head.rest, skipped), &head)) {
            return CEL_ZONE_INVALID;
        }
        time_bytes = 8;
    }
    const size_t size = body_size(&head, time_bytes);
    if (head.n_types == 0 || size > head.rest.len) {
        return CEL_ZONE_INVALID;
    }
    enum cel_zone_parsed parsed = read_changes(&head, time_bytes, ret_zone);
    if (parsed == CEL_ZONE_PARSED && time_bytes == 8) {
        parsed = read_rule(fx_text_rest(head.rest, size), ret_zone);
    }
    if (parsed != CEL_ZONE_PARSED) {
        cel_zone_finish(ret_zone);
    }
    return parsed;
}

void cel_zone_finish(struct cel_zone *zone) {
    free(zone->changes);
    *zone = (struct cel_zone){0};
}

int32_t cel_zone_offset_at(const struct cel_zone *zone, int64_t seconds) {
    size_t low = 0; /* changes below are not after the time */
    size_t high = zone->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (zone->changes[middle].at <= seconds) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == zone->n && zone->has_rule) {
        return cel_zone_rule_offset(&zone->rule, seconds);
    }
    return low == 0 ? zone->first_offset : zone->changes[low - 1].offset;
}

/* ---- the zones that were read --------------------------------------------------------
 */

#define FOLDER     "/usr/share/zoneinfo/"
#define MOST_NAME  64u
#define MOST_BYTES (64u << 10) /* of a file; the largest has 4 KiB */
#define LOOK_UNITS 8u          /* of the budget: finding a zone in the cache, */
#define READ_UNITS 2000u       /* and reading a file */

struct cached_zone {
    char name[MOST_NAME + 1]; /* "": free */
    struct cel_zone zone;
};

static struct {
    pthread_mutex_t lock;
    struct cached_zone zones[FX_LIMIT_CEL_ZONES];
    size_t next; /* to be replaced */
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Is it a name that may stand after the folder? Names have no dots. */
static bool is_name(struct fx_text name) {
    if (name.len == 0 || name.len > MOST_NAME || name.data[0] == '/') {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.data[i];
        if (!fx_is_letter(c) && !fx_is_digit(c) && !fx_is_one_of(c, "_+-/")) {
            return false;
        }
    }
    return true;
}

static const struct cel_zone *find_cached(struct fx_text name) {
    for (size_t i = 0; i < FX_LIMIT_CEL_ZONES; i++) {
        if (fx_text_is(name, cache.zones[i].name)) {
            return &cache.zones[i].zone;
        }
    }
    return NULL;
}

/* Reads the file of a zone. */
static enum fx_cel_zone_found load(const char *name, struct cel_zone *ret_zone) {
    char path[sizeof FOLDER + MOST_NAME];
    struct fx_buf bytes;
    struct fx_err err;
    fx_err_reset(&err);
    fx_buf_init(&bytes, 0);
    memcpy(path, FOLDER, sizeof FOLDER);
    memcpy(path + sizeof FOLDER - 1, name, strlen(name) + 1);
    enum fx_cel_zone_found found = FX_CEL_ZONE_UNKNOWN;
    if (fx_file_read_regular(path, MOST_BYTES, &bytes, &err)) {
        const enum cel_zone_parsed parsed = cel_zone_parse(fx_buf_view(&bytes), ret_zone);
        found = parsed == CEL_ZONE_PARSED      ? FX_CEL_ZONE_FOUND
                : parsed == CEL_ZONE_NO_MEMORY ? FX_CEL_ZONE_NO_MEMORY
                                               : FX_CEL_ZONE_UNKNOWN;
    } else if (err.code == FX_ENOMEM) {
        found = FX_CEL_ZONE_NO_MEMORY;
    }
    fx_buf_finish(&bytes);
    return found;
}

/* Reads the file of a zone in place of the one that was read longest ago. */
static enum fx_cel_zone_found read_zone(struct fx_text name,
                                        const struct cel_zone **ret_zone) {
    struct cached_zone made = {.name = ""};
    memcpy(made.name, name.data, name.len);
    const enum fx_cel_zone_found found = load(made.name, &made.zone);
    if (found == FX_CEL_ZONE_FOUND) {
        struct cached_zone *to = &cache.zones[cache.next];
        cache.next = (cache.next + 1) % FX_LIMIT_CEL_ZONES;
        cel_zone_finish(&to->zone);
        *to = made;
        *ret_zone = &to->zone;
    }
    return found;
}

enum fx_cel_zone_found fx_cel_zone_offset(struct fx_text name, int64_t seconds,
                                          int32_t *ret_offset) {
    if (!is_name(name) || !fx_spend(LOOK_UNITS)) {
        return FX_CEL_ZONE_UNKNOWN;
    }
    enum fx_cel_zone_found found = FX_CEL_ZONE_FOUND;
    (void)pthread_mutex_lock(&cache.lock);
    const struct cel_zone *zone = find_cached(name);
    if (zone == NULL) {
        found = fx_spend(READ_UNITS) ? read_zone(name, &zone) : FX_CEL_ZONE_UNKNOWN;
    }
    if (zone != NULL) {
        *ret_offset = cel_zone_offset_at(zone, seconds);
    }
    (void)pthread_mutex_unlock(&cache.lock);
    return found;
}
