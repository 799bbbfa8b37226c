/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern_tree.c - matches maps and lists with the anchors of patterns.
 */
#include "anchor.h"
#include "base/budget.h"
#include "base/wildcard.h"
#include "pattern.h"
#include "value/tree.h"

enum pattern_match {
    PATTERN_MATCHES,
    PATTERN_SKIPS, /* a condition does not hold: in a list, only this element is out */
    PATTERN_FAILS,
};

/* Where the walk is: only below metadata, the keys of labels and annotations may have
 * wildcards. */
enum pattern_place { PLACE_OTHER, PLACE_METADATA, PLACE_LABELS };

static enum pattern_match match_tree(const json_t *value, const json_t *pattern,
                                     enum pattern_place place, struct fx_arena *arena);

static enum pattern_place place_of(enum pattern_place above, struct fx_text name) {
    if (fx_text_is(name, "metadata")) {
        return PLACE_METADATA;
    }
    const bool is_labels = fx_text_is(name, "labels") || fx_text_is(name, "annotations");
    return above == PLACE_METADATA && is_labels ? PLACE_LABELS : PLACE_OTHER;
}

/* ---- maps ----------------------------------------------------------------------------
 */

/* A map of the pattern against a map of the object. */
struct map_match {
    const json_t *value;
    enum pattern_place place;
    struct fx_arena *arena;
};

/* The field for a key of the pattern; NULL: the object has none. */
static const json_t *find_field(const struct map_match *map, struct fx_text name) {
    const json_t *found = fx_tree_view_text(map->value, name);
    if (found != NULL || map->place != PLACE_LABELS || !fx_wildcard_is_pattern(name)) {
        return found;
    }
    for (void *iter = fx_node_first(map->value); iter != NULL;
         iter = fx_node_next(map->value, iter)) {
        if (!fx_spend(1) || fx_wildcard_match(name, fx_node_key(iter))) {
            return json_object_iter_value(iter);
        }
    }
    return NULL;
}

static enum pattern_match match_field(const struct map_match *map, struct fx_text name,
                                      const json_t *field, const json_t *pattern) {
    return match_tree(field, pattern, place_of(map->place, name), map->arena);
}

/* ^(k): for each entry of the pattern, some element of the list matches. */
static enum pattern_match match_existence(const struct map_match *map,
                                          struct fx_text name, const json_t *list,
                                          const json_t *patterns) {
    for (size_t i = 0; i < json_array_size(patterns); i++) {
        bool found = false;
        for (size_t j = 0; !found && j < json_array_size(list); j++) {
            found = match_field(map, name, json_array_get(list, j),
                                json_array_get(patterns, i)) == PATTERN_MATCHES;
        }
        if (!found) {
            return PATTERN_FAILS;
        }
    }
    return json_is_array(patterns) && json_is_array(list) ? PATTERN_MATCHES
                                                          : PATTERN_FAILS;
}

static enum pattern_match match_anchor(const struct map_match *map,
                                       struct kyverno_key key, const json_t *pattern) {
    const json_t *field = find_field(map, key.name);
    if (key.anchor == KYVERNO_ANCHOR_CONDITION) {
        return field != NULL &&
                       match_field(map, key.name, field, pattern) == PATTERN_MATCHES
                   ? PATTERN_MATCHES
                   : PATTERN_SKIPS;
    }
    if (key.anchor == KYVERNO_ANCHOR_NEGATION) {
        return field == NULL ? PATTERN_MATCHES : PATTERN_FAILS;
    }
    if (key.anchor == KYVERNO_ANCHOR_ADD) {
        /* It has no meaning in a pattern: no object has a field with this mark. */
        return match_field(map, key.name, NULL, pattern);
    }
    if (field == NULL) {
        return PATTERN_MATCHES;
    }
    return key.anchor == KYVERNO_ANCHOR_EXISTENCE
               ? match_existence(map, key.name, field, pattern)
               : match_field(map, key.name, field, pattern);
}

static enum pattern_match match_plain(const struct map_match *map, struct fx_text name,
                                      const json_t *pattern) {
    const json_t *field = find_field(map, name);
    if (fx_text_is(fx_tree_text(pattern), "*")) {
        return field != NULL && !json_is_null(field) ? PATTERN_MATCHES : PATTERN_FAILS;
    }
    return match_field(map, name, field, pattern);
}

