/* SPDX-License-Identifier: Apache-2.0
 *
 * toy/link.c - makes rules from a policy, its bindings and their parameters.
 */
#include <string.h>

#include "toy/toy.h"
#include "value/tree.h"

/* Returns the text at a path ("data.owner") in the parameter; empty (data NULL) if there
 * is none. */
static struct fx_text find_value(const json_t *param, const char *path) {
    while (param != NULL && path[0] != '\0') {
        const size_t len = strcspn(path, ".");
        param = fx_tree_view_text(param, (struct fx_text){path, len});
        path += len + (path[len] == '.');
    }
    return fx_tree_text(param);
}

/* Adds the tag as a string, or reports that the parameter does not have it. */
static bool add_tag(struct fx_link *link, const struct fx_unit *binding,
                    const json_t *param, const char *key, json_t *value, json_t *tags) {
    const json_t *path = fx_tree_view_key(value, "fromParam");
    if (path == NULL) {
        return json_object_set(tags, key, value) == 0;
    }
    const struct fx_text text = find_value(param, json_string_value(path));
    if (text.data == NULL) {
        fx_link_report(link, false, "TagBinding/%s: its parameter has no text at %s",
                       binding->name, json_string_value(path));
        return true;
    }
    return fx_tree_set_take(tags, fx_text_of(key), fx_tree_new_string(text));
}

static void add_rule(struct fx_link *link, struct fx_unit *unit, struct fx_unit *binding,
                     const json_t *param, uint32_t position) {
    const struct toy_policy *policy = (const struct toy_policy *)unit->linkable;
    json_t *tags = json_object();
    bool ok = tags != NULL;
    for (void *iter = json_object_iter(policy->tags); ok && iter != NULL;
         iter = json_object_iter_next(policy->tags, iter)) {
        ok = add_tag(link, binding, param, json_object_iter_key(iter),
                     json_object_iter_value(iter), tags);
    }
    struct fx_mutator *rule = NULL;
    if (ok) {
        rule = fx_toy_rule_create_take(unit, binding, position, tags);
    } else {
        json_decref(tags);
    }
    if (rule == NULL) {
        link->failed = true;
    } else {
        fx_link_add_take(link, rule);
    }
}

/* Finds the parameter of a binding, or reports that there is none. */
static json_t *find_param(struct fx_link *link, const struct fx_named_kind *kind,
                          const struct fx_unit *unit) {
    const struct toy_binding *binding = (const struct toy_binding *)unit->linkable;
    const struct fx_object_query query = {
        .kind = *kind,
        .namespace_ = binding->param_namespace.data == NULL ? FX_TEXT("")
                                                            : binding->param_namespace,
        .name = binding->param_name.data == NULL ? FX_TEXT("") : binding->param_name,
    };
    const struct fx_objects_found found = fx_link_find_objects(link, &query);
    if (found.n_items > 0) {
        json_t *object = fx_unit_get_object(found.items[0]);
        link->failed = link->failed || object == NULL;
        return object;
    }
    if (found.unavailable == NULL) {
        fx_link_report(link, false, "TagBinding/%s: there is no %.*s %.*s%s%.*s",
                       unit->name, FX_TEXT_ARG(kind->kind), FX_TEXT_ARG(query.namespace_),
                       query.namespace_.len == 0 ? "" : "/", FX_TEXT_ARG(query.name));
    }
    return NULL;
}

void fx_toy_link(struct fx_unit *unit, struct fx_link *link) {
    const struct toy_policy *policy = (const struct toy_policy *)unit->linkable;
    size_t n = 0;
    struct fx_unit *const *bindings =
        fx_link_list(link, &fx_toy_kinds[TOY_BINDING], fx_text_of(unit->name), &n);
    for (size_t i = 0; i < n; i++) {
        const json_t *param = policy->has_params
                                  ? find_param(link, &policy->param_kind, bindings[i])
                                  : NULL;
        if (param != NULL || !policy->has_params) {
            add_rule(link, unit, bindings[i], param, (uint32_t)i);
        }
    }
}
