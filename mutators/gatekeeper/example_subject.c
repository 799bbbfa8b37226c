/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/example_subject.c - makes an object that applyTo and match of a
 * policy select.
 */
#include <string.h>

#include "mutators/gatekeeper/example.h"
#include "mutators/gatekeeper/glob.h"
#include "value/tree.h"

/* ---- the type of the object ------------------------------------------------------- */

struct type {
    struct fx_text group, version, kind;
};

/* Types for policies that name only a kind or only a group. The first row of a group is
 * used; without a kind and a group, the first row. */
static const struct {
    const char *group, *kind;
} usual[] = {
    {"", "Pod"},
    {"apps", "Deployment"},
    {"apps", "StatefulSet"},
    {"apps", "DaemonSet"},
    {"apps", "ReplicaSet"},
    {"batch", "Job"},
    {"batch", "CronJob"},
    {"networking.k8s.io", "Ingress"},
    {"networking.k8s.io", "NetworkPolicy"},
    {"rbac.authorization.k8s.io", "Role"},
    {"rbac.authorization.k8s.io", "RoleBinding"},
    {"rbac.authorization.k8s.io", "ClusterRole"},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding"},
};

/* Kinds without a namespace. */
static const char *const cluster_kinds[] = {
    "APIService",
    "CSIDriver",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "IngressClass",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
};

static bool is_star(struct fx_text text) {
    return fx_text_is(text, "*");
}

/* Returns the first entry of the list that is not a star; data is NULL if there is
 * none. */
static struct fx_text first_named(const json_t *list) {
    size_t index = 0;
    const json_t *item = NULL;
    json_array_foreach (list, index, item) {
        if (json_is_string(item) && !is_star(fx_tree_text(item))) {
            return fx_tree_text(item);
        }
    }
    return (struct fx_text){NULL, 0};
}

/* True if the list is empty, or contains the text or a `*`. */
static bool list_allows(const json_t *list, struct fx_text text) {
    size_t index = 0;
    const json_t *item = NULL;
    json_array_foreach (list, index, item) {
        if (is_star(fx_tree_text(item)) || fx_text_equal(fx_tree_text(item), text)) {
            return true;
        }
    }
    return json_array_size(list) == 0;
}

static bool kinds_allow(const json_t *kinds, const struct type *type) {
    size_t index = 0;
    const json_t *entry = NULL;
    json_array_foreach (kinds, index, entry) {
        if (list_allows(fx_shape_view(entry, "kinds"), type->kind) &&
            list_allows(fx_shape_view(entry, "apiGroups"), type->group)) {
            return true;
        }
    }
    return json_array_size(kinds) == 0;
}

/* Finds a type that applyTo and `match.kinds` both have. */
static bool find_bound(const struct fx_mutator *mutator, const json_t *kinds,
                       struct type *ret_type) {
    for (size_t i = 0; i < mutator->n_bindings; i++) {
        const struct fx_binding *binding = &mutator->bindings[i];
        *ret_type = (struct type){binding->group, binding->version, binding->kind};
        if (!binding->any_kind && kinds_allow(kinds, ret_type)) {
            return true;
        }
    }
    return false;
}

/* Finds the usual type of that group and kind. Data NULL stands for any group or any
 * kind. */
static bool find_usual(struct fx_text group, struct fx_text kind, struct type *ret_type) {
    *ret_type = (struct type){group, FX_TEXT("v1"), kind};
    for (size_t i = 0; i < FX_COUNT(usual); i++) {
        if ((group.data == NULL || fx_text_is(group, usual[i].group)) &&
            (kind.data == NULL || fx_text_is(kind, usual[i].kind))) {
            ret_type->group = fx_text_of(usual[i].group);
            ret_type->kind = fx_text_of(usual[i].kind);
            return true;
        }
    }
    if (group.data == NULL) {
        ret_type->group = FX_TEXT("");
    }
    return kind.data != NULL;
}

