/* SPDX-License-Identifier: Apache-2.0
 *
 * typed_check.c - checks a tree against its schema, and finds atomic parts of it.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/budget.h"
#include "base/limits.h"
#include "merge/typed_internal.h"
#include "value/number.h"
#include "value/tree.h"

/* ---- paths and messages ------------------------------------------------------------ */

/* Prints the value of a key as structured-merge-diff does. */
static void print_key(struct fx_buf *buf, const json_t *value) {
    if (fx_typed_foreign_type(value) != NULL) {
        fx_buf_str(buf, "{{undefined}}");
    } else if (json_is_string(value)) {
        fx_text_quote_go(buf, fx_tree_text(value));
    } else if (json_is_number(value)) {
        fx_number_add(buf, value);
    } else {
        fx_buf_str(buf, json_is_true(value)    ? "true"
                        : json_is_false(value) ? "false"
                        : json_is_null(value)  ? "null"
                                               : "{{undefined}}");
    }
}

static void print_default(struct fx_buf *buf, const struct fx_schema_set *set,
                          const struct fx_schema_default *given) {
    if (given->is_number) {
        fx_buf_integer(buf, given->number);
    } else {
        fx_text_quote_go(buf, fx_text_of(set->texts + given->text));
    }
}

/* The key of the list that is the next one by name after `last`; n without one. */
static size_t find_next_key(struct fx_schema list, struct fx_text last) {
    const size_t n = fx_schema_node(list)->n;
    size_t next = n;
    for (size_t i = 0; i < n; i++) {
        const struct fx_text key = fx_schema_key(list, i);
        if ((last.data == NULL || fx_text_compare(key, last) > 0) &&
            (next == n || fx_text_compare(key, fx_schema_key(list, next)) < 0)) {
            next = i;
        }
    }
    return next;
}

/* Prints [containerPort=80,protocol="TCP"]: the keys that the item has or that have a
 * default, by name. */
static void print_item(struct fx_buf *buf, struct fx_schema list, const json_t *item) {
    const size_t n = fx_schema_node(list)->n;
    const char *separator = "[";
    struct fx_text last = {NULL, 0};
    for (size_t i = find_next_key(list, last); i < n; i = find_next_key(list, last)) {
        last = fx_schema_key(list, i);
        const json_t *given = fx_tree_view_text(item, last);
        const struct fx_schema_default *default_ = fx_schema_key_default(list, i);
        if (given == NULL && default_ == NULL) {
            continue;
        }
        fx_buf_str(buf, separator);
        fx_buf_text(buf, last);
        fx_buf_char(buf, '=');
        if (given != NULL) {
            print_key(buf, given);
        } else {
            print_default(buf, list.set, default_);
        }
        separator = ",";
    }
    fx_buf_char(buf, ']');
}

static void print_step(struct fx_buf *buf, const struct typed_path *path) {
    switch (path->step) {
    case TYPED_FIELD:
        fx_buf_char(buf, '.');
        fx_buf_text(buf, path->name);
        break;
    case TYPED_INDEX: fx_buf_printf(buf, "[%zu]", path->index); break;
    case TYPED_ITEM: print_item(buf, path->list, path->item); break;
    case TYPED_VALUE:
        fx_buf_str(buf, "[=");
        print_key(buf, path->item);
        fx_buf_char(buf, ']');
        break;
    }
}

/* Steps are printed from the root down: each pass over the path finds the next one. */
void fx_typed_print_path(struct fx_buf *buf, const struct typed_path *path) {
    for (const struct typed_path *printed = NULL; printed != path;) {
        const struct typed_path *next = path;
        while (next->above != printed) {
            next = next->above;
        }
        print_step(buf, next);
        printed = next;
    }
}

/* Keys of items may be long. */
#define MOST_MESSAGE_BYTES 16384u

bool fx_typed_is_full(const struct typed_walk *walk) {
    return walk->n_shown >= FX_LIMIT_REPORTED_FAULTS ||
           walk->messages->len > MOST_MESSAGE_BYTES;
}

void fx_typed_report(struct typed_walk *walk, const struct typed_path *path,
                     const char *fmt, ...) {
    va_list args;
    walk->n_messages++;
    if (fx_typed_is_full(walk)) {
        return;
    }
    walk->n_shown++;
    fx_buf_str(walk->messages, "\n  ");
    fx_typed_print_path(walk->messages, path);
    va_start(args, fmt);
    fx_buf_vprintf(walk->messages, fmt, args);
    va_end(args);
}

