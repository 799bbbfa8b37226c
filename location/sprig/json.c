/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/json.c - fromJson, toJson and their like. A plain one
 * hides what is wrong where its `must` twin says it.
 */
#include "value/json.h"
#include "base/err.h"
#include "location/sprig/defaults.h"
#include "location/sprig/json_print.h"
#include "value/tree.h"

static bool copy_node(struct run *run, json_t *node, struct value *ret_value);

static bool copy_array(struct run *run, json_t *array, struct value *ret_value) {
    struct list *list = value_list_new(run, json_array_size(array));
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        if (!copy_node(run, json_array_get(array, i), &list->values[i])) {
            return false;
        }
    }
    *ret_value = value_list(list);
    return true;
}

static bool copy_member(struct run *run, void *iterator, struct map_entry *ret_entry) {
    const struct fx_text name = {json_object_iter_key(iterator),
                                 json_object_iter_key_len(iterator)};
    return run_copy(run, name, &ret_entry->key) &&
           copy_node(run, json_object_iter_value(iterator), &ret_entry->value);
}

static bool copy_object(struct run *run, json_t *object, struct value *ret_value) {
    const size_t n = json_object_size(object);
    struct map *map = value_map_new(run);
    struct map_entry *entries = map == NULL ? NULL : run_alloc(run, n * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    map->entries = entries;
    map->capacity = n;
    for (void *i = json_object_iter(object); i != NULL;
         i = json_object_iter_next(object, i)) {
        if (!copy_member(run, i, &entries[map->n++])) {
            return false;
        }
    }
    *ret_value = value_map(map);
    return value_map_sort(run, map);
}

static bool copy_string(struct run *run, const json_t *node, struct value *ret_value) {
    struct fx_text copy = {0};
    if (!run_copy(run, fx_tree_text(node), &copy)) {
        return false;
    }
    *ret_value = value_string(copy);
    return true;
}

/* A value of its own memory: the node does not outlive the call. It is no deeper than the
 * reader lets it be. */
static bool copy_node(struct run *run, json_t *node, struct value *ret_value) {
    if (!run_spend(run, 1)) {
        return false;
    }
    switch (json_typeof(node)) {
    case JSON_OBJECT: return copy_object(run, node, ret_value);
    case JSON_ARRAY: return copy_array(run, node, ret_value);
    case JSON_STRING: return copy_string(run, node, ret_value);
    case JSON_INTEGER:
        *ret_value = value_float64((double)json_integer_value(node));
        return true;
    case JSON_REAL: *ret_value = value_float64(json_real_value(node)); return true;
    case JSON_TRUE: *ret_value = value_bool(true); return true;
    case JSON_FALSE: *ret_value = value_bool(false); return true;
    case JSON_NULL: break;
    }
    *ret_value = value_nil();
    return true;
}

static bool from_json(struct call *call) {
    json_t *root = fx_json_read(call->arguments[0].string, NULL, call->err);
    if (root == NULL) {
        return false;
    }
    const bool copied = copy_node(call->run, root, call->ret);
    json_decref(root);
    return copied;
}

bool call_must_from_json(struct call *call) {
    if (from_json(call)) {
        return true;
    }
    if (call->err->code == FX_ESYNTAX) {
        call->err->code = FX_EMUTATE;
    }
    call->err->off = 0; /* in a text that nobody sees */
    call->err->len = 0;
    return false;
}

bool call_from_json(struct call *call) {
    if (from_json(call)) {
        return true;
    }
    if (call->err->code != FX_ESYNTAX) {
        return false;
    }
    fx_err_reset(call->err);
    *call->ret = value_nil();
    return true;
}

static bool to_json(struct call *call, enum json_layout layout) {
    struct fx_buf *buf = run_scratch(call->run);
    return json_print(call->run, buf, &call->arguments[0], layout) &&
           run_take_scratch(call->run, call->ret);
}

/* Nothing where JSON has no such value. */
static bool to_json_or_nothing(struct call *call, enum json_layout layout) {
    if (to_json(call, layout)) {
        return true;
    }
    if (call->err->code != FX_EMUTATE) {
        return false;
    }
    fx_err_reset(call->err);
    *call->ret = value_string(FX_TEXT(""));
    return true;
}

bool call_to_json(struct call *call) {
    return to_json_or_nothing(call, LAYOUT_COMPACT);
}

bool call_must_to_json(struct call *call) {
    return to_json(call, LAYOUT_COMPACT);
}

bool call_to_pretty_json(struct call *call) {
    return to_json_or_nothing(call, LAYOUT_INDENTED);
}

bool call_must_to_pretty_json(struct call *call) {
    return to_json(call, LAYOUT_INDENTED);
}

/* Both of them: the plain one panics with the same words. */
bool call_to_raw_json(struct call *call) {
    return to_json(call, LAYOUT_RAW);
}
