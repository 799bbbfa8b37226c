/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_copy.c - deep copies with doubles.
 */
#include "mutators/gatekeeper/value_copy.h"

#include "value/tree.h"

/* A double holds every integer up to this one. */
#define EXACT_MAX ((json_int_t)1 << 53)

/* How the integers of a value are copied. */
enum integers {
    INTEGERS_AS_DOUBLES,
    INTEGERS_OF_ELEMENT, /* as doubles, except in the members of this object */
};

static json_t *copy_value(json_t *value, enum integers integers);

static json_t *copy_member(json_t *value, enum integers integers) {
    return integers == INTEGERS_OF_ELEMENT && json_is_integer(value)
               ? json_integer(json_integer_value(value))
               : copy_value(value, INTEGERS_AS_DOUBLES);
}

static json_t *copy_object(json_t *object, enum integers integers) {
    json_t *made = json_object();
    const char *key = NULL;
    size_t len = 0;
    json_t *value = NULL;
    json_object_keylen_foreach(object, key, len, value) {
        if (made != NULL && !fx_tree_set_take(made, (struct fx_text){key, len},
                                              copy_member(value, integers))) {
            json_decref(made);
            made = NULL;
        }
    }
    return made;
}

static json_t *copy_array(json_t *array) {
    json_t *made = json_array();
    for (size_t i = 0; made != NULL && i < json_array_size(array); i++) {
        json_t *value = json_array_get(array, i);
        if (!fx_tree_append_take(made, copy_value(value, json_is_object(value)
                                                             ? INTEGERS_OF_ELEMENT
                                                             : INTEGERS_AS_DOUBLES))) {
            json_decref(made);
            return NULL;
        }
    }
    return made;
}

static json_t *copy_integer(json_int_t value) {
    return value > EXACT_MAX || value < -EXACT_MAX ? json_integer(value)
                                                   : json_real((double)value);
}

static json_t *copy_value(json_t *value, enum integers integers) {
    if (value == NULL) {
        return NULL;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT: return copy_object(value, integers);
    case JSON_ARRAY: return copy_array(value);
    case JSON_INTEGER: return copy_integer(json_integer_value(value));
    case JSON_STRING:
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: return fx_tree_deep_copy(value);
    }
    return NULL;
}

json_t *fx_value_copy_doubles(json_t *value, bool is_element) {
    return copy_value(value, is_element ? INTEGERS_OF_ELEMENT : INTEGERS_AS_DOUBLES);
}
