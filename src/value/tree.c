/* SPDX-License-Identifier: Apache-2.0
 *
 * value/tree.c - viewing, owning and writing jansson nodes. Copies are made here and not
 * with json_copy() and json_deep_copy(), which hide a refused allocation; the second one
 * also cuts keys at a NUL.
 */
#include "value/tree.h"

#include <assert.h>
#include <string.h>

#include "base/budget.h"
#include "base/heap.h"

bool fx_tree_is_unshared(const json_t *node) {
    assert(node != NULL);
    return __atomic_load_n(&node->refcount, __ATOMIC_ACQUIRE) == 1;
}

/* jansson does not accept a NULL key, even of length 0. */
static const char *key_bytes(struct fx_text key) {
    return key.data == NULL ? "" : key.data;
}

json_t *fx_tree_view_text(const json_t *object, struct fx_text key) {
    return json_object_getn(object, key_bytes(key), key.len);
}

json_t *fx_tree_view_key(const json_t *object, const char *key) {
    return json_object_getn(object, key, strlen(key));
}

struct fx_text fx_tree_text(const json_t *node) {
    if (!json_is_string(node)) {
        return (struct fx_text){NULL, 0};
    }
    return (struct fx_text){json_string_value(node), json_string_length(node)};
}

struct fx_text fx_tree_view_string(const json_t *object, const char *key) {
    return fx_tree_text(fx_tree_view_key(object, key));
}

/* A new value for the member of this key in a copy. */
struct new_member {
    struct fx_text key;
    json_t *value;
    bool is_in;
};

/* The price of copying. A copy is always completed: the caller notices an exceeded budget
 * when it spends. */
#define UNITS_OF_MEMBER    4u
#define ELEMENTS_OF_A_UNIT 2u
#define MOVES_OF_A_UNIT    32u

