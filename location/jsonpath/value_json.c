/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/value_json.c - values as JSON, for those who asked.
 */
#include <math.h>

#include "location/jsonpath/value.h"
#include "value/tree.h"

/* From here on Go's doubles print with an exponent, and its integers do not. */
#define PLAIN_COUNT 1000000

static json_t *fail_nomem(struct run *run) {
    run->is_over = true;
    (void)fx_fail_nomem(run->err);
    return NULL;
}

/* The value as the text that Go prints. */
static json_t *text_node(struct run *run, const struct value *value) {
    struct fx_text text = {0};
    if (!fx_jsonpath_text(run, value, &text)) {
        return NULL;
    }
    json_t *node = fx_tree_new_string(text);
    return node != NULL ? node : fail_nomem(run);
}

static json_t *list_node(struct run *run, const struct value *value) {
    json_t *node = json_array();
    bool ok = node != NULL || fail_nomem(run) != NULL;
    for (size_t i = 0; ok && i < value->as.list->n_values; i++) {
        json_t *entry = fx_jsonpath_json(run, &value->as.list->values[i]);
        ok = entry != NULL &&
             (json_array_append_new(node, entry) == 0 || fail_nomem(run) != NULL);
    }
    if (!ok) {
        json_decref(node);
        return NULL;
    }
    return node;
}

static json_t *map_node(struct run *run, const struct value *value) {
    json_t *node = json_object();
    bool ok = node != NULL || fail_nomem(run) != NULL;
    for (size_t i = 0; ok && i < value->as.map->n_members; i++) {
        const struct value_member *member = &value->as.map->members[i];
        json_t *child = fx_jsonpath_json(run, &member->value);
        ok = child != NULL &&
             (fx_tree_set_take(node, member->key, child) || fail_nomem(run) != NULL);
    }
    if (!ok) {
        json_decref(node);
        return NULL;
    }
    return node;
}

static json_t *checked(struct run *run, json_t *node) {
    return node != NULL ? node : fail_nomem(run);
}

static json_t *make(struct run *run, const struct value *value) {
    switch (value->kind) {
    case VALUE_NODE: return json_incref(value->as.node);
    case VALUE_NUMBER:
        return isfinite(value->as.number) ? checked(run, json_real(value->as.number))
                                          : text_node(run, value);
    case VALUE_INTEGER: return checked(run, json_integer(value->as.integer));
    case VALUE_COUNT:
        return value->as.integer < PLAIN_COUNT
                   ? checked(run, json_integer(value->as.integer))
                   : text_node(run, value);
    case VALUE_LIST: return list_node(run, value);
    case VALUE_MAP: return map_node(run, value);
    case VALUE_UNDEFINED:
    case VALUE_TEXT:
    case VALUE_DATE: break;
    }
    return text_node(run, value);
}

json_t *fx_jsonpath_json(struct run *run, const struct value *value) {
    if (!fx_jsonpath_spend(run, 1) || !fx_jsonpath_enter(run)) {
        return NULL;
    }
    json_t *node = make(run, value);
    fx_jsonpath_leave(run);
    return node;
}