/* ---- types ------------------------------------------------------------------------- */

/* A foreign value is a string that begins with a byte that no UTF-8 has, so that it is
 * equal to no other value. */
#define FOREIGN_MARK '\xff'

json_t *fx_typed_new_foreign(const char *go_type) {
    char text[64];
    const int len = snprintf(text, sizeof text, "%c%s", FOREIGN_MARK, go_type);
    assert(len > 0 && (size_t)len < sizeof text);
    return json_stringn_nocheck(text, (size_t)len);
}

const char *fx_typed_foreign_type(const json_t *node) {
    const char *text = json_string_value(node);
    return text != NULL && text[0] == FOREIGN_MARK ? text + 1 : NULL;
}

enum fx_schema_type fx_typed_type(struct fx_schema schema, const json_t *node) {
    const enum fx_schema_type type = (enum fx_schema_type)fx_schema_node(schema)->type;
    if (type != FX_SCHEMA_ANY) {
        return type;
    }
    return json_is_array(node) ? FX_SCHEMA_LIST
           : json_is_object(node) || json_is_null(node) ||
                   fx_typed_foreign_type(node) != NULL
               ? FX_SCHEMA_MAP
               : FX_SCHEMA_SCALAR;
}

struct fx_schema fx_typed_member(struct fx_schema schema, struct fx_text name) {
    const uint8_t type = fx_schema_node(schema)->type;
    return type == FX_SCHEMA_STRUCT ? fx_schema_field(schema, name)
           : type == FX_SCHEMA_MAP  ? fx_schema_element(schema)
                                    : fx_schema_any;
}

struct fx_schema fx_typed_element(struct fx_schema list) {
    return fx_schema_node(list)->type == FX_SCHEMA_LIST ? fx_schema_element(list)
                                                        : fx_schema_any;
}

/* ---- checking ---------------------------------------------------------------------- */

/* Does a scalar of this type accept the value? */
static bool accepts_scalar(enum fx_schema_type type, const json_t *node) {
    if (fx_typed_foreign_type(node) != NULL) {
        return false;
    }
    return json_is_null(node) ||
           (type == FX_SCHEMA_NUMBER   ? json_is_number(node)
            : type == FX_SCHEMA_STRING ? json_is_string(node)
            : type == FX_SCHEMA_BOOL   ? json_is_boolean(node)
                                       : !json_is_object(node) && !json_is_array(node));
}

/* The messages do not quote the value, which may be that of a Secret. */
static void check_scalar(struct typed_walk *walk, enum fx_schema_type type,
                         const json_t *node, const struct typed_path *path) {
    const char *foreign = fx_typed_foreign_type(node);
    if (accepts_scalar(type, node)) {
        return;
    }
    if (type == FX_SCHEMA_NUMBER) {
        fx_typed_report(walk, path, ": expected numeric (int or float), got %s",
                        foreign != NULL ? foreign : fx_tree_go_type(node));
    } else {
        fx_typed_report(walk, path, ": expected %s{…}",
                        type == FX_SCHEMA_STRING ? "string, got &value.valueUnstructured"
                        : type == FX_SCHEMA_BOOL ? "boolean, got &"
                                                 : "any scalar, got &");
    }
}

/* An undeclared field ends the check of a configuration's object, as it does in the API
 * server. */
static void check_members(struct typed_walk *walk, struct fx_schema schema,
                          const json_t *node, const struct typed_path *path) {
    for (void *iter = fx_node_first(node); iter != NULL;
         iter = fx_node_next(node, iter)) {
        const struct typed_path step = {
            .above = path, .step = TYPED_FIELD, .name = fx_node_key(iter)};
        const struct fx_schema member = fx_typed_member(schema, step.name);
        if (member.set != NULL) {
            fx_typed_check(walk, member, json_object_iter_value(iter), &step);
        } else if (!walk->is_live) {
            fx_typed_report(walk, &step, ": field not declared in schema");
            return;
        }
    }
}

static void report_duplicate(struct typed_walk *walk, struct fx_schema list,
                             const json_t *item, const struct typed_path *path) {
    const struct typed_path step = {.step = fx_schema_node(list)->is_set ? TYPED_VALUE
                                                                         : TYPED_ITEM,
                                    .list = list,
                                    .item = item};
    struct fx_buf key;
    fx_buf_init(&key, 0);
    fx_buf_str(&key, "");
    if (!fx_typed_is_full(walk)) {
        fx_typed_print_path(&key, &step);
    }
    fx_typed_report(walk, path, ": duplicate entries for key %s",
                    key.failed ? "" : key.data);
    fx_buf_finish_part(walk->messages, &key);
}