static bool find_type(const struct target *target, const json_t *match,
                      struct type *ret_type) {
    const struct fx_mutator *mutator = &target->mutator;
    const json_t *kinds = fx_shape_view(match, "kinds");
    if (target->apply_to != NULL) {
        return find_bound(mutator, kinds, ret_type);
    }
    if (json_array_size(kinds) == 0 &&
        fx_text_is(fx_tree_view_string(match, "scope"), "Cluster")) {
        return find_usual(FX_TEXT(""), FX_TEXT("Namespace"), ret_type);
    }
    const json_t *entry = json_array_get(kinds, 0);
    return find_usual(first_named(fx_shape_view(entry, "apiGroups")),
                      first_named(fx_shape_view(entry, "kinds")), ret_type);
}

static bool is_cluster_kind(struct fx_text kind) {
    for (size_t i = 0; i < FX_COUNT(cluster_kinds); i++) {
        if (fx_text_is(kind, cluster_kinds[i])) {
            return true;
        }
    }
    return false;
}

/* ---- the names of the object ------------------------------------------------------ */

static bool any_matches(const json_t *globs, struct fx_text text) {
    size_t index = 0;
    const json_t *glob = NULL;
    json_array_foreach (globs, index, glob) {
        if (fx_glob_matches(fx_tree_text(glob), text)) {
            return true;
        }
    }
    return false;
}

/* Returns the glob with `word` in place of a star at one end. */
static json_t *fill_glob(struct fx_text glob, const char *word) {
    const bool before = glob.len > 0 && glob.data[0] == '*';
    const bool after = glob.len > 1 && glob.data[glob.len - 1] == '*';
    if (glob.len == (size_t)before) { /* "" or "*" */
        return json_string(word);
    }
    const struct fx_text core = {glob.data + before, glob.len - before - after};
    if (before && !after) {
        return json_sprintf("%s%.*s", word, FX_TEXT_ARG(core));
    }
    return json_sprintf("%.*s%s", FX_TEXT_ARG(core), after && !before ? word : "");
}

/* Returns a string that the glob matches, and if possible none of the others. A new
 * reference; NULL if out of memory. */
static json_t *make_name(struct fx_text glob, const json_t *others) {
    static const char *const names[] = {EXAMPLE_NAME, "app", "main"};
    json_t *made = NULL;
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        json_decref(made);
        made = fill_glob(glob, names[i]);
        if (made == NULL || !any_matches(others, fx_tree_text(made))) {
            break;
        }
    }
    return made;
}

/* Returns the namespace that the selector names by the label kubernetes.io/metadata.name;
 * data is NULL if there is none. */
static struct fx_text selected_namespace(const json_t *match) {
    static const char label[] = "kubernetes.io/metadata.name";
    const json_t *selector = fx_shape_view(match, "namespaceSelector");
    const struct fx_text exact =
        fx_tree_view_string(fx_shape_view(selector, "matchLabels"), label);
    if (exact.data != NULL) {
        return exact;
    }
    size_t index = 0;
    const json_t *entry = NULL;
    json_array_foreach (fx_shape_view(selector, "matchExpressions"), index, entry) {
        if (fx_text_is(fx_tree_view_string(entry, "key"), label) &&
            fx_text_is(fx_tree_view_string(entry, "operator"), "In")) {
            return fx_tree_text(json_array_get(fx_shape_view(entry, "values"), 0));
        }
    }
    return (struct fx_text){NULL, 0};
}

/* Returns a namespace that `namespaces` selects and, if possible, `excludedNamespaces`
 * does not. NULL if out of memory. */
static json_t *make_namespace(const json_t *match) {
    const json_t *excluded = fx_shape_view(match, "excludedNamespaces");
    const json_t *globs = fx_shape_view(match, "namespaces");
    const struct fx_text selected = selected_namespace(match);
    if (selected.data != NULL) {
        return fx_tree_new_string(selected);
    }
    if (json_array_size(globs) == 0) {
        return any_matches(excluded, FX_TEXT("default"))
                   ? make_name(FX_TEXT("*"), excluded)
                   : json_string("default");
    }
    json_t *made = NULL;
    for (size_t i = 0; i < json_array_size(globs); i++) {
        json_decref(made);
        made = make_name(fx_tree_text(json_array_get(globs, i)), excluded);
        if (made == NULL || !any_matches(excluded, fx_tree_text(made))) {
            break;
        }
    }
    return made;
}

/* ---- the labels of the object ----------------------------------------------------- */

static bool add_label(json_t *labels, struct fx_text key, json_t *value) {
    if (fx_tree_view_text(labels, key) != NULL) {
        json_decref(value);
        return true;
    }
    return fx_tree_set_take(labels, key, value);
}

