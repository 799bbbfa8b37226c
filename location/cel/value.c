/* SPDX-License-Identifier: Apache-2.0
 *
 * value.c - values of the object's tree, and reading lists and maps of either form.
 */
#include "location/cel/value.h"

#include "base/budget.h"
#include "location/cel/map.h"
#include "location/cel/number.h"
#include "value/tree.h"

static void set_string(struct fx_cel_value *ret, const json_t *node) {
    ret->kind = FX_CEL_STRING;
    ret->runes = FX_CEL_RUNES_UNKNOWN;
    ret->text.data = json_string_value(node);
    ret->text.len = json_string_length(node);
}

static void set_tree(struct fx_cel_value *ret, uint8_t kind, const json_t *node) {
    ret->kind = kind;
    ret->flags = FX_CEL_IN_TREE;
    ret->node = node;
}

static void set_bool(struct fx_cel_value *ret, bool boolean) {
    ret->kind = FX_CEL_BOOL;
    ret->boolean = boolean;
}

void fx_cel_set_node(struct fx_cel_value *ret, const json_t *node) {
    ret->flags = 0;
    ret->runes = 0;
    switch (json_typeof(node)) {
    case JSON_OBJECT: set_tree(ret, FX_CEL_MAP, node); return;
    case JSON_ARRAY: set_tree(ret, FX_CEL_LIST, node); return;
    case JSON_STRING: set_string(ret, node); return;
    case JSON_INTEGER:
        ret->kind = FX_CEL_INT;
        ret->integer = json_integer_value(node);
        return;
    case JSON_REAL:
        ret->kind = FX_CEL_DOUBLE;
        ret->real = json_real_value(node);
        return;
    case JSON_TRUE: set_bool(ret, true); return;
    case JSON_FALSE: set_bool(ret, false); return;
    case JSON_NULL: break;
    }
    ret->kind = FX_CEL_NULL;
}

struct fx_cel_value fx_cel_make_node(const json_t *node) {
    struct fx_cel_value value = {.kind = FX_CEL_NULL};
    fx_cel_set_node(&value, node);
    return value;
}

static bool is_in_tree(struct fx_cel_value value) {
    return (value.flags & FX_CEL_IN_TREE) != 0;
}

size_t fx_cel_list_size(struct fx_cel_value list) {
    return is_in_tree(list) ? json_array_size(list.node) : list.list->n;
}

struct fx_cel_value fx_cel_list_at(struct fx_cel_value list, size_t index) {
    return is_in_tree(list) ? fx_cel_make_node(json_array_get(list.node, index))
                            : list.list->items[index];
}

size_t fx_cel_map_size(struct fx_cel_value map) {
    return is_in_tree(map) ? json_object_size(map.node) : map.map->n;
}

bool fx_cel_map_find_text(struct fx_cel_value map, struct fx_text key,
                          struct fx_cel_value *ret_value) {
    if (is_in_tree(map)) {
        const json_t *node = fx_tree_view_text(map.node, key);
        if (node != NULL) {
            *ret_value = fx_cel_make_node(node);
        }
        return node != NULL;
    }
    const struct fx_cel_map_entry *entry =
        fx_cel_map_entry_of(map.map, fx_cel_make_string(key));
    if (entry != NULL) {
        *ret_value = entry->value;
    }
    return entry != NULL;
}

/* The entry of a number of another kind that is the same, as the original looks for it:
 * a double finds integers, an integer the other kind of integer only. */
static const struct fx_cel_map_entry *find_number(const struct fx_cel_map *map,
                                                  struct fx_cel_value key) {
    int64_t integer = 0;
    uint64_t uinteger = 0;
    const struct fx_cel_map_entry *entry = NULL;
    if (key.kind != FX_CEL_INT && fx_cel_number_to_int(key, &integer)) {
        entry = fx_cel_map_entry_of(map, fx_cel_make_int(integer));
    }
    if (entry == NULL && key.kind != FX_CEL_UINT &&
        fx_cel_number_to_uint(key, &uinteger)) {
        entry = fx_cel_map_entry_of(map, fx_cel_make_uint(uinteger));
    }
    return entry;
}

bool fx_cel_map_find(struct fx_cel_value map, struct fx_cel_value key,
                     struct fx_cel_value *ret_value) {
    if (key.kind == FX_CEL_STRING) {
        return fx_cel_map_find_text(map, key.text, ret_value);
    }
    if (is_in_tree(map)) {
        return false; /* all keys are strings */
    }
    const struct fx_cel_map_entry *entry = fx_cel_map_entry_of(map.map, key);
    if (entry == NULL) {
        entry = find_number(map.map, key);
    }
    if (entry != NULL) {
        *ret_value = entry->value;
    }
    return entry != NULL;
}

void fx_cel_map_walk_start(struct fx_cel_map_walk *walk, struct fx_cel_value map) {
    *walk = (struct fx_cel_map_walk){0};
    if (is_in_tree(map)) {
        walk->node = map.node;
        walk->iter = fx_node_first(map.node);
    } else {
        walk->map = map.map;
    }
}

bool fx_cel_map_walk_next(struct fx_cel_map_walk *walk,
                          struct fx_cel_map_entry *ret_entry) {
    if (walk->map != NULL) {
        if (walk->next >= walk->map->n) {
            return false;
        }
        *ret_entry = walk->map->entries[walk->next++];
        return true;
    }
    if (walk->iter == NULL) {
        return false;
    }
    ret_entry->key = fx_cel_make_string(fx_node_key(walk->iter));
    ret_entry->value = fx_cel_make_node(json_object_iter_value(walk->iter));
    walk->iter = fx_node_next(walk->node, walk->iter);
    return true;
}

size_t fx_cel_count_runes(struct fx_cel_value string) {
    if (string.runes != FX_CEL_RUNES_UNKNOWN) {
        return string.runes;
    }
    size_t n = 0;
    (void)fx_spend_text(string.text.len);
    for (size_t i = 0; i < string.text.len; i++) {
        n += ((unsigned char)string.text.data[i] & 0xC0u) != 0x80u;
    }
    return n;
}
