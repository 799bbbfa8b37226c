/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/rule_example.c - a small object that a rule probably matches.
 */
#include "base/buf.h"
#include "base/wildcard.h"
#include "engine/kind.h"
#include "merge/schema.h"
#include "rule.h"
#include "value/tree.h"

/* A pattern with its wildcards replaced: "team-*" gives "team-a". */
static json_t *instance_of(struct fx_text pattern) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (size_t i = 0; i < pattern.len; i++) {
        const char c = pattern.data[i];
        const bool is_wild = c == '*' || c == '?';
        fx_buf_text(&text, is_wild ? FX_TEXT("a") : (struct fx_text){&c, 1});
    }
    json_t *made = text.failed ? NULL : fx_tree_new_string(fx_buf_view(&text));
    fx_buf_finish(&text);
    return made;
}

static bool set_instance(json_t *object, const char *key, struct fx_text pattern) {
    return fx_tree_set_take(object, fx_text_of(key), instance_of(pattern));
}

/* Adds an instance of each member of a map of patterns as object[key]. */
static bool add_map(json_t *object, const char *key, const json_t *patterns) {
    if (json_object_size(patterns) == 0) {
        return true;
    }
    json_t *map = json_object();
    bool ok = map != NULL;
    for (void *iter = fx_node_first(patterns); ok && iter != NULL;
         iter = fx_node_next(patterns, iter)) {
        json_t *name = instance_of(fx_node_key(iter));
        ok = name != NULL &&
             fx_tree_set_take(map, fx_tree_text(name),
                              instance_of(fx_tree_text(json_object_iter_value(iter))));
        json_decref(name);
    }
    if (!ok) {
        json_decref(map);
        return false;
    }
    return fx_tree_set_take(object, fx_text_of(key), map);
}

/* Does the built-in schema have this kind as "group/version/Kind", in no alpha or beta
 * version? Then *ret_version is what comes before the kind. */
static bool is_kind(struct fx_text name, struct fx_text kind,
                    struct fx_text *ret_version) {
    if (name.len <= kind.len || !fx_text_ends(name, kind) ||
        name.data[name.len - kind.len - 1] != '/') {
        return false;
    }
    *ret_version = (struct fx_text){name.data, name.len - kind.len - 1};
    return !fx_text_contains(*ret_version, FX_TEXT("alpha")) &&
           !fx_text_contains(*ret_version, FX_TEXT("beta"));
}

/* The apiVersion of a kind whose group the policy does not say; "v1" if it is not
 * known. */
static struct fx_text find_api_version(struct fx_text kind) {
    const struct fx_schema_set *set = &fx_schema_builtin;
    struct fx_text version = FX_TEXT("v1");
    for (size_t i = 0; i < set->n_kinds; i++) {
        if (is_kind(fx_text_of(set->texts + set->kinds[i].name), kind, &version)) {
            return version;
        }
    }
    return FX_TEXT("v1");
}

static json_t *make_api_version(const struct kyverno_kind_pattern *kind) {
    if (fx_wildcard_is_pattern(kind->group) || fx_wildcard_is_pattern(kind->version)) {
        return fx_tree_new_string(find_api_version(kind->kind));
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_text(&text, kind->group);
    fx_buf_str(&text, kind->group.len > 0 ? "/" : "");
    fx_buf_text(&text, kind->version);
    json_t *made = text.failed ? NULL : fx_tree_new_string(fx_buf_view(&text));
    fx_buf_finish(&text);
    return made;
}

/* ---- metadata -----------------------------------------------------------------------
 */

static struct fx_text first_of(const json_t *list, struct fx_text otherwise) {
    return json_array_size(list) > 0 ? fx_tree_text(json_array_get(list, 0)) : otherwise;
}

static bool set_namespace(json_t *metadata, const struct kyverno_rule *rule,
                          const struct kyverno_filter *filter,
                          const struct kyverno_kind_pattern *kind) {
    if (rule->policy->namespace_.data != NULL) {
        return set_instance(metadata, "namespace", rule->policy->namespace_);
    }
    return fx_kind_is_cluster_scoped(kind->group, kind->kind) ||
           set_instance(metadata, "namespace",
                        first_of(filter->namespaces, FX_TEXT("default")));
}

static json_t *make_metadata(const struct kyverno_rule *rule,
                             const struct kyverno_filter *filter,
                             const struct kyverno_kind_pattern *kind) {
    json_t *metadata = json_object();
    const struct fx_text name =
        filter->name.len > 0 ? filter->name : first_of(filter->names, FX_TEXT("example"));
    return fx_tree_keep_if(metadata != NULL && set_instance(metadata, "name", name) &&
                               set_namespace(metadata, rule, filter, kind) &&
                               add_map(metadata, "labels", filter->labels) &&
                               add_map(metadata, "annotations", filter->annotations),
                           metadata);
}

/* ---- the object ---------------------------------------------------------------------
 */

/* The first filter with a kind that is no pattern; NULL if there is none. */
static const struct kyverno_filter *
find_filter(const struct kyverno_match *match,
            const struct kyverno_kind_pattern **ret_kind) {
    for (size_t i = 0; i < match->n_filters; i++) {
        for (size_t j = 0; j < match->filters[i].n_kinds; j++) {
            const struct kyverno_kind_pattern *kind = &match->filters[i].kinds[j];
            if (!fx_wildcard_is_pattern(kind->kind) && kind->subresource.len == 0) {
                *ret_kind = kind;
                return &match->filters[i];
            }
        }
    }
    return NULL;
}

json_t *fx_kyverno_rule_example(const struct fx_mutator *self, struct fx_err *err) {
    const struct kyverno_rule *rule = (const struct kyverno_rule *)self;
    const struct kyverno_kind_pattern *kind = NULL;
    const struct kyverno_filter *filter = find_filter(&rule->body->match, &kind);
    if (filter == NULL) {
        return NULL;
    }
    json_t *object = json_object();
    const bool ok =
        object != NULL &&
        fx_tree_set_take(object, FX_TEXT("apiVersion"), make_api_version(kind)) &&
        fx_tree_set_take(object, FX_TEXT("kind"), fx_tree_new_string(kind->kind)) &&
        fx_tree_set_take(object, FX_TEXT("metadata"), make_metadata(rule, filter, kind));
    if (!ok) {
        (void)fx_fail_nomem(err);
    }
    return fx_tree_keep_if(ok, object);
}
