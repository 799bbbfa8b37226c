/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/match_read.c - reads `match` and `exclude`.
 */
#include <string.h>

#include "base/wildcard.h"
#include "kind_pattern.h"
#include "match.h"
#include "value/tree.h"

static bool read_kinds(const struct kyverno_reading *reading, const json_t *resources,
                       const char *path, struct kyverno_filter *filter) {
    const json_t *list = NULL;
    if (!fx_kyverno_read_texts(reading, resources, path, "kinds", &list)) {
        return false;
    }
    const size_t n = json_array_size(list);
    filter->kinds = fx_arena_alloc(reading->arena, n * sizeof *filter->kinds);
    if (filter->kinds == NULL) {
        return fx_fail_nomem(reading->err);
    }
    for (size_t i = 0; i < n; i++) {
        const struct fx_text kind = fx_tree_text(json_array_get(list, i));
        if (!fx_kyverno_kind_parse(kind, &filter->kinds[i])) {
            return fx_kyverno_refuse(reading, json_array_get(list, i),
                                     "%s.kinds[%zu]: \"%.*s\" is not "
                                     "[group/][version/]Kind[/subresource]",
                                     path, i, FX_TEXT_ARG(kind));
        }
    }
    filter->n_kinds = n;
    filter->given |= n > 0 ? 1u << KYVERNO_BY_KINDS : 0;
    return true;
}

/* ---- operations ---------------------------------------------------------------------
 */

static bool read_operations(const struct kyverno_reading *reading,
                            const json_t *resources, const char *path,
                            struct kyverno_filter *filter) {
    const json_t *list = NULL;
    if (!fx_kyverno_read_texts(reading, resources, path, "operations", &list)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = json_array_get(list, i);
        const enum fx_operation operation = fx_operation_parse(fx_tree_text(node));
        if (operation == FX_OPERATION_NONE) {
            return fx_kyverno_refuse(
                reading, node,
                "%s.operations[%zu]: expected CREATE, UPDATE, DELETE or CONNECT", path,
                i);
        }
        filter->operations |= FX_OPERATION_BIT(operation);
    }
    filter->given |= json_array_size(list) > 0 ? 1u << KYVERNO_BY_OPERATIONS : 0;
    return true;
}

/* ---- selectors ----------------------------------------------------------------------
 */

/* Moves the members with wildcards from the labels of a selector to `wild`. */
static bool split_labels(json_t *labels, json_t *wild) {
    void *next = NULL;
    for (void *iter = fx_node_first(labels); iter != NULL; iter = next) {
        const struct fx_text key = fx_node_key(iter);
        json_t *value = json_object_iter_value(iter);
        next = fx_node_next(labels, iter);
        if (fx_wildcard_is_pattern(key) || fx_wildcard_is_pattern(fx_tree_text(value))) {
            if (!fx_tree_set_take(wild, key, json_incref(value))) {
                return false;
            }
            fx_tree_remove_key(labels, key);
        }
    }
    return true;
}

static bool has_wildcards(const json_t *labels) {
    for (void *iter = fx_node_first(labels); iter != NULL;
         iter = fx_node_next(labels, iter)) {
        if (fx_wildcard_is_pattern(fx_node_key(iter)) ||
            fx_wildcard_is_pattern(fx_tree_text(json_object_iter_value(iter)))) {
            return true;
        }
    }
    return false;
}

/* Makes *node, which is counted, a selector without wildcards. */
static bool take_wildcards(json_t **node, json_t **ret_wild) {
    json_t *own = fx_tree_own_root(node);
    json_t *labels = own == NULL ? NULL : fx_tree_own_key(own, FX_TEXT("matchLabels"));
    *ret_wild = labels == NULL ? NULL : json_object();
    return *ret_wild != NULL && split_labels(labels, *ret_wild);
}

/* Gives faults a place that the document has. */
static bool place_fault(const struct kyverno_reading *reading, const json_t *node,
                        bool is_copy) {
    if (is_copy || reading->err->node == NULL) {
        reading->err->node = node;
    }
    if (reading->err->code == FX_EMUTATE) {
        reading->err->code = FX_EINVALID;
    }
    return false;
}

