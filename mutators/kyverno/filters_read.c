/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/filters_read.c - reads Kyverno's configuration.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "base/vec.h"
#include "mutators/kyverno/filters_internal.h"
#include "value/json.h"
#include "value/tree.h"

const char *const fx_kyverno_config_versions[] = {"v1", NULL};

struct reading {
    struct kyverno_filters *filters;
    const json_t *node; /* the value of the current key */
    const char *key;
    struct fx_compilation *compilation;
    struct fx_err *err;
};

static void destroy_filters(struct fx_linkable *self) {
    struct kyverno_filters *filters = (struct kyverno_filters *)self; /* its first */
    fx_selector_destroy(filters->namespaces);
    fx_selector_destroy(filters->objects);
    free(filters->filters);
    free(filters->askers);
    json_decref(filters->data);
    free(filters);
}

static bool warn(const struct reading *reading, const char *what) {
    return fx_compilation_warn(reading->compilation, reading->node, "data.%s: %s",
                               reading->key, what) ||
           fx_fail_nomem(reading->err);
}

static bool fail_too_many(const struct reading *reading) {
    return fx_fail_in(reading->err, reading->node, FX_ELIMIT,
                      "data.%s has more than %u entries", reading->key,
                      FX_LIMIT_RESOURCE_FILTERS);
}

/* ---- resourceFilters --------------------------------------------------------------- */

/* Removes the text up to the next "[…]" without brackets in it, and that, from `rest`.
 * False if there is none. */
static bool take_filter(struct fx_text *rest, struct fx_text *ret_inside) {
    const char *open = NULL;
    for (size_t i = 0; i < rest->len; i++) {
        const char *at = rest->data + i;
        if (*at == '[') {
            open = at + 1;
        } else if (*at == ']' && open != NULL) {
            *ret_inside = (struct fx_text){open, (size_t)(at - open)};
            *rest = fx_text_rest(*rest, i + 1);
            return true;
        }
    }
    return false;
}

static bool has_blank_ends(struct fx_text text) {
    return fx_text_trim_space(text).len < text.len;
}

/* Warns about a filter that is well formed but matches nothing. */
static bool warn_of_filter(const struct reading *reading, struct fx_text inside,
                           const struct kyverno_resource_filter *filter) {
    if (filter->kind.kind.len == 0) {
        return warn(reading, "a filter without a kind matches nothing");
    }
    const struct kyverno_kind_pattern *kind = &filter->kind;
    const bool has_blanks = has_blank_ends(inside) || has_blank_ends(kind->kind) ||
                            has_blank_ends(filter->namespace_) ||
                            has_blank_ends(filter->name);
    return !has_blanks ||
           warn(reading, "blanks beside a comma are a part of the pattern");
}

/* Reads the kind, the namespace and the name; what is missing matches only the empty
 * text. */
static bool read_filter(const struct reading *reading, struct fx_text inside) {
    struct kyverno_filters *filters = reading->filters;
    struct fx_text rest = inside;
    const struct fx_text kind = fx_text_cut(&rest, ',');
    const struct fx_text namespace_ = fx_text_cut(&rest, ',');
    const struct fx_text name = fx_text_cut(&rest, ',');
    const bool is_longer =
        name.data != NULL && name.data + name.len < inside.data + inside.len;
    struct kyverno_resource_filter filter = {.namespace_ = namespace_, .name = name};
    if (is_longer || !fx_kyverno_kind_parse(kind, &filter.kind)) {
        return warn(reading, "a filter that is not [kind,namespace,name] is skipped");
    }
    if (filters->n_filters >= FX_LIMIT_RESOURCE_FILTERS) {
        return fail_too_many(reading);
    }
    if (!FX_VEC_GROW(filters->filters, filters->n_filters, filters->cap_filters)) {
        return fx_fail_nomem(reading->err);
    }
    filters->filters[filters->n_filters++] = filter;
    return warn_of_filter(reading, inside, &filter);
}

static bool read_resource_filters(const struct reading *reading, struct fx_text text) {
    struct fx_text inside;
    while (take_filter(&text, &inside)) {
        if (!read_filter(reading, inside)) {
            return false;
        }
    }
    return true;
}

/* ---- excludeUsernames and its kin ---------------------------------------------------
 */

static bool add_asker(const struct reading *reading, enum kyverno_asker asker,
                      struct fx_text pattern) {
    struct kyverno_filters *filters = reading->filters;
    const bool includes = fx_text_take(&pattern, '!');
    pattern = fx_text_trim_space(pattern);
    if (pattern.len == 0) {
        return true;
    }
    if (filters->n_askers >= FX_LIMIT_RESOURCE_FILTERS) {
        return fail_too_many(reading);
    }
    if (!FX_VEC_GROW(filters->askers, filters->n_askers, filters->cap_askers)) {
        return fx_fail_nomem(reading->err);
    }
    filters->askers[filters->n_askers++] =
        (struct kyverno_asker_pattern){asker, includes, pattern};
    return true;
}