/* Copies an object. `other` may be NULL. */
static json_t *copy_object(const json_t *object, struct new_member *other) {
    json_t *copy = json_object();
    void *iter = fx_node_first(object);
    (void)fx_spend(UNITS_OF_MEMBER * json_object_size(object));
    for (; copy != NULL && iter != NULL; iter = fx_node_next(object, iter)) {
        const struct fx_text key = fx_node_key(iter);
        json_t *value = json_object_iter_value(iter);
        if (other != NULL && !other->is_in && fx_text_equal(key, other->key)) {
            other->is_in = true;
            value = other->value;
        }
        if (!fx_tree_set_take(copy, key, json_incref(value))) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

static json_t *copy_array(const json_t *array) {
    json_t *copy = json_array();
    (void)fx_spend(json_array_size(array) / ELEMENTS_OF_A_UNIT);
    for (size_t i = 0; copy != NULL && i < json_array_size(array); i++) {
        if (!fx_tree_append_take(copy, json_incref(json_array_get(array, i)))) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

/* Returns a new node with the same value, which shares the children of the old one. The
 * singletons true, false and null cannot be written, so they are returned themselves. */
static json_t *copy_level(json_t *node) {
    switch (json_typeof(node)) {
    case JSON_OBJECT: return copy_object(node, NULL);
    case JSON_ARRAY: return copy_array(node);
    case JSON_STRING: return fx_tree_new_string(fx_tree_text(node));
    case JSON_INTEGER: return json_integer(json_integer_value(node));
    case JSON_REAL: return json_real(json_real_value(node));
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: return node;
    }
    return NULL;
}

json_t *fx_tree_own_root(json_t **root) {
    if (fx_tree_is_unshared(*root)) {
        return *root;
    }
    json_t *copy = copy_level(*root);
    if (copy != NULL && copy != *root) {
        json_decref(*root);
        *root = copy;
    }
    return copy;
}

json_t *fx_tree_copy(const json_t *node) {
    return copy_level(fx_node_unconst(node));
}

/* Makes every child of an owned container a deep copy. */
static bool deepen(json_t *copy) {
    void *next = NULL;
    for (void *iter = fx_node_first(copy); iter != NULL; iter = next) {
        json_t *child = fx_tree_deep_copy(json_object_iter_value(iter));
        const struct fx_text key = fx_node_key(iter);
        next = fx_node_next(copy, iter);
        if (!fx_tree_set_take(copy, key, child)) {
            return false;
        }
    }
    for (size_t i = 0; i < json_array_size(copy); i++) {
        if (!fx_tree_set_index_take(copy, i,
                                    fx_tree_deep_copy(json_array_get(copy, i)))) {
            return false;
        }
    }
    return true;
}

json_t *fx_tree_deep_copy(const json_t *node) {
    if (node == NULL) {
        return NULL;
    }
    json_t *copy = copy_level(fx_node_unconst(node));
    const bool is_container = json_is_object(copy) || json_is_array(copy);
    return fx_tree_keep_if(copy != NULL && (!is_container || deepen(copy)), copy);
}

json_t *fx_tree_own_key(json_t *object, struct fx_text key) {
    json_t *child = fx_tree_view_text(object, key);
    if (child == NULL || fx_tree_is_unshared(child)) {
        return child;
    }
    json_t *copy = copy_level(child);
    if (copy == child) {
        return child;
    }
    return fx_tree_set_take(object, key, copy) ? copy : NULL;
}

json_t *fx_tree_own_index(json_t *array, size_t index) {
    json_t *child = json_array_get(array, index);
    if (child == NULL || fx_tree_is_unshared(child)) {
        return child;
    }
    json_t *copy = copy_level(child);
    if (copy == child) {
        return child;
    }
    return fx_tree_set_index_take(array, index, copy) ? copy : NULL;
}

bool fx_tree_set_take(json_t *object, struct fx_text key, json_t *value) {
    return json_object_setn_new_nocheck(object, key_bytes(key), key.len, value) == 0;
}

bool fx_tree_set_index_take(json_t *array, size_t index, json_t *value) {
    return json_array_set_new(array, index, value) == 0;
}

/* Spends for moving the elements of the array. */
static void spend_moves(const json_t *array) {
    (void)fx_spend(json_array_size(array) / MOVES_OF_A_UNIT);
}

bool fx_tree_insert_take(json_t *array, size_t index, json_t *value) {
    spend_moves(array);
    return json_array_insert_new(array, index, value) == 0;
}

bool fx_tree_append_take(json_t *array, json_t *value) {
    return json_array_append_new(array, value) == 0;
}

json_t *fx_tree_with_take(const json_t *object, struct fx_text key, json_t *value) {
    struct new_member member = {key, value, false};
    json_t *copy = value == NULL ? NULL : copy_object(object, &member);
    if (copy != NULL && !member.is_in &&
        !fx_tree_set_take(copy, key, json_incref(value))) {
        json_decref(copy);
        copy = NULL;
    }
    json_decref(value);
    return copy;
}

void fx_tree_remove_key(json_t *object, struct fx_text key) {
    (void)json_object_deln(object, key_bytes(key), key.len);
}

void fx_tree_remove_index(json_t *array, size_t index) {
    spend_moves(array);
    (void)json_array_remove(array, index);
}

json_t *fx_tree_new_string(struct fx_text text) {
    return json_stringn_nocheck(key_bytes(text), text.len);
}

/* jansson has no function that writes into a string. */
static void wipe_string(json_t *string) {
    const union {
        const char *shown;
        char *own;
    } bytes = {json_string_value(string)};
    fx_heap_wipe(bytes.own, json_string_length(string));
}

void fx_tree_wipe(json_t *node) {
    const char *key = NULL;
    json_t *child = NULL;
    size_t index = 0;
    if (node == NULL || !fx_tree_is_unshared(node)) {
        return;
    }
    if (json_is_string(node)) {
        wipe_string(node);
    }
    json_object_foreach (node, key, child) {
        fx_tree_wipe(child);
    }
    json_array_foreach (node, index, child) {
        fx_tree_wipe(child);
    }
}

const char *fx_tree_go_type(const json_t *node) {
    if (node == NULL) {
        return "<nil>";
    }
    switch (json_typeof(node)) {
    case JSON_OBJECT: return "map[string]interface {}";
    case JSON_ARRAY: return "[]interface {}";
    case JSON_STRING: return "string";
    case JSON_INTEGER: return "int64";
    case JSON_REAL: return "float64";
    case JSON_TRUE:
    case JSON_FALSE: return "bool";
    case JSON_NULL: return "<nil>";
    }
    return "<nil>";
}