static bool read_selector(const struct kyverno_reading *reading, const json_t *resources,
                          const char *path, const char *key,
                          struct kyverno_selector *ret_selector, bool *ret_is_given) {
    json_t *given = NULL;
    const char *own_path = fx_kyverno_join(reading, path, key);
    if (own_path == NULL) {
        return fx_fail_nomem(reading->err);
    }
    if (!fx_kyverno_read_object(reading, resources, path, key, &given)) {
        return false;
    }
    *ret_is_given = given != NULL;
    if (given == NULL) {
        return true;
    }
    json_t *node = json_incref(given);
    const json_t *labels = fx_tree_view_key(given, "matchLabels");
    const bool is_wild = json_is_object(labels) && has_wildcards(labels);
    bool ok = !is_wild || take_wildcards(&node, &ret_selector->wild) ||
              fx_fail_nomem(reading->err);
    ok = ok && ((fx_selector_compile(node, own_path, FX_SELECTOR_OVER_LABELS,
                                     &ret_selector->plain, reading->err) &&
                 (fx_selector_check(ret_selector->plain, reading->err) ||
                  fx_err_prefix(reading->err, "%s: ", own_path))) ||
                place_fault(reading, given, is_wild));
    json_decref(node);
    return ok;
}

static bool read_selectors(const struct kyverno_reading *reading, const json_t *resources,
                           const char *path, struct kyverno_filter *filter) {
    bool has_selector = false;
    bool has_namespace_selector = false;
    if (!read_selector(reading, resources, path, "selector", &filter->selector,
                       &has_selector) ||
        !read_selector(reading, resources, path, "namespaceSelector",
                       &filter->namespace_selector, &has_namespace_selector)) {
        return false;
    }
    filter->labels =
        fx_tree_view_key(fx_tree_view_key(resources, "selector"), "matchLabels");
    filter->given |= has_selector ? 1u << KYVERNO_BY_SELECTOR : 0;
    filter->given |= has_namespace_selector ? 1u << KYVERNO_BY_NAMESPACE_SELECTOR : 0;
    return true;
}

/* ---- a filter -----------------------------------------------------------------------
 */

static const char *const resource_fields[] = {
    "kinds",       "name",     "names",      "namespaces",
    "annotations", "selector", "operations", "namespaceSelector",
    NULL};

static void note_list(struct kyverno_filter *filter, enum kyverno_attribute attribute,
                      const json_t *list) {
    const size_t n =
        json_is_object(list) ? json_object_size(list) : json_array_size(list);
    filter->given |= n > 0 ? 1u << attribute : 0;
}

static bool read_resources(const struct kyverno_reading *reading, const json_t *resources,
                           const char *path, struct kyverno_filter *filter) {
    json_t *annotations = NULL;
    if (!fx_kyverno_warn_unknown(reading, resources, path, resource_fields) ||
        !read_kinds(reading, resources, path, filter) ||
        !read_operations(reading, resources, path, filter) ||
        !fx_kyverno_read_text(reading, resources, path, "name", &filter->name) ||
        !fx_kyverno_read_texts(reading, resources, path, "names", &filter->names) ||
        !fx_kyverno_read_texts(reading, resources, path, "namespaces",
                               &filter->namespaces) ||
        !fx_kyverno_read_object(reading, resources, path, "annotations", &annotations) ||
        !read_selectors(reading, resources, path, filter)) {
        return false;
    }
    filter->annotations = annotations;
    filter->given |= filter->name.len > 0 ? 1u << KYVERNO_BY_NAME : 0;
    note_list(filter, KYVERNO_BY_NAMES, filter->names);
    note_list(filter, KYVERNO_BY_NAMESPACES, filter->namespaces);
    note_list(filter, KYVERNO_BY_ANNOTATIONS, annotations);
    return true;
}

static bool read_users(const struct kyverno_reading *reading, const json_t *node,
                       const char *path, struct kyverno_filter *filter) {
    json_t *subjects = NULL;
    if (!fx_kyverno_read_objects(reading, node, path, "subjects", &subjects) ||
        !fx_kyverno_read_texts(reading, node, path, "roles", &filter->roles) ||
        !fx_kyverno_read_texts(reading, node, path, "clusterRoles",
                               &filter->cluster_roles)) {
        return false;
    }
    filter->subjects = subjects;
    note_list(filter, KYVERNO_BY_SUBJECTS, subjects);
    note_list(filter, KYVERNO_BY_ROLES, filter->roles);
    note_list(filter, KYVERNO_BY_CLUSTER_ROLES, filter->cluster_roles);
    return true;
}

