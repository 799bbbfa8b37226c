/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/namespaces.c - a sorted list of Namespaces and Nodes.
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

static bool is_kind(const json_t *document, const char *kind) {
    return fx_text_is(fx_tree_view_string(document, "kind"), kind);
}

bool fx_namespaces_is_one(const json_t *document) {
    return fx_text_is(fx_tree_view_string(document, "apiVersion"), "v1") &&
           (is_kind(document, "Namespace") || is_kind(document, "Node")) &&
           name_of(document).len > 0;
}

/* What they are sorted by. */
struct key {
    bool is_node;
    struct fx_text name;
};

static struct key key_of(const json_t *object) {
    return (struct key){is_kind(object, "Node"), name_of(object)};
}

static int compare_keys(struct key a, struct key b) {
    return a.is_node != b.is_node ? (int)a.is_node - (int)b.is_node
                                  : fx_text_compare(a.name, b.name);
}

/* The index of the first object whose key is not before `key`. */
static size_t lower_bound(const struct fx_namespaces *namespaces, struct key key) {
    size_t low = 0;
    size_t high = namespaces->n_objects;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_keys(key_of(namespaces->objects[middle]), key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Does the object of that key stand at `at`? */
static bool stands_at(const struct fx_namespaces *namespaces, size_t at, struct key key) {
    return at < namespaces->n_objects &&
           compare_keys(key_of(namespaces->objects[at]), key) == 0;
}

bool fx_namespaces_add(struct fx_namespaces *namespaces, json_t *object) {
    const struct key key = key_of(object);
    const size_t at = lower_bound(namespaces, key);
    if (stands_at(namespaces, at, key)) {
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

/* An object, and its place among those given. */
struct given {
    struct key key;
    json_t *object;
    size_t at;
};

static int compare_given(const void *a, const void *b) {
    const struct given *x = a;
    const struct given *y = b;
    const int order = compare_keys(x->key, y->key);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

/* Of several with one name the last: at most as many as there is room for. */
static void keep_last(struct fx_namespaces *namespaces, const struct given *given,
                      size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i + 1 == n || compare_keys(given[i].key, given[i + 1].key) != 0) {
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
        given[i] = (struct given){key_of(objects[i]), objects[i], i};
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

/* The object of that key as a new reference, or NULL. */
static json_t *find(const struct fx_namespaces *namespaces, struct key key) {
    if (namespaces == NULL) {
        return NULL;
    }
    const size_t at = lower_bound(namespaces, key);
    return stands_at(namespaces, at, key) ? json_incref(namespaces->objects[at]) : NULL;
}

json_t *fx_namespaces_find(const struct fx_namespaces *namespaces, struct fx_text name) {
    json_t *given = find(namespaces, (struct key){false, name});
    if (given != NULL) {
        return given;
    }
    json_t *made = json_object();
    if (made != NULL && !describe(made, name)) {
        json_decref(made);
        made = NULL;
    }
    return made;
}

size_t fx_namespaces_count(const struct fx_namespaces *namespaces) {
    return namespaces == NULL ? 0
                              : lower_bound(namespaces, (struct key){true, FX_TEXT("")});
}

json_t *fx_namespaces_find_input(const struct fx_namespaces *namespaces,
                                 const struct fx_input_key *wanted, struct fx_err *err) {
    if (wanted->type != FX_INPUT_OBJECT) {
        (void)fx_fail(err, FX_EMUTATE, "access reviews need a cluster");
        return NULL;
    }
    if (fx_input_key_is(wanted, "Namespace")) {
        json_t *object = fx_namespaces_find(namespaces, wanted->name);
        if (object == NULL) {
            (void)fx_fail_nomem(err);
        }
        return object;
    }
    json_t *object = fx_input_key_is(wanted, "Node")
                         ? find(namespaces, (struct key){true, wanted->name})
                         : NULL;
    if (object == NULL) {
        (void)fx_fail(err, FX_EMUTATE, "no %.*s `%.*s` is among the files",
                      FX_TEXT_ARG(wanted->kind), FX_TEXT_ARG(wanted->name));
    }
    return object;
}
