/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespace_table.c - a sorted array of name and labels. The labels
 * are kept as JSON: a tree of them takes six times the memory, and most namespaces are
 * never asked for.
 */
#include "cluster/references/namespace_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "kube/body.h"
#include "value/json.h"
#include "value/tree.h"

struct fx_namespace_entry {
    uint32_t name_len, labels_len; /* no labels: no text */
    char text[];                   /* the name, then the labels as JSON */
};

static struct fx_text name_of(const struct fx_namespace_entry *space) {
    return (struct fx_text){space->text, space->name_len};
}

static struct fx_text labels_of(const struct fx_namespace_entry *space) {
    return (struct fx_text){space->text + space->name_len, space->labels_len};
}

static size_t lower_bound(const struct fx_namespace_table *spaces, struct fx_text name) {
    size_t from = 0;
    size_t to = spaces->n_items;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (fx_text_compare(name_of(spaces->items[middle]), name) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static bool stands_at(const struct fx_namespace_table *spaces, size_t at,
                      struct fx_text name) {
    return at < spaces->n_items && fx_text_equal(name_of(spaces->items[at]), name);
}

/* ---- one ------------------------------------------------------------------------- */

static json_t *view_labels(const json_t *object) {
    json_t *labels = fx_tree_view_key(fx_tree_view_key(object, "metadata"), "labels");
    return json_is_object(labels) && json_object_size(labels) > 0 ? labels : NULL;
}

static struct fx_text view_name(const json_t *object) {
    return fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name");
}

static struct fx_namespace_entry *make(const json_t *object) {
    const struct fx_text name = view_name(object);
    const json_t *labels = view_labels(object);
    struct fx_buf json;
    fx_buf_init(&json, 0);
    if (labels != NULL) {
        fx_json_write(&json, labels, FX_JSON_COMPACT);
    }
    const size_t size = sizeof(struct fx_namespace_entry) + name.len + json.len;
    struct fx_namespace_entry *space = json.failed ? NULL : malloc(size);
    if (space != NULL) {
        space->name_len = (uint32_t)name.len;
        space->labels_len = (uint32_t)json.len;
        memcpy(space->text, name.data, name.len);
        if (json.len > 0) {
            memcpy(space->text + name.len, json.data, json.len);
        }
    }
    fx_buf_finish(&json);
    return space;
}

/* A Namespace of that name; takes over the labels (NULL: none). */
static json_t *describe(struct fx_text name, json_t *labels_take) {
    json_t *object = json_object();
    json_t *metadata = json_object();
    bool ok = object != NULL && metadata != NULL &&
              fx_kube_body_set_text(object, "apiVersion", FX_TEXT("v1")) &&
              fx_kube_body_set_text(object, "kind", FX_TEXT("Namespace")) &&
              fx_kube_body_set_text(metadata, "name", name);
    ok = ok && (labels_take == NULL ||
                fx_tree_set_take(metadata, FX_TEXT("labels"), json_incref(labels_take)));
    ok = ok && fx_tree_set_take(object, FX_TEXT("metadata"), json_incref(metadata));
    json_decref(labels_take);
    json_decref(metadata);
    if (!ok) {
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *fx_namespace_reduce(const json_t *object) {
    return describe(view_name(object), json_incref(view_labels(object)));
}

/* ---- all ------------------------------------------------------------------------- */

bool fx_namespace_table_put(struct fx_namespace_table *spaces, const json_t *object) {
    struct fx_namespace_entry *space = make(object);
    if (space == NULL) {
        return false;
    }
    const size_t at = lower_bound(spaces, name_of(space));
    if (stands_at(spaces, at, name_of(space))) {
        free(spaces->items[at]);
        spaces->items[at] = space;
        return true;
    }
    if (!FX_VEC_GROW(spaces->items, spaces->n_items, spaces->cap_items)) {
        free(space);
        return false;
    }
    struct fx_namespace_entry **slot = spaces->items + at;
    memmove(slot + 1, slot, (spaces->n_items - at) * sizeof(*slot));
    *slot = space;
    spaces->n_items++;
    return true;
}

void fx_namespace_table_remove(struct fx_namespace_table *spaces, struct fx_text name) {
    const size_t at = lower_bound(spaces, name);
    if (!stands_at(spaces, at, name)) {
        return;
    }
    struct fx_namespace_entry **slot = spaces->items + at;
    free(*slot);
    memmove(slot, slot + 1, (spaces->n_items - at - 1) * sizeof(*slot));
    spaces->n_items--;
}

bool fx_namespace_table_copy(const struct fx_namespace_table *spaces, struct fx_text name,
                             struct fx_namespace_entry **ret_space, bool *ret_nomem) {
    const size_t at = lower_bound(spaces, name);
    *ret_nomem = false;
    if (!stands_at(spaces, at, name)) {
        return false;
    }
    const struct fx_namespace_entry *space = spaces->items[at];
    const size_t size = sizeof *space + space->name_len + space->labels_len;
    struct fx_namespace_entry *copy = malloc(size);
    *ret_nomem = copy == NULL;
    if (copy != NULL) {
        memcpy(copy, space, size);
        *ret_space = copy;
    }
    return copy != NULL;
}

json_t *fx_namespace_entry_object(const struct fx_namespace_entry *space) {
    const struct fx_text text = labels_of(space);
    struct fx_err ignored = FX_ERR_INIT; /* we wrote it: only memory can be lacking */
    json_t *labels = text.len == 0 ? NULL : fx_json_read(text, NULL, &ignored);
    return text.len > 0 && labels == NULL ? NULL : describe(name_of(space), labels);
}

void fx_namespace_table_finish(struct fx_namespace_table *spaces) {
    for (size_t i = 0; i < spaces->n_items; i++) {
        free(spaces->items[i]);
    }
    free(spaces->items);
    *spaces = (struct fx_namespace_table){0};
}