/* Reports the elements of a configuration that have the key of one before. */
static void check_duplicates(struct typed_walk *walk, struct fx_schema list,
                             const json_t *node, const struct typed_path *path) {
    const size_t n = json_array_size(node);
    bool *seen = fx_arena_alloc(walk->arena, n * sizeof *seen);
    size_t *numbers = fx_arena_alloc(walk->arena, n * sizeof *numbers);
    if (seen == NULL || numbers == NULL ||
        !fx_typed_number_items(list, node, NULL, walk->arena, numbers)) {
        walk->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (seen[numbers[i]]) {
            report_duplicate(walk, list, json_array_get(node, i), path);
        }
        seen[numbers[i]] = true;
    }
}

/* Reports why the item has no key. False if it has one. */
static bool check_key(struct typed_walk *walk, struct fx_schema list, const json_t *item,
                      size_t index, const struct typed_path *path) {
    struct fx_buf fault;
    fx_buf_init(&fault, 0);
    const bool has_fault = fx_typed_print_item_fault(&fault, list, item);
    if (has_fault) {
        fx_typed_report(walk, path, ": element %zu: %s", index,
                        fault.failed ? "" : fault.data);
    }
    fx_buf_finish_part(walk->messages, &fault);
    return has_fault;
}

/* A list of items that are found by their key or value. An item without a key ends the
 * check of the list. */
static void check_items(struct typed_walk *walk, struct fx_schema list,
                        const json_t *node, const struct typed_path *path) {
    const size_t n = json_array_size(node);
    const enum typed_step step_of_item =
        fx_schema_node(list)->is_set ? TYPED_VALUE : TYPED_ITEM;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(node, i);
        const struct typed_path step = {
            .above = path, .step = step_of_item, .list = list, .item = item};
        if (check_key(walk, list, item, i, path)) {
            return;
        }
        fx_typed_check(walk, fx_schema_element(list), item, &step);
    }
    if (!walk->is_live) {
        check_duplicates(walk, list, node, path);
    }
}

static void check_elements(struct typed_walk *walk, struct fx_schema list,
                           const json_t *node, const struct typed_path *path) {
    for (size_t i = 0; i < json_array_size(node); i++) {
        const struct typed_path step = {.above = path, .step = TYPED_INDEX, .index = i};
        fx_typed_check(walk, fx_typed_element(list), json_array_get(node, i), &step);
    }
}

static bool has_items(struct fx_schema list) {
    const struct fx_schema_node *node = fx_schema_node(list);
    return node->type == FX_SCHEMA_LIST && !node->is_atomic;
}

static void check_list(struct typed_walk *walk, struct fx_schema schema,
                       const json_t *node, const struct typed_path *path) {
    if (!json_is_array(node)) {
        fx_typed_report(walk, path, ": expected list, got &{…}");
    } else if (has_items(schema)) {
        check_items(walk, schema, node, path);
    } else {
        check_elements(walk, schema, node, path);
    }
}

void fx_typed_check(struct typed_walk *walk, struct fx_schema schema, const json_t *node,
                    const struct typed_path *path) {
    const enum fx_schema_type type = fx_typed_type(schema, node);
    if (walk->failed || !fx_spend(5)) {
        walk->failed = true;
    } else if (type != FX_SCHEMA_STRUCT && type != FX_SCHEMA_MAP &&
               type != FX_SCHEMA_LIST) {
        check_scalar(walk, type, node, path);
    } else if (json_is_null(node)) {
        return;
    } else if (type == FX_SCHEMA_LIST) {
        check_list(walk, schema, node, path);
    } else if (!json_is_object(node)) {
        fx_typed_report(walk, path, ": expected map, got &{…}");
    } else {
        check_members(walk, schema, node, path);
    }
}

/* ---- the live object ----------------------------------------------------------------
 */

/* For each key, by its number, the item of the configuration; NULL without memory. */
static const json_t **find_items(struct typed_walk *walk, struct fx_schema list,
                                 const json_t *live, const json_t *patch,
                                 size_t **ret_numbers) {
    const size_t n_live = json_array_size(live);
    const size_t n = n_live + json_array_size(patch);
    const json_t **items = fx_arena_alloc(walk->arena, n * sizeof *items);
    *ret_numbers = fx_arena_alloc(walk->arena, n * sizeof **ret_numbers);
    if (items == NULL || *ret_numbers == NULL ||
        !fx_typed_number_items(list, live, patch, walk->arena, *ret_numbers)) {
        return NULL;
    }
    for (size_t i = n_live; i < n; i++) {
        items[(*ret_numbers)[i]] = json_array_get(patch, i - n_live);
    }
    return items;
}

