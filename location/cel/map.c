/* SPDX-License-Identifier: Apache-2.0
 *
 * map.c - the table behind the maps that expressions build: entries in the order in which
 * they were added, and from a few entries on a hash table of their numbers.
 *
 * Keys are compared as Go compares the keys of a map: kinds differ, NaN equals nothing,
 * lists and maps are the same only if they are one object.
 */
#include "location/cel/map.h"

#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "value/hash.h"

#define FEW           8u /* entries that are searched without a table */
#define FEWEST_SLOTS  32u
#define MOST_ENTRIES  (UINT32_MAX / 4)
#define SLOTS_PER_ONE 2u /* at least, so that a search ends soon */

static bool is_same_time(struct fx_cel_value a, struct fx_cel_value b) {
    return a.timestamp.seconds == b.timestamp.seconds &&
           a.timestamp.nanoseconds == b.timestamp.nanoseconds;
}

static bool is_same_key(struct fx_cel_value a, struct fx_cel_value b) {
    if (a.kind != b.kind) {
        return false;
    }
    switch ((enum fx_cel_kind)a.kind) {
    case FX_CEL_NULL: return true;
    case FX_CEL_BOOL: return a.boolean == b.boolean;
    case FX_CEL_INT: return a.integer == b.integer;
    case FX_CEL_UINT: return a.uinteger == b.uinteger;
    case FX_CEL_DOUBLE: return a.real == b.real;
    case FX_CEL_STRING:
    case FX_CEL_BYTES: return fx_text_equal(a.text, b.text);
    case FX_CEL_DURATION: return a.duration == b.duration;
    case FX_CEL_TIMESTAMP: return is_same_time(a, b);
    case FX_CEL_TYPE: return a.type == b.type;
    case FX_CEL_LIST:
    case FX_CEL_MAP: return a.flags == b.flags && a.list == b.list;
    case FX_CEL_OPTIONAL: return a.inner == b.inner;
    case FX_CEL_STRUCT: return a.structure == b.structure;
    case FX_CEL_OPAQUE: return a.opaque.data == b.opaque.data;
    case FX_CEL_UNSET:
    case FX_CEL_ERROR: break;
    }
    return false;
}

/* The bytes that the hash of a key is made of; keys that are the same have the same. Of
 * rare kinds of keys only the kind counts. */
static struct fx_text bytes_of(const struct fx_cel_value *key, uint64_t *store) {
    *store = 0;
    switch ((enum fx_cel_kind)key->kind) {
    case FX_CEL_STRING:
    case FX_CEL_BYTES: return key->text;
    case FX_CEL_BOOL: *store = key->boolean; break;
    case FX_CEL_INT: *store = (uint64_t)key->integer; break;
    case FX_CEL_UINT: *store = key->uinteger; break;
    case FX_CEL_DOUBLE:
        if (key->real != 0) { /* 0.0 and -0.0 are one key */
            memcpy(store, &key->real, sizeof *store);
        }
        break;
    case FX_CEL_DURATION: *store = (uint64_t)key->duration; break;
    case FX_CEL_TIMESTAMP: *store = (uint64_t)key->timestamp.seconds; break;
    case FX_CEL_UNSET:
    case FX_CEL_ERROR:
    case FX_CEL_NULL:
    case FX_CEL_TYPE:
    case FX_CEL_LIST:
    case FX_CEL_MAP:
    case FX_CEL_OPTIONAL:
    case FX_CEL_STRUCT:
    case FX_CEL_OPAQUE: *store = key->kind; break;
    }
    return (struct fx_text){(const char *)store, sizeof *store};
}

/* The hash depends on the address of the map: colliding keys cannot be prepared. It has
 * no effect but on the time of a search. */
static size_t first_slot(const struct fx_cel_map *map, const struct fx_cel_value *key) {
    uint64_t store = 0;
    const struct fx_text bytes = bytes_of(key, &store);
    (void)fx_spend_text(bytes.len);
    const struct fx_hash_key secret = {(uint64_t)(uintptr_t)map,
                                       (uint64_t)(uintptr_t)map->slots};
    return (size_t)fx_hash_siphash(secret, bytes) & (map->n_slots - 1);
}

