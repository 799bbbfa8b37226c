/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_copy.c - deep copies. (json_deep_copy() would truncate keys
 * at a NUL.)
 */
#include "mutators/gatekeeper/value_copy.h"

#include "value/tree.h"

/* A double holds every integer up to this one. */
#define EXACT_MAX ((json_int_t)1 << 53)

/* How integers are copied. */
enum integers {
    INTEGERS_KEPT,
    INTEGERS_AS_DOUBLES,
    INTEGERS_OF_ELEMENT, /* as doubles, except in the members of this object */
};

static json_t *copy_value(json_t *value, enum integers integers);

static json_t *copy_member(json_t *value, enum integers integers) {
    if (integers != INTEGERS_OF_ELEMENT) {
        return copy_value(value, integers);
    }
    return copy_value(value,
                      json_is_integer(value) ? INTEGERS_KEPT : INTEGERS_AS_DOUBLES);
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

static json_t *copy_array(json_t *array, enum integers integers) {
    const enum integers within =
        integers == INTEGERS_KEPT ? INTEGERS_KEPT : INTEGERS_AS_DOUBLES;
    json_t *made = json_array();
    for (size_t i = 0; made != NULL && i < json_array_size(array); i++) {
        json_t *value = json_array_get(array, i);
        const bool is_element = json_is_object(value) && integers != INTEGERS_KEPT;
        if (!fx_tree_append_take(
                made, copy_value(value, is_element ? INTEGERS_OF_ELEMENT : within))) {
            json_decref(made);
            return NULL;
        }
    }
    return made;
}

static json_t *copy_integer(json_int_t value, enum integers integers) {
    return integers == INTEGERS_KEPT || value > EXACT_MAX || value < -EXACT_MAX
               ? json_integer(value)
               : json_real((double)value);
}

static json_t *copy_value(json_t *value, enum integers integers) {
    if (value == NULL) {
        return NULL;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT: return copy_object(value, integers);
    case JSON_ARRAY: return copy_array(value, integers);
    case JSON_STRING: return fx_tree_new_string(fx_tree_text(value));
    case JSON_INTEGER: return copy_integer(json_integer_value(value), integers);
    case JSON_REAL: return json_real(json_real_value(value));
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: return value; /* all nulls are the same node */
    }
    return NULL;
}

json_t *fx_value_copy(json_t *value) {
    return copy_value(value, INTEGERS_KEPT);
}

json_t *fx_value_copy_doubles(json_t *value, bool is_element) {
    return copy_value(value, is_element ? INTEGERS_OF_ELEMENT : INTEGERS_AS_DOUBLES);
}
