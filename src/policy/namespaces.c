/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/namespaces.c - a sorted list of objects.
 */
#include "policy/namespaces.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sorted.h"
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

bool fx_namespaces_can_hold(const json_t *document) {
    return fx_tree_view_string(document, "apiVersion").len > 0 &&
           fx_tree_view_string(document, "kind").len > 0 && name_of(document).len > 0;
}

/* The keys by which objects are sorted. Those of Namespaces and Nodes have only a rank
 * and a name. */
enum rank { NAMESPACE, NODE, OTHER };

struct object_key {
    enum rank rank;
    struct fx_text api_version, kind, namespace_, name;
};

static struct object_key key_of(const json_t *object) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    if (fx_namespaces_is_one(object)) {
        return (struct object_key){.rank = is_kind(object, "Node") ? NODE : NAMESPACE,
                                   .name = name_of(object)};
    }
    return (struct object_key){
        .rank = OTHER,
        .api_version = fx_tree_view_string(object, "apiVersion"),
        .kind = fx_tree_view_string(object, "kind"),
        .namespace_ = fx_tree_view_string(metadata, "namespace"),
        .name = name_of(object),
    };
}

static int compare_keys(const struct object_key *a, const struct object_key *b) {
    if (a->rank != b->rank) {
        return (int)a->rank - (int)b->rank;
    }
    int order = fx_text_compare(a->name, b->name);
    if (order == 0 && a->rank == OTHER) {
        order = fx_text_compare(a->kind, b->kind);
        order = order != 0 ? order : fx_text_compare(a->namespace_, b->namespace_);
        order = order != 0 ? order : fx_text_compare(a->api_version, b->api_version);
    }
    return order;
}

static int compare_object(const void *key, const void *item) {
    const struct object_key other = key_of(*(json_t *const *)item);
    return compare_keys(key, &other);
}

static int compare_objects(const void *a, const void *b) {
    const struct object_key x = key_of(a);
    const struct object_key y = key_of(b);
    return compare_keys(&x, &y);
}

static size_t find_index(const struct fx_namespaces *namespaces,
                         const struct object_key *key, bool *ret_found) {
    return fx_sorted_find(namespaces->objects, namespaces->n_objects, sizeof(json_t *),
                          key, compare_object, ret_found);
}

bool fx_namespaces_add(struct fx_namespaces *namespaces, json_t *object) {
    const struct object_key key = key_of(object);
    bool found = false;
    const size_t at = find_index(namespaces, &key, &found);
    if (found) {
        json_incref(object);
        json_decref(namespaces->objects[at]);
        namespaces->objects[at] = object;
        return true;
    }
    if (!FX_VEC_GROW(namespaces->objects, namespaces->n_objects,
                     namespaces->cap_objects)) {
        return false;
    }
    FX_SORTED_INSERT(namespaces->objects, namespaces->n_objects, at);
    namespaces->objects[at] = json_incref(object);
    return true;
}

bool fx_namespaces_fill(struct fx_namespaces *namespaces, json_t *const *objects,
                        size_t n_objects) {
    assert(namespaces->n_objects == 0 && namespaces->objects == NULL);
    json_t **list = calloc(n_objects + 1, sizeof(json_t *));
    if (list == NULL) {
        return false;
    }
    if (n_objects > 0) {
        memcpy(list, objects, n_objects * sizeof(json_t *));
    }
    if (!fx_sorted_keep_last(list, &n_objects, compare_objects)) {
        free(list);
        return false;
    }
    for (size_t i = 0; i < n_objects; i++) {
        json_incref(list[i]);
    }
    namespaces->objects = list;
    namespaces->n_objects = namespaces->cap_objects = n_objects;
    return true;
}

static bool set_string(json_t *object, struct fx_text key, struct fx_text value) {
    return fx_tree_set_take(object, key, fx_tree_new_string(value));
}

/* Adds an empty object under `key`. Returns it borrowed; NULL without memory. */
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

/* Returns the object with that key as a new reference, or NULL. */
static json_t *find_by_key(const struct fx_namespaces *namespaces,
                           const struct object_key *key) {
    if (namespaces == NULL) {
        return NULL;
    }
    bool found = false;
    const size_t at = find_index(namespaces, key, &found);
    return found ? json_incref(namespaces->objects[at]) : NULL;
}

json_t *fx_namespaces_find(const struct fx_namespaces *namespaces, struct fx_text name) {
    json_t *given =
        find_by_key(namespaces, &(struct object_key){.rank = NAMESPACE, .name = name});
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
    bool found = false;
    return namespaces == NULL
               ? 0
               : find_index(namespaces, &(struct object_key){.rank = NODE}, &found);
}

/* Finds an object. Objects of cluster-scoped kinds are found whatever namespace the key
 * has. NULL if there is none, and without memory (then *ret_nomem is true). */
static json_t *find_object(const struct fx_namespaces *namespaces,
                           const struct fx_input_key *wanted, bool *ret_nomem) {
    *ret_nomem = false;
    if (fx_input_key_is(wanted, "Node")) {
        return find_by_key(namespaces,
                           &(struct object_key){.rank = NODE, .name = wanted->name});
    }
    struct fx_buf api_version;
    fx_buf_init(&api_version, 0);
    fx_buf_text(&api_version, wanted->group);
    fx_buf_str(&api_version, wanted->group.len > 0 ? "/" : "");
    fx_buf_text(&api_version, wanted->version);
    struct object_key key = {
        .rank = OTHER,
        .api_version = {api_version.data, api_version.len},
        .kind = wanted->kind,
        .namespace_ = wanted->namespace_,
        .name = wanted->name,
    };
    json_t *object = api_version.failed ? NULL : find_by_key(namespaces, &key);
    if (object == NULL && !api_version.failed) {
        key.namespace_ = (struct fx_text){0};
        object = find_by_key(namespaces, &key);
    }
    *ret_nomem = api_version.failed;
    fx_buf_finish(&api_version);
    return object;
}

json_t *fx_namespaces_find_input(const struct fx_namespaces *namespaces,
                                 const struct fx_input_key *wanted, struct fx_err *err) {
    if (wanted->type != FX_INPUT_OBJECT) {
        (void)fx_fail(err, FX_EMUTATE, "access reviews need a cluster");
        return NULL;
    }
    const bool is_namespace = fx_input_key_is(wanted, "Namespace");
    bool nomem = is_namespace; /* a missing one is made */
    json_t *object = is_namespace ? fx_namespaces_find(namespaces, wanted->name)
                                  : find_object(namespaces, wanted, &nomem);
    if (object == NULL && nomem) {
        (void)fx_fail_nomem(err);
    } else if (object == NULL) {
        (void)fx_fail(err, FX_EMUTATE, "no %.*s `%.*s` is among the files",
                      FX_TEXT_ARG(wanted->kind), FX_TEXT_ARG(wanted->name));
    }
    return object;
}

enum fx_lookup fx_namespaces_look_up_input(void *user, const struct fx_input_key *wanted,
                                           json_t **ret_value, struct fx_err *err) {
    *ret_value = fx_namespaces_find_input(user, wanted, err);
    return *ret_value == NULL ? FX_LOOKUP_FAILED : FX_LOOKUP_FOUND;
}
