/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_copy.c - json_deep_copy() would cut keys at a NUL.
 */
#include "mutators/gatekeeper/value_copy.h"

#include "value/tree.h"

static json_t *copy_object(json_t *object) {
    json_t *copy = json_object();
    const char *key = NULL;
    size_t len = 0;
    json_t *value = NULL;
    json_object_keylen_foreach(object, key, len, value) {
        if (copy != NULL &&
            !fx_tree_set_take(copy, (struct fx_text){key, len}, fx_value_copy(value))) {
            json_decref(copy);
            copy = NULL;
        }
    }
    return copy;
}

static json_t *copy_array(json_t *array) {
    json_t *copy = json_array();
    for (size_t i = 0; copy != NULL && i < json_array_size(array); i++) {
        if (!fx_tree_append_take(copy, fx_value_copy(json_array_get(array, i)))) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

json_t *fx_value_copy(json_t *value) {
    if (value == NULL) {
        return NULL;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT: return copy_object(value);
    case JSON_ARRAY: return copy_array(value);
    case JSON_STRING: return fx_tree_new_string(fx_tree_text(value));
    case JSON_INTEGER: return json_integer(json_integer_value(value));
    case JSON_REAL: return json_real(json_real_value(value));
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: return value; /* one node each, for all */
    }
    return NULL;
}