static bool read_askers(const struct reading *reading, enum kyverno_asker asker,
                        struct fx_text text) {
    while (text.len > 0) {
        if (!add_asker(reading, asker, fx_text_trim_space(fx_text_cut(&text, ',')))) {
            return false;
        }
    }
    return true;
}

static bool read_users(const struct reading *reading, struct fx_text text) {
    return read_askers(reading, KYVERNO_ASKER_USER, text);
}

static bool read_groups(const struct reading *reading, struct fx_text text) {
    return read_askers(reading, KYVERNO_ASKER_GROUP, text);
}

static bool read_roles(const struct reading *reading, struct fx_text text) {
    return read_askers(reading, KYVERNO_ASKER_ROLE, text);
}

static bool read_cluster_roles(const struct reading *reading, struct fx_text text) {
    return read_askers(reading, KYVERNO_ASKER_CLUSTER_ROLE, text);
}

/* ---- webhooks -----------------------------------------------------------------------
 */

/* Compiles a selector. One that an API server would refuse is skipped with a warning, as
 * the webhooks would stay what they were. */
static bool read_selector(const struct reading *reading, json_t *webhook,
                          const char *name, struct fx_selector **ret_selector) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_tree_view_key(webhook, name);
    if (node == NULL || json_is_null(node)) {
        return true;
    }
    if (fx_selector_compile(node, name, FX_SELECTOR_OVER_LABELS, ret_selector, &err) &&
        fx_selector_check(*ret_selector, &err)) {
        return true;
    }
    fx_selector_destroy(*ret_selector);
    *ret_selector = NULL;
    return err.code == FX_ENOMEM ? fx_fail_nomem(reading->err) : warn(reading, err.msg);
}

/* Reads the first webhook, which stands for all. Older versions write a list. */
static bool read_webhook(const struct reading *reading, json_t *root) {
    json_t *first = json_is_array(root) ? json_array_get(root, 0) : root;
    return read_selector(reading, first, "namespaceSelector",
                         &reading->filters->namespaces) &&
           read_selector(reading, first, "objectSelector", &reading->filters->objects);
}

static bool read_webhooks(const struct reading *reading, struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(text, NULL, &err);
    if (root == NULL && err.code == FX_ENOMEM) {
        return fx_fail_nomem(reading->err);
    }
    if (!json_is_array(root) && !json_is_object(root)) {
        json_decref(root);
        return warn(reading, "it is not JSON of webhooks, and is skipped");
    }
    const bool ok = read_webhook(reading, root);
    json_decref(root);
    return ok;
}

/* ---- the ConfigMap ------------------------------------------------------------------
 */

static const struct key {
    const char *name;
    bool (*read)(const struct reading *reading, struct fx_text text);
} keys[] = {
    {"resourceFilters", read_resource_filters},
    {"excludeUsernames", read_users},
    {"excludeGroups", read_groups},
    {"excludeRoles", read_roles},
    {"excludeClusterRoles", read_cluster_roles},
    {"webhooks", read_webhooks},
};

static bool read_key(struct reading *reading, const struct key *key) {
    reading->key = key->name;
    reading->node = fx_tree_view_key(reading->filters->data, key->name);
    if (reading->node == NULL || json_is_null(reading->node)) {
        return true;
    }
    if (!json_is_string(reading->node)) {
        return fx_fail_in(reading->err, reading->node, FX_EINVALID,
                          "`data.%s` must be a string", key->name);
    }
    return key->read(reading, fx_tree_text(reading->node));
}

static bool read_all(struct reading *reading) {
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        if (!read_key(reading, &keys[i])) {
            return false;
        }
    }
    return true;
}

bool fx_kyverno_filters_compile(json_t *config_map,
                                struct fx_compilation *ret_compilation,
                                struct fx_err *err) {
    json_t *data = fx_tree_view_key(config_map, "data");
    if (data != NULL && !json_is_object(data) && !json_is_null(data)) {
        return fx_fail_in(err, data, FX_EINVALID, "`data` must be an object");
    }
    struct kyverno_filters *filters = calloc(1, sizeof *filters);
    if (filters == NULL) {
        return fx_fail_nomem(err);
    }
    filters->head.destroy = destroy_filters;
    filters->data = json_incref(data);
    struct reading reading = {
        .filters = filters, .compilation = ret_compilation, .err = err};
    if (!read_all(&reading)) {
        destroy_filters(&filters->head);
        return false;
    }
    ret_compilation->linkable = &filters->head;
    return true;
}