static bool name_fields(const struct kyverno_reading *reading, const char *path,
                        struct kyverno_filter *filter) {
    static const char *const names[] = {
#define X(name, text) text,
        KYVERNO_ATTRIBUTES(X)
#undef X
    };
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        filter->fields[i] = fx_kyverno_join(reading, path, names[i]);
        if (filter->fields[i] == NULL) {
            return fx_fail_nomem(reading->err);
        }
    }
    return true;
}

static bool read_filter(const struct kyverno_reading *reading, const json_t *node,
                        const char *path, struct kyverno_filter *filter) {
    json_t *resources = NULL;
    const char *resources_path = fx_kyverno_join(reading, path, "resources");
    return (resources_path != NULL || fx_fail_nomem(reading->err)) &&
           name_fields(reading, path, filter) &&
           fx_kyverno_read_object(reading, node, path, "resources", &resources) &&
           read_resources(reading, resources, resources_path, filter) &&
           read_users(reading, node, path, filter);
}

/* ---- the whole ----------------------------------------------------------------------
 */

static const char *const filter_fields[] = {"resources", "subjects", "roles",
                                            "clusterRoles", NULL};
static const char *const match_fields[] = {
    "any", "all", "resources", "subjects", "roles", "clusterRoles", NULL};

static bool make_filters(const struct kyverno_reading *reading,
                         struct kyverno_match *match, size_t n) {
    match->filters = fx_arena_alloc(reading->arena, n * sizeof *match->filters);
    match->n_filters = match->filters == NULL ? 0 : n;
    return match->filters != NULL || fx_fail_nomem(reading->err);
}

static bool read_list(const struct kyverno_reading *reading, const json_t *list,
                      const char *path, struct kyverno_match *match) {
    if (!make_filters(reading, match, json_array_size(list))) {
        return false;
    }
    for (size_t i = 0; i < match->n_filters; i++) {
        const json_t *node = json_array_get(list, i);
        const char *own = fx_arena_printf(reading->arena, "%s[%zu]", path, i);
        if (own == NULL) {
            return fx_fail_nomem(reading->err);
        }
        if (!fx_kyverno_warn_unknown(reading, node, own, filter_fields) ||
            !read_filter(reading, node, own, &match->filters[i])) {
            return false;
        }
    }
    return true;
}

bool fx_kyverno_match_read(const struct kyverno_reading *reading, const json_t *match,
                           const char *field, struct kyverno_match *ret_match) {
    json_t *any = NULL;
    json_t *all = NULL;
    *ret_match = (struct kyverno_match){.form = KYVERNO_MATCH_FLAT, .field = field};
    if (!fx_kyverno_warn_unknown(reading, match, field, match_fields) ||
        !fx_kyverno_read_objects(reading, match, field, "any", &any) ||
        !fx_kyverno_read_objects(reading, match, field, "all", &all)) {
        return false;
    }
    if (any == NULL && all == NULL) {
        return make_filters(reading, ret_match, 1) &&
               read_filter(reading, match, field, &ret_match->filters[0]);
    }
    ret_match->form = any != NULL ? KYVERNO_MATCH_ANY : KYVERNO_MATCH_ALL;
    const char *path = fx_kyverno_join(reading, field, any != NULL ? "any" : "all");
    return (path != NULL || fx_fail_nomem(reading->err)) &&
           read_list(reading, any != NULL ? any : all, path, ret_match);
}

static void finish_selector(struct kyverno_selector *selector) {
    fx_selector_destroy(selector->plain);
    json_decref(selector->wild);
}

void fx_kyverno_match_finish(struct kyverno_match *match) {
    for (size_t i = 0; i < match->n_filters; i++) {
        finish_selector(&match->filters[i].selector);
        finish_selector(&match->filters[i].namespace_selector);
    }
    match->n_filters = 0;
}
