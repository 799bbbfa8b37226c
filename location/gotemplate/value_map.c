/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/value_map.c - maps: entries in the order of their keys.
 */
#include "location/gotemplate/value.h"

#include <stdlib.h>
#include <string.h>

#include "location/gotemplate/run.h"

struct map *value_map_new(struct run *run) {
    struct map *map = run_alloc(run, sizeof *map);
    if (map != NULL) {
        map->type = TYPE_MAP;
    }
    return map;
}

static int compare_keys(const void *a, const void *b) {
    const struct map_entry *left = a;
    const struct map_entry *right = b;
    return fx_text_compare(left->key, right->key);
}

static bool is_sorted(const struct map_entry *entries, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (compare_keys(&entries[i - 1], &entries[i]) > 0) {
            return false;
        }
    }
    return true;
}

bool value_map_sort(struct run *run, struct map *map) {
    size_t bytes = 0;
    for (size_t i = 0; i < map->n; i++) {
        bytes += map->entries[i].key.len;
    }
    if (!run_spend_sort(run, map->n, bytes)) {
        return false;
    }
    if (!is_sorted(map->entries, map->n)) {
        qsort(map->entries, map->n, sizeof *map->entries, compare_keys);
    }
    return true;
}

bool value_map_fill(struct run *run, struct map *map) {
    if (map->source == NULL) {
        return true;
    }
    const size_t n = json_object_size(map->source);
    struct map_entry *entries =
        run_spend(run, n) ? run_alloc(run, n * sizeof *entries) : NULL;
    if (entries == NULL) {
        return false;
    }
    size_t at = 0;
    for (void *i = json_object_iter(map->source); i != NULL;
         i = json_object_iter_next(map->source, i), at++) {
        entries[at].key =
            (struct fx_text){json_object_iter_key(i), json_object_iter_key_len(i)};
        if (!value_of_json(run, json_object_iter_value(i), map->integers,
                           &entries[at].value)) {
            return false;
        }
    }
    map->source = NULL;
    map->n = n;
    map->capacity = n;
    map->entries = entries;
    return value_map_sort(run, map);
}

/* Where the key is, or belongs. */
static size_t find(const struct map *map, struct fx_text key, bool *ret_found) {
    size_t low = 0;
    size_t high = map->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = fx_text_compare(map->entries[middle].key, key);
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_found = false;
    return low;
}

bool value_map_get(struct run *run, struct map *map, struct fx_text key,
                   struct value *ret_value) {
    if (!value_map_fill(run, map)) {
        return false;
    }
    bool found = false;
    const size_t at = find(map, key, &found);
    *ret_value = found ? map->entries[at].value : (struct value){.kind = VALUE_MISSING};
    return true;
}

/* Entries that may be written, with room for `more`. The old ones stay behind in the
 * arena. */
static bool own_entries(struct run *run, struct map *map, size_t more) {
    if (map->n + more <= map->capacity && !map->lent) {
        return true;
    }
    const size_t capacity = map->n < 4 ? 8 : map->n * 2;
    if (!run_spend_copy(run, map->n * sizeof *map->entries)) {
        return false;
    }
    struct map_entry *entries = run_alloc(run, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    if (map->n > 0) {
        memcpy(entries, map->entries, map->n * sizeof *entries);
    }
    map->entries = entries;
    map->capacity = capacity;
    map->lent = false;
    return true;
}

bool value_map_put(struct run *run, struct map *map, struct fx_text key,
                   struct value value) {
    if (map->nil) {
        return fx_fail(run->err, FX_EMUTATE, "assignment to entry in nil map");
    }
    if (!value_map_fill(run, map) || !own_entries(run, map, 1)) {
        return false;
    }
    value.boxed = false;
    if (value.kind == VALUE_MISSING) {
        value.kind = VALUE_NIL;
    }
    bool found = false;
    const size_t at = find(map, key, &found);
    if (found) {
        map->entries[at].value = value;
        return true;
    }
    struct map_entry *entry = map->entries + at;
    if (!run_spend_copy(run, (map->n - at) * sizeof *entry)) {
        return false;
    }
    memmove(entry + 1, entry, (map->n - at) * sizeof *entry);
    *entry = (struct map_entry){key, value};
    map->n++;
    return true;
}

bool value_map_remove(struct run *run, struct map *map, struct fx_text key) {
    if (!value_map_fill(run, map) || !own_entries(run, map, 0)) {
        return false;
    }
    bool found = false;
    const size_t at = find(map, key, &found);
    if (found) {
        struct map_entry *entry = map->entries + at;
        if (!run_spend_copy(run, (map->n - at) * sizeof *entry)) {
            return false;
        }
        map->n--;
        memmove(entry, entry + 1, (map->n - at) * sizeof *entry);
    }
    return true;
}

struct map *value_map_copy(struct run *run, struct map *map) {
    struct map *copy = value_map_fill(run, map) ? value_map_new(run) : NULL;
    if (copy == NULL) {
        return NULL;
    }
    copy->entries = run_alloc(run, map->n * sizeof *copy->entries);
    if (copy->entries == NULL) {
        return NULL;
    }
    if (map->n > 0) {
        memcpy(copy->entries, map->entries, map->n * sizeof *copy->entries);
    }
    copy->type = map->type;
    copy->n = map->n;
    copy->capacity = map->n;
    return copy;
}
