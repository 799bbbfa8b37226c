/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/merge.c - merge and mergeOverwrite: maps filled from
 * others, in place, by the rules of the library behind Sprig.
 */
#include "location/sprig/dicts.h"

#include <string.h>

/* One merge under way. */
struct merging {
    struct run *run;
    bool overwrite; /* the later map wins */
};

static bool put(const struct merging *merging, struct map *to, const struct map *from,
                const struct map_entry *entry) {
    if (strcmp(to->type, TYPE_TEXTS) == 0 && strcmp(from->type, TYPE_TEXTS) != 0) {
        return fx_fail(merging->run->err, FX_EMUTATE,
                       "reflect.Value.SetMapIndex: value of type interface {} is not "
                       "assignable to type string");
    }
    return value_map_put(merging->run, to, entry->key, entry->value);
}

/* May a value take the place of the one that is there? A map never does of one that is
 * not empty. */
static bool may_replace(const struct merging *merging, const struct value *old,
                        const struct value *new) {
    const bool is_empty = !value_is_true(old);
    if (value_is_nil(new)) {
        return merging->overwrite;
    }
    return is_empty || (merging->overwrite && new->kind != VALUE_MAP);
}

static bool merge_maps(const struct merging *merging, struct map *to, struct map *from,
                       size_t depth);

static bool merge_entry(const struct merging *merging, struct map *to,
                        const struct map *from, const struct map_entry *entry,
                        size_t depth) {
    struct value old;
    if (!value_map_get(merging->run, to, entry->key, &old)) {
        return false;
    }
    if (old.kind == VALUE_MAP && entry->value.kind == VALUE_MAP &&
        !merge_maps(merging, old.map, entry->value.map, depth + 1)) {
        return false;
    }
    return !may_replace(merging, &old, &entry->value) || put(merging, to, from, entry);
}

/* Maps can hold each other, so that `from` may change meanwhile: what is walked through
 * are the entries that it had. */
static bool merge_maps(const struct merging *merging, struct map *to, struct map *from,
                       size_t depth) {
    if (!run_check_depth(merging->run, depth) || !value_map_fill(merging->run, from) ||
        !run_spend(merging->run, 1 + from->n)) {
        return false;
    }
    const struct map_entry *entries = from->entries;
    const size_t n = from->n;
    from->lent = true;
    for (size_t i = 0; i < n; i++) {
        if (!merge_entry(merging, to, from, &entries[i], depth)) {
            return false;
        }
    }
    return true;
}

/* A missing map is made, as long as there is something to put into it. */
static bool merge(struct call *call, bool overwrite) {
    const struct merging merging = {call->run, overwrite};
    struct map *to = call->arguments[0].map;
    for (size_t i = 1; i < call->n_arguments; i++) {
        struct map *from = call->arguments[i].map;
        if (to->nil && !from->nil) {
            to = value_map_new(call->run);
        }
        if (to == NULL || !merge_maps(&merging, to, from, 0)) {
            return false;
        }
    }
    *call->ret = value_map(to);
    return true;
}

bool call_merge(struct call *call) {
    return merge(call, false);
}

bool call_merge_overwrite(struct call *call) {
    return merge(call, true);
}