/* Has a value of a pattern an anchor of any type in it? */
static bool has_any_anchor(const json_t *pattern) {
    for (size_t i = 0; i < json_array_size(pattern); i++) {
        if (!fx_spend(1) || has_any_anchor(json_array_get(pattern, i))) {
            return true;
        }
    }
    for (void *iter = fx_node_first(pattern); iter != NULL;
         iter = fx_node_next(pattern, iter)) {
        if (!fx_spend(1) ||
            fx_kyverno_key(fx_node_key(iter)).anchor != KYVERNO_ANCHOR_NONE ||
            has_any_anchor(json_object_iter_value(iter))) {
            return true;
        }
    }
    return false;
}

/* The keys that are matched one after the other: those with anchors, in the order of
 * their marks, then those with anchors below them, then the others. The order decides
 * whether an element of a list is skipped or fails. */
enum key_group { GROUP_ANCHORS_BELOW = KYVERNO_ANCHOR_END, GROUP_PLAIN, GROUP_END };

static unsigned group_of(struct kyverno_key key, const json_t *pattern) {
    if (key.anchor != KYVERNO_ANCHOR_NONE) {
        return key.anchor;
    }
    return has_any_anchor(pattern) ? GROUP_ANCHORS_BELOW : GROUP_PLAIN;
}

static enum pattern_match match_group(const struct map_match *map, const json_t *pattern,
                                      unsigned group) {
    enum pattern_match match = PATTERN_MATCHES;
    for (void *iter = fx_node_first(pattern); iter != NULL && match == PATTERN_MATCHES;
         iter = fx_node_next(pattern, iter)) {
        const struct kyverno_key key = fx_kyverno_key(fx_node_key(iter));
        const json_t *below = json_object_iter_value(iter);
        if (group_of(key, below) == group) {
            match = key.anchor == KYVERNO_ANCHOR_NONE ? match_plain(map, key.name, below)
                                                      : match_anchor(map, key, below);
        }
    }
    return match;
}

static enum pattern_match match_map(const json_t *value, const json_t *pattern,
                                    enum pattern_place place, struct fx_arena *arena) {
    if (!json_is_object(value)) {
        return PATTERN_FAILS;
    }
    const struct map_match map = {value, place, arena};
    enum pattern_match match = PATTERN_MATCHES;
    for (unsigned group = KYVERNO_ANCHOR_CONDITION;
         group < GROUP_END && match == PATTERN_MATCHES; group++) {
        match = match_group(&map, pattern, group);
    }
    return match;
}

/* ---- lists ---------------------------------------------------------------------------
 */

/* Every element matches the pattern; elements whose conditions do not hold do not count,
 * unless these are all. */
static enum pattern_match match_elements(const json_t *list, const json_t *pattern,
                                         enum pattern_place place,
                                         struct fx_arena *arena) {
    bool one_matches = json_array_size(list) == 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const enum pattern_match match =
            match_tree(json_array_get(list, i), pattern, place, arena);
        if (match == PATTERN_FAILS) {
            return PATTERN_FAILS;
        }
        one_matches = one_matches || match == PATTERN_MATCHES;
    }
    return one_matches ? PATTERN_MATCHES : PATTERN_SKIPS;
}

static enum pattern_match match_list(const json_t *list, const json_t *pattern,
                                     enum pattern_place place, struct fx_arena *arena) {
    const json_t *first = json_array_get(pattern, 0);
    if (!json_is_array(list) || first == NULL) {
        return PATTERN_FAILS;
    }
    if (!json_is_array(first)) {
        return match_elements(list, first, place, arena);
    }
    for (size_t i = 0; i < json_array_size(pattern); i++) {
        const json_t *element = json_array_get(list, i);
        const enum pattern_match match =
            element == NULL
                ? PATTERN_FAILS
                : match_tree(element, json_array_get(pattern, i), place, arena);
        if (match != PATTERN_MATCHES) {
            return match;
        }
    }
    return PATTERN_MATCHES;
}

static enum pattern_match match_tree(const json_t *value, const json_t *pattern,
                                     enum pattern_place place, struct fx_arena *arena) {
    if (!fx_spend(1)) {
        return PATTERN_FAILS;
    }
    if (json_is_object(pattern)) {
        return match_map(value, pattern, place, arena);
    }
    if (json_is_array(pattern)) {
        return match_list(value, pattern, place, arena);
    }
    if (json_is_array(value)) {
        return match_elements(value, pattern, place, arena);
    }
    return fx_kyverno_match_scalar(value == NULL ? json_null() : value, pattern, arena)
               ? PATTERN_MATCHES
               : PATTERN_FAILS;
}

bool fx_kyverno_match_pattern(struct fx_text name, const json_t *value,
                              const json_t *pattern, struct fx_arena *arena) {
    return match_tree(value, pattern, place_of(PLACE_OTHER, name), arena) ==
           PATTERN_MATCHES;
}