/* Adds the label that an expression requires. */
static bool add_expression(json_t *labels, const json_t *expression) {
    const struct fx_text key = fx_tree_view_string(expression, "key");
    const struct fx_text relation = fx_tree_view_string(expression, "operator");
    if (fx_text_is(relation, "In")) {
        json_t *value = json_array_get(fx_shape_view(expression, "values"), 0);
        return value == NULL || add_label(labels, key, json_incref(value));
    }
    return !fx_text_is(relation, "Exists") ||
           add_label(labels, key, json_string(EXAMPLE_NAME));
}

/* Makes labels that the selector selects, as far as they can be derived from it. NULL if
 * out of memory. */
static json_t *make_labels(const json_t *selector) {
    json_t *labels = json_object();
    json_t *exact = fx_shape_view(selector, "matchLabels");
    bool ok = labels != NULL;
    for (void *at = json_object_iter(exact); ok && at != NULL;
         at = json_object_iter_next(exact, at)) {
        const struct fx_text key = {json_object_iter_key(at),
                                    json_object_iter_key_len(at)};
        ok = add_label(labels, key, json_incref(json_object_iter_value(at)));
    }
    const json_t *expressions = fx_shape_view(selector, "matchExpressions");
    for (size_t i = 0; ok && i < json_array_size(expressions); i++) {
        ok = add_expression(labels, json_array_get(expressions, i));
    }
    if (!ok) {
        json_decref(labels);
        return NULL;
    }
    return labels;
}

/* Sets metadata[key] to labels that the selector selects, if there are any. */
static bool set_labels(json_t *metadata, const char *key, const json_t *selector) {
    json_t *labels = make_labels(selector);
    if (labels != NULL && json_object_size(labels) == 0) {
        json_decref(labels);
        return true;
    }
    return fx_tree_set_take(metadata, fx_text_of(key), labels);
}

/* ---- the whole object ------------------------------------------------------------- */

static bool set_names(json_t *metadata, const struct type *type, const json_t *match) {
    const bool is_namespace = type->group.len == 0 && fx_text_is(type->kind, "Namespace");
    json_t *name = is_namespace ? make_namespace(match)
                                : make_name(fx_tree_view_string(match, "name"), NULL);
    if (!fx_tree_set_take(metadata, FX_TEXT("name"), name)) {
        return false;
    }
    const bool has_namespace =
        !is_cluster_kind(type->kind) &&
        !fx_text_is(fx_tree_view_string(match, "scope"), "Cluster");
    return !has_namespace ||
           fx_tree_set_take(metadata, FX_TEXT("namespace"), make_namespace(match));
}

/* Fills the object. If out of memory, returns false, and parts are missing. */
static bool fill_subject(json_t *object, const struct type *type, const json_t *match) {
    json_t *metadata = json_object();
    json_t *version =
        json_sprintf("%.*s%s%.*s", FX_TEXT_ARG(type->group),
                     type->group.len > 0 ? "/" : "", FX_TEXT_ARG(type->version));
    json_t *kind = fx_tree_new_string(type->kind);
    const bool has_version = fx_tree_set_take(object, FX_TEXT("apiVersion"), version);
    const bool has_kind = fx_tree_set_take(object, FX_TEXT("kind"), kind);
    if (metadata == NULL || !has_version || !has_kind ||
        !fx_tree_set_take(object, FX_TEXT("metadata"), json_incref(metadata))) {
        json_decref(metadata);
        return false;
    }
    const bool ok =
        set_names(metadata, type, match) &&
        set_labels(metadata, "labels", fx_shape_view(match, "labelSelector")) &&
        set_labels(metadata, "annotations", fx_shape_view(match, "annotationSelector"));
    json_decref(metadata);
    return ok;
}

json_t *fx_example_subject(const struct target *target, const json_t *spec,
                           struct fx_err *err) {
    const json_t *match = fx_shape_view(spec, "match");
    struct type type = {.kind = {NULL, 0}};
    if (!find_type(target, match, &type)) {
        return NULL;
    }
    json_t *object = json_object();
    if (object == NULL || !fill_subject(object, &type, match)) {
        json_decref(object);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    return object;
}
