/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/match_index.c - what the index of a snapshot learns about
 * resourceRules: the kinds of built-in resources, and the group and version of others.
 */
#include <stdlib.h>

#include "base/budget.h"
#include "base/vec.h"
#include "engine/admission_request.h"
#include "merge/schema.h"
#include "mutators/admission_policy/match.h"
#include "value/tree.h"

/* ---- kinds of resources ------------------------------------------------------------ */

/* Reads "v1/Pod" or "apps/v1/Deployment". */
static struct fx_named_kind read_kind(const char *name) {
    struct fx_text rest = fx_text_of(name);
    struct fx_named_kind kind = {.group = FX_TEXT("")};
    struct fx_text first = fx_text_cut(&rest, '/');
    if (fx_text_contains(rest, FX_TEXT("/"))) {
        kind.group = first;
        first = fx_text_cut(&rest, '/');
    }
    kind.version = first;
    kind.kind = rest;
    return kind;
}

bool fx_map_find_kind(struct fx_text group, struct fx_text resource,
                      struct fx_text *ret_kind) {
    const struct fx_schema_set *set = &fx_schema_builtin;
    bool ok = true;
    *ret_kind = (struct fx_text){0};
    for (size_t i = 0; ok && ret_kind->data == NULL && i < set->n_kinds; i++) {
        const struct fx_named_kind kind = read_kind(set->texts + set->kinds[i].name);
        if (!fx_text_equal(kind.group, group)) {
            continue;
        }
        struct fx_buf plural;
        fx_buf_init(&plural, 0);
        fx_resource_guess(&plural, kind.kind);
        ok = !plural.failed;
        if (fx_text_equal(fx_buf_view(&plural), resource)) {
            *ret_kind = kind.kind;
        }
        fx_buf_finish(&plural);
    }
    return ok;
}

static bool is_builtin_group(struct fx_text group) {
    const struct fx_schema_set *set = &fx_schema_builtin;
    size_t i = 0;
    while (i < set->n_kinds &&
           !fx_text_equal(read_kind(set->texts + set->kinds[i].name).group, group)) {
        (void)fx_spend(1);
        i++;
    }
    return i < set->n_kinds;
}

bool fx_map_may_have_resource(struct fx_text group, struct fx_text resource,
                              bool *ret_may) {
    struct fx_text kind;
    *ret_may = !is_builtin_group(group);
    if (*ret_may) {
        return true;
    }
    const bool ok = fx_map_find_kind(group, resource, &kind);
    *ret_may = ok && kind.data != NULL;
    return ok;
}

/* ---- bindings ---------------------------------------------------------------------- */

struct binding_list {
    struct fx_binding *items;
    size_t n_items, cap_items;
    bool failed;
};

static bool is_any(struct fx_text text) {
    return fx_text_is(text, "*");
}

bool fx_map_subresource_has_own_kind(struct fx_text subresource) {
    static const char *const names[] = {"", "status", "resize", "ephemeralcontainers"};
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        if (fx_text_is(subresource, names[i])) {
            return true;
        }
    }
    return false;
}

static void add_binding(struct binding_list *list, const struct map_resource_rule *rule,
                        struct fx_text group, struct fx_text version,
                        struct fx_text resource) {
    struct fx_text subresource = resource;
    const struct fx_text main = fx_text_cut(&subresource, '/');
    struct fx_binding binding = {.group = group,
                                 .version = version,
                                 .operations = rule->operations,
                                 .any_group = is_any(group),
                                 .any_version = is_any(version),
                                 .any_kind = true};
    if (!fx_map_subresource_has_own_kind(subresource)) {
        binding.any_group = true;
        binding.any_version = true;
    } else if (!binding.any_group && !is_any(main)) {
        list->failed = list->failed || !fx_map_find_kind(group, main, &binding.kind);
        binding.any_kind = binding.kind.data == NULL;
    }
    if (list->failed || !FX_VEC_GROW(list->items, list->n_items, list->cap_items)) {
        list->failed = true;
        return;
    }
    list->items[list->n_items++] = binding;
}

static void add_rule(struct binding_list *list, const struct map_resource_rule *rule) {
    for (size_t g = 0; g < json_array_size(rule->groups); g++) {
        for (size_t v = 0; v < json_array_size(rule->versions); v++) {
            for (size_t r = 0; r < json_array_size(rule->resources); r++) {
                add_binding(list, rule, fx_tree_text(json_array_get(rule->groups, g)),
                            fx_tree_text(json_array_get(rule->versions, v)),
                            fx_tree_text(json_array_get(rule->resources, r)));
            }
        }
    }
}

/* More than this many bindings cost more than they save. */
#define MOST_BINDINGS 256u

static size_t count_bindings(const struct map_match *match) {
    size_t n = 0;
    for (size_t i = 0; i < match->n_rules && n <= MOST_BINDINGS; i++) {
        const struct map_resource_rule *rule = &match->rules[i];
        const size_t groups = json_array_size(rule->groups);
        const size_t versions = json_array_size(rule->versions);
        const size_t resources = json_array_size(rule->resources);
        n = groups > MOST_BINDINGS || versions > MOST_BINDINGS ||
                    resources > MOST_BINDINGS
                ? MOST_BINDINGS + 1
                : n + groups * versions * resources;
    }
    return n;
}

bool fx_map_match_bindings(const struct map_match *match,
                           struct fx_binding **ret_bindings, size_t *ret_n) {
    struct binding_list list = {0};
    *ret_bindings = NULL;
    *ret_n = 0;
    if (count_bindings(match) > MOST_BINDINGS) {
        return true;
    }
    for (size_t i = 0; i < match->n_rules; i++) {
        add_rule(&list, &match->rules[i]);
    }
    if (list.failed) {
        free(list.items);
        return false;
    }
    *ret_bindings = list.items;
    *ret_n = list.n_items;
    return true;
}

/* ---- namespaces -------------------------------------------------------------------- */

/* API servers give each Namespace this label, with its name. */
#define NAME_LABEL "kubernetes.io/metadata.name"

/* Does the selector ask for the name of the namespace, and for nothing else? */
static bool asks_only_name(json_t *selector) {
    const char *key = NULL;
    json_t *value = NULL;
    size_t index = 0;
    json_object_foreach (fx_tree_view_key(selector, "matchLabels"), key, value) {
        if (!fx_text_is(fx_text_of(key), NAME_LABEL)) {
            return false;
        }
    }
    json_array_foreach (fx_tree_view_key(selector, "matchExpressions"), index, value) {
        if (!fx_text_is(fx_tree_view_string(value, "key"), NAME_LABEL)) {
            return false;
        }
    }
    return true;
}

bool fx_map_match_may_match_namespace(const struct map_match *match,
                                      const json_t *resources,
                                      struct fx_text namespace_) {
    json_t *selector = fx_tree_view_key(resources, "namespaceSelector");
    if (match->namespace_selector == NULL || namespace_.len == 0 ||
        !asks_only_name(selector)) {
        return true;
    }
    struct fx_err err = FX_ERR_INIT;
    bool fits = true;
    json_t *labels = json_object();
    const bool ok =
        labels != NULL &&
        fx_tree_set_take(labels, FX_TEXT(NAME_LABEL), fx_tree_new_string(namespace_)) &&
        fx_selector_eval(match->namespace_selector, labels, &fits, &err);
    json_decref(labels);
    return !ok || fits;
}