/* The slot of the key, or the empty one where it belongs. */
static size_t slot_of(const struct fx_cel_map *map, const struct fx_cel_value *key) {
    size_t slot = first_slot(map, key);
    while (map->slots[slot] != 0 &&
           !is_same_key(map->entries[map->slots[slot] - 1].key, *key) && fx_spend(1)) {
        slot = (slot + 1) & (map->n_slots - 1);
    }
    return slot;
}

struct fx_cel_map_entry *fx_cel_map_entry_of(const struct fx_cel_map *map,
                                             struct fx_cel_value key) {
    if (map->slots != NULL) {
        const uint32_t number = map->slots[slot_of(map, &key)];
        return number == 0 || fx_budget_exceeded() != FX_EXCEEDED_NOTHING
                   ? NULL
                   : &map->entries[number - 1];
    }
    for (size_t i = 0; i < map->n; i++) {
        if (is_same_key(map->entries[i].key, key)) {
            return &map->entries[i];
        }
    }
    return NULL;
}

/* Fills the table anew. */
static void fill(struct fx_cel_map *map) {
    memset(map->slots, 0, map->n_slots * sizeof *map->slots);
    for (size_t i = 0; i < map->n && fx_spend(1); i++) {
        map->slots[slot_of(map, &map->entries[i].key)] = (uint32_t)(i + 1);
    }
}

/* Makes or enlarges the table for one more entry than there are. */
static bool grow(struct fx_arena *arena, struct fx_cel_map *map) {
    if (map->n < FEW || (map->n + 1) * SLOTS_PER_ONE <= map->n_slots) {
        return true;
    }
    const size_t n_slots = map->n_slots == 0 ? FEWEST_SLOTS : map->n_slots * 2;
    uint32_t *slots = fx_arena_alloc(arena, n_slots * sizeof *slots);
    if (slots == NULL || map->n >= MOST_ENTRIES) {
        return false;
    }
    map->slots = slots;
    map->n_slots = n_slots;
    fill(map);
    return true;
}

bool fx_cel_map_put(struct fx_arena *arena, struct fx_cel_map *map,
                    struct fx_cel_value key, struct fx_cel_value value) {
    struct fx_cel_map_entry *old = fx_cel_map_entry_of(map, key);
    if (old != NULL) {
        old->value = value;
        return true;
    }
    if (!grow(arena, map) || !FX_ARENA_GROW(arena, map->entries, map->n, map->cap) ||
        map->entries == NULL) {
        return false;
    }
    if (map->slots != NULL) {
        map->slots[slot_of(map, &key)] = (uint32_t)(map->n + 1);
    }
    map->entries[map->n++] = (struct fx_cel_map_entry){key, value};
    return true;
}

void fx_cel_map_drop(struct fx_cel_map *map, struct fx_cel_value key) {
    const struct fx_cel_map_entry *entry = fx_cel_map_entry_of(map, key);
    if (entry == NULL || !fx_spend(map->n)) {
        return;
    }
    const size_t at = (size_t)(entry - map->entries);
    memmove(&map->entries[at], &map->entries[at + 1],
            (map->n - at - 1) * sizeof *map->entries);
    map->n--;
    if (map->slots != NULL) {
        fill(map);
    }
}

const char *fx_cel_unhashable(struct fx_cel_value key) {
    if (key.kind == FX_CEL_OPAQUE) {
        return key.opaque.ops->unhashable;
    }
    return key.kind == FX_CEL_BYTES ? fx_cel_go_type_name(key) : NULL;
}

struct fx_cel_value fx_cel_fail_unhashable(struct fx_cel_run *run, const char *go_type) {
    char text[128];
    (void)snprintf(text, sizeof text, "runtime error: hash of unhashable type %s",
                   go_type);
    return fx_cel_fail_internal(run, text);
}