/* Each item of a live list must have a key; its content is checked only if it is merged.
 */
static void check_live_items(struct typed_walk *walk, struct fx_schema list,
                             const json_t *live, const json_t *patch,
                             const struct typed_path *path) {
    size_t *numbers = NULL;
    const json_t **items = find_items(walk, list, live, patch, &numbers);
    walk->failed = walk->failed || items == NULL;
    for (size_t i = 0; !walk->failed && i < json_array_size(live); i++) {
        const json_t *item = json_array_get(live, i);
        const struct typed_path step = {
            .above = path, .step = TYPED_ITEM, .list = list, .item = item};
        if (check_key(walk, list, item, i, path)) {
            return;
        }
        if (items[numbers[i]] != NULL) {
            fx_typed_check_live(walk, fx_schema_element(list), item, items[numbers[i]],
                                &step);
        }
    }
}

static void check_live_members(struct typed_walk *walk, struct fx_schema schema,
                               const json_t *live, const json_t *patch,
                               const struct typed_path *path) {
    for (void *iter = fx_node_first(patch); iter != NULL;
         iter = fx_node_next(patch, iter)) {
        const struct typed_path step = {
            .above = path, .step = TYPED_FIELD, .name = fx_node_key(iter)};
        const struct fx_schema member = fx_typed_member(schema, step.name);
        const json_t *value = fx_tree_view_text(live, step.name);
        if (value != NULL && member.set != NULL) {
            fx_typed_check_live(walk, member, value, json_object_iter_value(iter), &step);
        }
    }
}

void fx_typed_check_live(struct typed_walk *walk, struct fx_schema schema,
                         const json_t *live, const json_t *patch,
                         const struct typed_path *path) {
    const enum fx_schema_type type = fx_typed_type(schema, live);
    const bool is_map = type == FX_SCHEMA_STRUCT || type == FX_SCHEMA_MAP;
    const bool is_keyed = has_items(schema) && !fx_schema_node(schema)->is_set;
    if (walk->failed || !fx_spend(5)) {
        walk->failed = true;
    } else if (is_map && json_is_object(live) && json_is_object(patch)) {
        check_live_members(walk, schema, live, patch, path);
    } else if (is_keyed && json_is_array(live) && json_is_array(patch)) {
        check_live_items(walk, schema, live, patch, path);
    } else {
        fx_typed_check(walk, schema, live, path);
    }
}

/* ---- atomic parts --------------------------------------------------------------------
 */

/* Values of maps are not looked at: structured-merge-diff's guard of the API server only
 * follows declared fields and list elements. */
void fx_typed_find_atomics(struct typed_walk *walk, struct fx_schema schema,
                           const json_t *node, const struct typed_path *path) {
    const struct fx_schema_node *type = fx_schema_node(schema);
    const bool is_any = type->type == FX_SCHEMA_ANY;
    const bool is_list = json_is_array(node) && (is_any || type->type == FX_SCHEMA_LIST);
    const bool is_map = json_is_object(node) && (is_any || type->type == FX_SCHEMA_MAP ||
                                                 type->type == FX_SCHEMA_STRUCT);
    if (walk->failed || !fx_spend(3)) {
        walk->failed = true;
        return;
    }
    if ((is_list && (is_any || type->is_atomic)) || (is_map && type->is_atomic)) {
        fx_typed_report(walk, path, "%s", "");
    }
    for (size_t i = 0; is_list && i < json_array_size(node); i++) {
        const struct typed_path step = {.above = path, .step = TYPED_INDEX, .index = i};
        fx_typed_find_atomics(walk, fx_typed_element(schema), json_array_get(node, i),
                              &step);
    }
    for (void *iter = is_map && type->type == FX_SCHEMA_STRUCT ? fx_node_first(node)
                                                               : NULL;
         iter != NULL; iter = fx_node_next(node, iter)) {
        const struct typed_path step = {
            .above = path, .step = TYPED_FIELD, .name = fx_node_key(iter)};
        const struct fx_schema field = fx_schema_field(schema, step.name);
        if (field.set != NULL) {
            fx_typed_find_atomics(walk, field, json_object_iter_value(iter), &step);
        }
    }
}
