/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/schemas.c - the schemas of custom resources.
 *
 * They come from the objects of kind CustomResourceDefinition that rules of the policy
 * name: `widgets` of the group `example.com` is defined by `widgets.example.com`. A rule
 * with "*" names all of them.
 */
#include "mutators/admission_policy/schemas.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/buf.h"
#include "value/tree.h"

struct map_schemas {
    atomic_uint refs;
    struct fx_schema_builder *builder;
    const struct fx_schema_set *set; /* of the builder, when all is added */
};

struct map_schemas *fx_map_schemas_ref(struct map_schemas *schemas) {
    if (schemas != NULL) {
        atomic_fetch_add_explicit(&schemas->refs, 1, memory_order_relaxed);
    }
    return schemas;
}

void fx_map_schemas_unref(struct map_schemas *schemas) {
    if (schemas != NULL &&
        atomic_fetch_sub_explicit(&schemas->refs, 1, memory_order_acq_rel) == 1) {
        fx_schema_builder_destroy(schemas->builder);
        free(schemas);
    }
}

const struct fx_schema_set *fx_map_schemas_set(const struct map_schemas *schemas) {
    return schemas == NULL ? NULL : schemas->set;
}

/* ---- what is needed --------------------------------------------------------------- */

static bool has_configuration(const struct map_policy *policy) {
    for (size_t i = 0; i < policy->n_mutations; i++) {
        if (policy->mutations[i].type == MAP_APPLY_CONFIGURATION) {
            return true;
        }
    }
    return false;
}

/* Is it a group of kinds that API servers have themselves? */
static bool is_builtin_group(struct fx_text group) {
    const struct fx_schema_set *set = &fx_schema_builtin;
    for (size_t i = 0; i < set->n_kinds; i++) {
        struct fx_text name = fx_text_of(set->texts + set->kinds[i].name);
        if (fx_text_equal(fx_text_cut(&name, '/'), group)) {
            return true;
        }
    }
    return false;
}

/* May it be the group of custom resources? Those have a dot in their names. */
static bool may_be_custom(struct fx_text group) {
    return fx_text_is(group, "*") ||
           (fx_text_contains(group, FX_TEXT(".")) && !is_builtin_group(group));
}

static struct map_schemas *create(void) {
    struct map_schemas *schemas = calloc(1, sizeof *schemas);
    if (schemas == NULL) {
        return NULL;
    }
    atomic_init(&schemas->refs, 1);
    schemas->builder = fx_schema_builder_create();
    if (schemas->builder == NULL) {
        free(schemas);
        return NULL;
    }
    return schemas;
}

/* ---- looking definitions up ------------------------------------------------------- */

static void add_definition(struct map_schemas *schemas, struct fx_unit *unit,
                           struct fx_link *link) {
    struct fx_err err = FX_ERR_INIT;
    const json_t *definition = fx_unit_get_object(unit);
    if (definition == NULL) {
        link->failed = true;
    } else if (!fx_schema_add_crd(schemas->builder, definition, &err)) {
        link->failed = link->failed || err.code == FX_ENOMEM;
        fx_link_report(link, false, "CustomResourceDefinition/%s: %s", unit->name,
                       err.msg);
    }
}

/* Adds the definitions of this name, or all of them if it has no data. */
static void add_named(struct map_schemas *schemas, struct fx_text name,
                      struct fx_link *link) {
    const struct fx_object_query query = {
        .kind = {.group = FX_TEXT("apiextensions.k8s.io"),
                 .version = FX_TEXT("v1"),
                 .kind = FX_TEXT("CustomResourceDefinition")},
        .namespace_ = FX_TEXT(""),
        .name = name,
    };
    const struct fx_objects_found found = fx_link_find_objects(link, &query);
    for (size_t i = 0; i < found.n_items && !link->failed && fx_spend(1); i++) {
        add_definition(schemas, found.items[i], link);
    }
}

/* Adds the definition of a resource, which may be a subresource, of a group. */
static void add_resource(struct map_schemas *schemas, struct fx_text resource,
                         struct fx_text group, struct fx_link *link) {
    const struct fx_text main = fx_text_cut(&resource, '/');
    struct fx_buf name;
    if (fx_text_is(main, "*") || fx_text_is(group, "*")) {
        add_named(schemas, (struct fx_text){0}, link);
        return;
    }
    fx_buf_init(&name, 0);
    fx_buf_printf(&name, "%.*s.%.*s", FX_TEXT_ARG(main), FX_TEXT_ARG(group));
    if (name.failed) {
        link->failed = true;
    } else {
        add_named(schemas, fx_buf_view(&name), link);
    }
    fx_buf_finish(&name);
}

static void add_rule(struct map_schemas **schemas, const struct map_resource_rule *rule,
                     struct fx_link *link) {
    for (size_t i = 0; i < json_array_size(rule->groups); i++) {
        const struct fx_text group = fx_tree_text(json_array_get(rule->groups, i));
        if (!may_be_custom(group)) {
            continue;
        }
        *schemas = *schemas == NULL ? create() : *schemas;
        if (*schemas == NULL) {
            link->failed = true;
            return;
        }
        for (size_t k = 0; k < json_array_size(rule->resources) && fx_spend(1); k++) {
            add_resource(*schemas, fx_tree_text(json_array_get(rule->resources, k)),
                         group, link);
        }
    }
}

struct map_schemas *fx_map_schemas_find(const struct map_policy *policy,
                                        struct fx_link *link) {
    struct map_schemas *schemas = NULL;
    if (!has_configuration(policy)) {
        return NULL;
    }
    for (size_t i = 0; i < policy->match.n_rules && !link->failed; i++) {
        add_rule(&schemas, &policy->match.rules[i], link);
    }
    if (schemas != NULL) {
        schemas->set = fx_schema_builder_set(schemas->builder);
    }
    return schemas;
}
