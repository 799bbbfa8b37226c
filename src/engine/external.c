/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/external.c - the set of placeholders of a review.
 *
 * A placeholder is an ordinary node, so that the loop, the comparison and the diff need
 * no special case. It is an integer, because no location leads into an integer and no
 * mutator reads an integer as a text. A node is a placeholder if the set has its address
 * under its number: nodes of the input have other addresses, and the numbers are far from
 * those that users write.
 */
#include "engine/external.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/vec.h"
#include "value/tree.h"

#define FIRST_NUMBER INT64_MIN

struct placeholder_entry {
    struct fx_placeholder facts; /* `key` is the text of the member `key` below */
    json_t *key, *node;          /* both counted */
};

struct fx_placeholders {
    struct placeholder_entry *entries;
    size_t n_entries, cap_entries;
    json_t *nodes; /* indexed by request and key */
};

struct fx_placeholders *fx_placeholders_create(void) {
    struct fx_placeholders *placeholders = calloc(1, sizeof *placeholders);
    if (placeholders != NULL) {
        placeholders->nodes = json_object();
        if (placeholders->nodes == NULL) {
            free(placeholders);
            return NULL;
        }
    }
    return placeholders;
}

void fx_placeholders_destroy(struct fx_placeholders *placeholders) {
    if (placeholders == NULL) {
        return;
    }
    for (size_t i = 0; i < placeholders->n_entries; i++) {
        json_decref(placeholders->entries[i].key);
        json_decref(placeholders->entries[i].node);
    }
    free(placeholders->entries);
    json_decref(placeholders->nodes);
    free(placeholders);
}

/* Adds an entry under this name. NULL without memory. */
static json_t *add_placeholder(struct fx_placeholders *placeholders,
                               const struct fx_external *external, struct fx_text key,
                               struct fx_text name) {
    const json_int_t number = FIRST_NUMBER + (json_int_t)placeholders->n_entries;
    if (!FX_VEC_GROW(placeholders->entries, placeholders->n_entries,
                     placeholders->cap_entries)) {
        return NULL;
    }
    struct placeholder_entry entry = {.key = fx_tree_new_string(key),
                                      .node = json_integer(number)};
    if (entry.key == NULL || entry.node == NULL ||
        !fx_tree_set_take(placeholders->nodes, name, json_incref(entry.node))) {
        json_decref(entry.key);
        json_decref(entry.node);
        return NULL;
    }
    entry.facts = (struct fx_placeholder){external, fx_tree_text(entry.key)};
    placeholders->entries[placeholders->n_entries++] = entry;
    return entry.node;
}

json_t *fx_placeholders_make(struct fx_placeholders *placeholders,
                             const struct fx_external *external, struct fx_text key) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_printf(&buf, "%p ", (const void *)external);
    fx_buf_text(&buf, key);
    const struct fx_text name = fx_buf_view(&buf);
    json_t *node = NULL;
    if (!buf.failed) {
        node = fx_tree_view_text(placeholders->nodes, name);
        if (node == NULL) {
            node = add_placeholder(placeholders, external, key, name);
        }
    }
    fx_buf_finish(&buf);
    return json_incref(node);
}

bool fx_placeholders_find(const struct fx_placeholders *placeholders, const json_t *node,
                          struct fx_placeholder *ret_placeholder) {
    if (placeholders == NULL || !json_is_integer(node)) {
        return false;
    }
    const uint64_t index = (uint64_t)json_integer_value(node) - (uint64_t)FIRST_NUMBER;
    if (index >= placeholders->n_entries || placeholders->entries[index].node != node) {
        return false;
    }
    *ret_placeholder = placeholders->entries[index].facts;
    return true;
}

bool fx_placeholders_exist(const struct fx_placeholders *placeholders) {
    return placeholders != NULL && placeholders->n_entries > 0;
}

/* ---- texts in place of placeholders ---------------------------------------------- */

static json_t *reveal(const struct fx_placeholders *placeholders, json_t *value,
                      fx_placeholder_text *text);

static json_t *reveal_elements(const struct fx_placeholders *placeholders,
                               const json_t *list, fx_placeholder_text *text) {
    json_t *copy = json_array();
    for (size_t i = 0; copy != NULL && i < json_array_size(list); i++) {
        json_t *element = reveal(placeholders, json_array_get(list, i), text);
        if (!fx_tree_append_take(copy, element)) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

static json_t *reveal_members(const struct fx_placeholders *placeholders, json_t *object,
                              fx_placeholder_text *text) {
    json_t *copy = json_object();
    void *iter = copy == NULL ? NULL : json_object_iter(object);
    for (; iter != NULL; iter = json_object_iter_next(object, iter)) {
        const struct fx_text key = {json_object_iter_key(iter),
                                    json_object_iter_key_len(iter)};
        json_t *member = reveal(placeholders, json_object_iter_value(iter), text);
        if (!fx_tree_set_take(copy, key, member)) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

static json_t *reveal(const struct fx_placeholders *placeholders, json_t *value,
                      fx_placeholder_text *text) {
    struct fx_placeholder placeholder;
    if (fx_placeholders_find(placeholders, value, &placeholder)) {
        return text(&placeholder);
    }
    if (json_is_array(value)) {
        return reveal_elements(placeholders, value, text);
    }
    return json_is_object(value) ? reveal_members(placeholders, value, text)
                                 : json_incref(value);
}

json_t *fx_placeholders_reveal(const struct fx_placeholders *placeholders, json_t *value,
                               fx_placeholder_text *text) {
    return fx_placeholders_exist(placeholders) && value != NULL
               ? reveal(placeholders, value, text)
               : json_incref(value);
}
