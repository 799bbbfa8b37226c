/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/unmarshal.c - JSON values as fields of Go's types, with Go's messages for wrong
 * types.
 */
#include "engine/unmarshal.h"

#include <stdlib.h>
#include <string.h>

#include "value/tree.h"

/* Returns the name of a value's type in encoding/json. */
static const char *json_type_name(const json_t *node) {
    switch (json_typeof(node)) {
    case JSON_OBJECT: return "object";
    case JSON_ARRAY: return "array";
    case JSON_STRING: return "string";
    case JSON_INTEGER:
    case JSON_REAL: return "number";
    case JSON_TRUE:
    case JSON_FALSE: return "bool";
    case JSON_NULL: return "null";
    }
    return "value";
}

bool fx_fail_unmarshal(const json_t *node, const struct fx_go_field *field,
                       struct fx_err *err) {
    return fx_fail_in(err, node, FX_EINVALID,
                      "json: cannot unmarshal %s into Go struct field %s.%s of type %s",
                      json_type_name(node), field->owner, field->path, field->type);
}

static bool unmarshal(json_t *node, json_type wanted, const struct fx_go_field *field,
                      json_t **ret_node, struct fx_err *err) {
    *ret_node = NULL;
    if (node == NULL || json_is_null(node)) {
        return true;
    }
    if (json_typeof(node) != wanted) {
        return fx_fail_unmarshal(node, field, err);
    }
    *ret_node = node;
    return true;
}

bool fx_unmarshal_object(json_t *node, const struct fx_go_field *field, json_t **ret_node,
                         struct fx_err *err) {
    return unmarshal(node, JSON_OBJECT, field, ret_node, err);
}

bool fx_unmarshal_array(json_t *node, const struct fx_go_field *field, json_t **ret_node,
                        struct fx_err *err) {
    return unmarshal(node, JSON_ARRAY, field, ret_node, err);
}

bool fx_unmarshal_string(json_t *node, const struct fx_go_field *field, json_t **ret_node,
                         struct fx_err *err) {
    return unmarshal(node, JSON_STRING, field, ret_node, err);
}

/* Checks that all elements are strings or null, and adds up their bytes. */
static bool measure(const json_t *texts, const struct fx_go_field *field,
                    size_t *ret_bytes, struct fx_err *err) {
    size_t index = 0;
    json_t *element = NULL;
    *ret_bytes = 0;
    json_array_foreach (texts, index, element) {
        json_t *text = NULL;
        if (!fx_unmarshal_string(element, field, &text, err)) {
            return false;
        }
        *ret_bytes += fx_tree_text(text).len;
    }
    return true;
}

/* Returns the items, with their bytes after them; NULL without memory. */
static struct fx_text *copy_texts(const json_t *texts, size_t n_bytes) {
    const size_t n = json_array_size(texts);
    struct fx_text *items = malloc(n * sizeof *items + n_bytes);
    if (items == NULL) {
        return NULL;
    }
    char *to = (char *)(items + n);
    for (size_t i = 0; i < n; i++) {
        const struct fx_text text = fx_tree_text(json_array_get(texts, i));
        items[i] = text.len == 0 ? FX_TEXT("") : (struct fx_text){to, text.len};
        memcpy(to, items[i].len == 0 ? "" : text.data, text.len);
        to += text.len;
    }
    return items;
}

bool fx_text_list_read(json_t *array, const struct fx_go_field *field,
                       const char *element, struct fx_text_list *ret_list,
                       struct fx_err *err) {
    *ret_list = (struct fx_text_list){0};
    const struct fx_go_field one = {field->owner, field->path, element};
    json_t *texts = NULL;
    size_t n_bytes = 0;
    if (!fx_unmarshal_array(array, field, &texts, err) ||
        !measure(texts, &one, &n_bytes, err)) {
        return false;
    }
    if (json_array_size(texts) == 0) {
        return true;
    }
    struct fx_text *items = copy_texts(texts, n_bytes);
    if (items == NULL) {
        return fx_fail_nomem(err);
    }
    *ret_list = (struct fx_text_list){items, json_array_size(texts)};
    return true;
}

void fx_text_list_finish(struct fx_text_list *list) {
    if (list == NULL) {
        return;
    }
    free(list->items);
    *list = (struct fx_text_list){0};
}

bool fx_text_list_has(const struct fx_text_list *list, struct fx_text text) {
    for (size_t i = 0; i < list->n_items; i++) {
        if (fx_text_equal(list->items[i], text)) {
            return true;
        }
    }
    return false;
}
