/* SPDX-License-Identifier: Apache-2.0
 *
 * typed_items.c - the identity of the elements of sets and of lists with keys.
 */
#include <string.h>

#include "base/budget.h"
#include "merge/typed_internal.h"
#include "value/equal.h"
#include "value/hash.h"
#include "value/json_part.h"
#include "value/tree.h"

static bool has_some_key(struct fx_schema list, const json_t *item) {
    bool found = false;
    for (size_t i = 0; !found && i < fx_schema_node(list)->n; i++) {
        found = fx_tree_view_text(item, fx_schema_key(list, i)) != NULL ||
                fx_schema_key_default(list, i) != NULL;
    }
    return found;
}

/* Prints `["id" "port"]`, as Go prints a list of texts with %q. */
static void print_omitted_keys(struct fx_buf *buf, struct fx_schema list) {
    fx_buf_str(buf, "associative list with keys has an element that omits all key fields "
                    "[");
    for (size_t i = 0; i < fx_schema_node(list)->n; i++) {
        fx_buf_str(buf, i == 0 ? "" : " ");
        fx_text_quote_go(buf, fx_schema_key(list, i));
    }
    fx_buf_str(buf, "] (and doesn't have default values for any key fields)");
}

/* Was the element decoded in part, without one of its keys? */
static bool lacks_part(struct fx_schema list, const json_t *item) {
    bool lacks = false;
    for (size_t i = 0; !lacks && i < fx_schema_node(list)->n; i++) {
        lacks = fx_tree_view_text(item, fx_schema_key(list, i)) == NULL;
    }
    return lacks && fx_tree_view_text(item, FX_JSON_PARTIAL_KEY) != NULL;
}

bool fx_typed_has_key(struct fx_schema list, const json_t *item) {
    return fx_schema_node(list)->is_set
               ? !json_is_object(item) && !json_is_array(item)
               : json_is_object(item) && has_some_key(list, item) &&
                     !lacks_part(list, item);
}

bool fx_typed_print_item_fault(struct fx_buf *buf, struct fx_schema list,
                               const json_t *item) {
    const bool is_set = fx_schema_node(list)->is_set;
    if (is_set && (json_is_object(item) || json_is_array(item))) {
        fx_buf_str(buf, json_is_object(item)
                            ? "associative list without keys has an element that's a map "
                              "type"
                            : "not supported: associative list with lists as elements");
    } else if (!is_set && json_is_null(item)) {
        fx_buf_str(buf, "associative list with keys may not have a null element");
    } else if (!is_set && !json_is_object(item)) {
        fx_buf_str(buf, "associative list with keys may not have non-map elements");
    } else if (!is_set && lacks_part(list, item)) {
        fx_buf_str(buf, "the element was decoded in part, and its keys are not known");
    } else if (!is_set && !has_some_key(list, item)) {
        print_omitted_keys(buf, list);
    } else {
        return false;
    }
    return true;
}

/* ---- numbering --------------------------------------------------------------------- */

/* Lists up to this length are compared pair by pair. */
#define FEW_ITEMS 16

/* A list, and the defaults of its keys (NULL: none). */
struct keyed_list {
    struct fx_schema schema;
    json_t **defaults;
    size_t n_defaults;
};

static void finish_keys(struct keyed_list *list) {
    for (size_t i = 0; i < list->n_defaults; i++) {
        json_decref(list->defaults[i]);
    }
}

/* False without memory. */
static bool make_keys(struct keyed_list *list, struct fx_schema schema,
                      struct fx_arena *arena) {
    const size_t n = fx_schema_node(schema)->n;
    list->schema = schema;
    list->n_defaults = 0;
    list->defaults = fx_arena_alloc(arena, n * sizeof *list->defaults);
    for (size_t i = 0; list->defaults != NULL && i < n; i++) {
        const struct fx_schema_default *given = fx_schema_key_default(schema, i);
        list->defaults[i] =
            given == NULL ? NULL : fx_schema_default_node(schema.set, given);
        list->n_defaults = i + 1;
        if (given != NULL && list->defaults[i] == NULL) {
            finish_keys(list);
            return false;
        }
    }
    return list->defaults != NULL;
}

/* Key `i` of the item, or its default; NULL if there is neither. */
static const json_t *item_key(const struct keyed_list *list, const json_t *item,
                              size_t i) {
    const json_t *given = fx_tree_view_text(item, fx_schema_key(list->schema, i));
    return given != NULL ? given : list->defaults[i];
}

/* An element; `keys` has those of an object in a list with keys, otherwise it is NULL. */
struct keyed_item {
    const json_t *node;
    const json_t **keys;
};

