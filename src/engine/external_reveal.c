/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/external_reveal.c - words in place of placeholders, for messages.
 */
#include "engine/external.h"
#include "value/tree.h"

static json_t *reveal(const struct fx_placeholders *placeholders, json_t *value,
                      fx_placeholder_words *words);

static json_t *reveal_elements(const struct fx_placeholders *placeholders,
                               const json_t *list, fx_placeholder_words *words) {
    json_t *copy = json_array();
    for (size_t i = 0; copy != NULL && i < json_array_size(list); i++) {
        json_t *element = reveal(placeholders, json_array_get(list, i), words);
        if (!fx_tree_append_take(copy, element)) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

static json_t *reveal_members(const struct fx_placeholders *placeholders, json_t *object,
                              fx_placeholder_words *words) {
    json_t *copy = json_object();
    void *iter = copy == NULL ? NULL : json_object_iter(object);
    for (; iter != NULL; iter = json_object_iter_next(object, iter)) {
        const struct fx_text key = {json_object_iter_key(iter),
                                    json_object_iter_key_len(iter)};
        json_t *member = reveal(placeholders, json_object_iter_value(iter), words);
        if (!fx_tree_set_take(copy, key, member)) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

static json_t *reveal(const struct fx_placeholders *placeholders, json_t *value,
                      fx_placeholder_words *words) {
    struct fx_placeholder placeholder;
    if (fx_placeholders_find(placeholders, value, &placeholder)) {
        return words(&placeholder);
    }
    if (json_is_array(value)) {
        return reveal_elements(placeholders, value, words);
    }
    return json_is_object(value) ? reveal_members(placeholders, value, words)
                                 : json_incref(value);
}

json_t *fx_placeholders_reveal(const struct fx_placeholders *placeholders, json_t *value,
                               fx_placeholder_words *words) {
    return fx_placeholders_exist(placeholders) && value != NULL
               ? reveal(placeholders, value, words)
               : json_incref(value);
}
