/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/namespaces.c - a sorted list of Namespace objects.
 */
#include "policy/namespaces.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "value/tree.h"

/* The label that every API server gives every namespace. */
#define NAME_LABEL FX_TEXT("kubernetes.io/metadata.name")

void fx_namespaces_finish(struct fx_namespaces *namespaces) {
    if (namespaces == NULL) {
        return;
    }
    for (size_t i = 0; i < namespaces->n_objects; i++) {
        json_decref(namespaces->objects[i]);
    }
    free(namespaces->objects);
    *namespaces = (struct fx_namespaces){0};
}

static struct fx_text name_of(const json_t *object) {
    return fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name");
}

bool fx_namespaces_is_one(const json_t *document) {
    return fx_text_is(fx_tree_view_string(document, "apiVersion"), "v1") &&
           fx_text_is(fx_tree_view_string(document, "kind"), "Namespace") &&
           name_of(document).len > 0;
}

/* The index of the first namespace whose name is not before `name`. */
static size_t lower_bound(const struct fx_namespaces *namespaces, struct fx_text name) {
    size_t low = 0;
    size_t high = namespaces->n_objects;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (fx_text_compare(name_of(namespaces->objects[middle]), name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Does the namespace of that name stand at `at`? */
static bool stands_at(const struct fx_namespaces *namespaces, size_t at,
                      struct fx_text name) {
    return at < namespaces->n_objects &&
           fx_text_equal(name_of(namespaces->objects[at]), name);
}

bool fx_namespaces_add(struct fx_namespaces *namespaces, json_t *object) {
    const struct fx_text name = name_of(object);
    const size_t at = lower_bound(namespaces, name);
    if (stands_at(namespaces, at, name)) {
        json_incref(object);
        json_decref(namespaces->objects[at]);
        namespaces->objects[at] = object;
        return true;
    }
    if (!FX_VEC_GROW(namespaces->objects, namespaces->n_objects,
                     namespaces->cap_objects)) {
        return false;
    }
    json_t **slot = namespaces->objects + at;
    memmove(slot + 1, slot, (namespaces->n_objects - at) * sizeof(json_t *));
    *slot = json_incref(object);
    namespaces->n_objects++;
    return true;
}

/* A namespace, and its place among those given. */
struct given {
    struct fx_text name;
    json_t *object;
    size_t at;
};

static int compare_given(const void *a, const void *b) {
    const struct given *x = a;
    const struct given *y = b;
    const int order = fx_text_compare(x->name, y->name);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

/* Of several with one name the last: at most as many as there is room for. */
static void keep_last(struct fx_namespaces *namespaces, const struct given *given,
                      size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i + 1 == n || !fx_text_equal(given[i].name, given[i + 1].name)) {
            namespaces->objects[namespaces->n_objects++] = json_incref(given[i].object);
        }
    }
}

bool fx_namespaces_fill(struct fx_namespaces *namespaces, json_t *const *objects,
                        size_t n_objects) {
    assert(namespaces->n_objects == 0 && namespaces->objects == NULL);
    struct given *given = calloc(n_objects + 1, sizeof *given);
    json_t **room = calloc(n_objects + 1, sizeof(json_t *));
    if (given == NULL || room == NULL) {
        free(given);
        free(room);
        return false;
    }
    namespaces->objects = room;
    namespaces->cap_objects = n_objects + 1;
    for (size_t i = 0; i < n_objects; i++) {
        given[i] = (struct given){name_of(objects[i]), objects[i], i};
    }
    qsort(given, n_objects, sizeof *given, compare_given);
    keep_last(namespaces, given, n_objects);
    free(given);
    return true;
}

static bool set_string(json_t *object, struct fx_text key, struct fx_text value) {
    return fx_tree_set_take(object, key, fx_tree_new_string(value));
}

/* An empty object under `key`, borrowed; NULL without memory. */
static json_t *add_object(json_t *object, struct fx_text key) {
    json_t *child = json_object();
    return fx_tree_set_take(object, key, child) ? child : NULL;
}

static bool describe(json_t *object, struct fx_text name) {
    json_t *metadata = NULL;
    json_t *labels = NULL;
    return set_string(object, FX_TEXT("apiVersion"), FX_TEXT("v1")) &&
           set_string(object, FX_TEXT("kind"), FX_TEXT("Namespace")) &&
           (metadata = add_object(object, FX_TEXT("metadata"))) != NULL &&
           set_string(metadata, FX_TEXT("name"), name) &&
           (labels = add_object(metadata, FX_TEXT("labels"))) != NULL &&
           set_string(labels, NAME_LABEL, name);
}

json_t *fx_namespaces_find(const struct fx_namespaces *namespaces, struct fx_text name) {
    if (namespaces != NULL) {
        const size_t at = lower_bound(namespaces, name);
        if (stands_at(namespaces, at, name)) {
            return json_incref(namespaces->objects[at]);
        }
    }
    json_t *made = json_object();
    if (made != NULL && !describe(made, name)) {
        json_decref(made);
        made = NULL;
    }
    return made;
}