/* The elements of both lists; NULL without memory. */
static struct keyed_item *read_items(const struct keyed_list *list, const json_t *a,
                                     const json_t *b, struct fx_arena *arena) {
    const size_t n_a = json_array_size(a);
    const size_t n = n_a + json_array_size(b);
    const size_t n_keys = list->n_defaults;
    const bool is_set = fx_schema_node(list->schema)->is_set;
    struct keyed_item *items = fx_arena_alloc(arena, n * sizeof *items);
    const json_t **keys = fx_arena_alloc(arena, n * n_keys * sizeof *keys);
    if (items == NULL || keys == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n && fx_spend(16 + 32 * n_keys); i++) {
        items[i].node = i < n_a ? json_array_get(a, i) : json_array_get(b, i - n_a);
        items[i].keys = is_set || !json_is_object(items[i].node) ? NULL : keys;
        for (size_t k = 0; items[i].keys != NULL && k < n_keys; k++) {
            *keys++ = item_key(list, items[i].node, k);
        }
    }
    return items;
}

static bool is_same_key(const json_t *a, const json_t *b) {
    return a == b || (a != NULL && b != NULL && fx_equal(a, b));
}

static bool is_same_item(const struct keyed_list *list, const struct keyed_item *a,
                         const struct keyed_item *b) {
    if (a->keys == NULL || b->keys == NULL) {
        return fx_equal(a->node, b->node);
    }
    size_t i = 0;
    while (i < list->n_defaults && is_same_key(a->keys[i], b->keys[i])) {
        i++;
    }
    return i == list->n_defaults;
}

/* Maps and lists, which are hardly ever keys, have the hash of their size. */
static uint64_t hash_key(struct fx_hash_key secret, const json_t *key) {
    if (key == NULL || json_is_object(key) || json_is_array(key)) {
        return json_object_size(key) + json_array_size(key);
    }
    (void)fx_spend(json_string_length(key) / FX_BUDGET_BYTES);
    return fx_hash_value(secret, key);
}

static uint64_t hash_item(struct fx_hash_key secret, const struct keyed_list *list,
                          const struct keyed_item *item) {
    if (item->keys == NULL) {
        return hash_key(secret, item->node);
    }
    uint64_t hash = 0;
    for (size_t i = 0; i < list->n_defaults; i++) {
        hash = hash * 31 + hash_key(secret, item->keys[i]);
    }
    return hash;
}

/* An open hash table of items by their key; slots hold 1 + the index of an item. */
struct item_table {
    size_t *slots;
    uint64_t *hashes;
    size_t n_slots;
    struct fx_hash_key secret;
};

static bool make_table(struct item_table *table, struct fx_arena *arena, size_t n) {
    table->n_slots = 4;
    while (table->n_slots < 2 * n) {
        table->n_slots *= 2;
    }
    table->slots = fx_arena_alloc(arena, table->n_slots * sizeof *table->slots);
    table->hashes = fx_arena_alloc(arena, (n + 1) * sizeof *table->hashes);
    table->secret = fx_hash_key_make();
    return table->slots != NULL && table->hashes != NULL;
}

/* The index of the first item with the key of item `i`, before it; else `i`. */
static size_t find_in_table(struct item_table *table, const struct keyed_list *list,
                            const struct keyed_item *items, size_t i) {
    const uint64_t hash = hash_item(table->secret, list, &items[i]);
    size_t at = (size_t)hash & (table->n_slots - 1);
    for (; table->slots[at] != 0 && fx_spend(1); at = (at + 1) & (table->n_slots - 1)) {
        const size_t other = table->slots[at] - 1;
        if (table->hashes[other] == hash &&
            is_same_item(list, &items[i], &items[other])) {
            return other;
        }
    }
    table->slots[at] = i + 1;
    table->hashes[i] = hash;
    return i;
}

static size_t find_before(const struct keyed_list *list, const struct keyed_item *items,
                          size_t i) {
    size_t other = 0;
    while (other < i && !is_same_item(list, &items[i], &items[other])) {
        other++;
    }
    return other;
}

static bool number_items(const struct keyed_list *list, const struct keyed_item *items,
                         size_t n, struct fx_arena *arena, size_t *ret_numbers) {
    struct item_table table = {.n_slots = 0};
    size_t next = 0;
    if (n > FEW_ITEMS && !make_table(&table, arena, n)) {
        return false;
    }
    for (size_t i = 0; i < n && fx_budget_exceeded() == FX_EXCEEDED_NOTHING; i++) {
        const size_t first = n > FEW_ITEMS ? find_in_table(&table, list, items, i)
                                           : find_before(list, items, i);
        ret_numbers[i] = first == i ? next++ : ret_numbers[first];
    }
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING;
}

bool fx_typed_number_items(struct fx_schema list, const json_t *a, const json_t *b,
                           struct fx_arena *arena, size_t *ret_numbers) {
    struct keyed_list keyed;
    if (!make_keys(&keyed, list, arena)) {
        return false;
    }
    const struct keyed_item *items = read_items(&keyed, a, b, arena);
    const bool ok = items != NULL &&
                    number_items(&keyed, items, json_array_size(a) + json_array_size(b),
                                 arena, ret_numbers);
    finish_keys(&keyed);
    return ok;
}
