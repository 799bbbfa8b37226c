/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/type_kinds.c - which kinds with a schema a policy matches.
 */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/vec.h"
#include "mutators/admission_policy/match.h"
#include "mutators/admission_policy/type_check.h"
#include "value/tree.h"

/* The search for the kinds of one policy. */
struct map_kind_search {
    const struct fx_schemas *schemas;
    struct map_typed_kinds *kinds;
    bool knows_version; /* other kinds of the group and version that is looked up */
    struct fx_err *err;
};

/* What is looked up: the kind of a resource, or a kind itself. */
struct map_kind_wanted {
    struct fx_text group, version, resource, kind; /* one of the last two has no data */
};

/* ---- sets -------------------------------------------------------------------------- */

/* Looks in one set. The schema has no set if the set does not have the kind. */
static bool find_in_set(struct map_kind_search *search, const struct fx_schema_set *set,
                        const struct map_kind_wanted *wanted,
                        struct map_typed_kind *ret_kind) {
    struct fx_text kind = wanted->kind;
    if (kind.data == NULL &&
        !fx_schemas_find_resource(set, wanted->group, wanted->version, wanted->resource,
                                  &kind)) {
        return fx_fail_nomem(search->err);
    }
    *ret_kind = (struct map_typed_kind){
        .group = wanted->group, .version = wanted->version, .kind = kind};
    if (kind.data != NULL) {
        ret_kind->schema = fx_schema_find(set, wanted->group, wanted->version, kind);
    }
    search->knows_version = search->knows_version || ret_kind->schema.set != NULL ||
                            fx_schemas_have_version(set, wanted->group, wanted->version);
    return true;
}

/* Looks among the schemas of the API server. */
static bool find_fetched(struct map_kind_search *search,
                         const struct map_kind_wanted *wanted,
                         struct map_typed_kind *ret_kind) {
    struct map_typed_kinds *kinds = search->kinds;
    struct fx_schema_catalog *catalog = NULL;
    struct fx_err why = FX_ERR_INIT;
    const enum fx_lookup result = search->schemas->look_up(
        search->schemas->user, wanted->group, wanted->version, &catalog, &why);
    kinds->waits = kinds->waits || result == FX_LOOKUP_WAIT;
    if (result != FX_LOOKUP_FOUND) {
        return true;
    }
    if (!FX_VEC_GROW(kinds->held, kinds->n_held, kinds->cap_held)) {
        fx_schema_catalog_unref(catalog);
        return fx_fail_nomem(search->err);
    }
    kinds->held[kinds->n_held++] = catalog;
    return find_in_set(search, fx_schema_catalog_set(catalog), wanted, ret_kind);
}

/* Finds the kind and its schema: in the given catalogs, then as the API server has it,
 * then in the built-in table. */
static bool find_kind(struct map_kind_search *search,
                      const struct map_kind_wanted *wanted,
                      struct map_typed_kind *ret_kind) {
    const struct fx_schemas *schemas = search->schemas;
    bool ok = true;
    search->knows_version = false;
    *ret_kind = (struct map_typed_kind){.kind = wanted->kind};
    for (size_t i = 0; ok && i < FX_SCHEMAS_GIVEN && ret_kind->schema.set == NULL; i++) {
        ok = schemas->given[i] == NULL ||
             find_in_set(search, fx_schema_catalog_set(schemas->given[i]), wanted,
                         ret_kind);
    }
    if (ok && ret_kind->schema.set == NULL && schemas->look_up != NULL) {
        ok = find_fetched(search, wanted, ret_kind);
    }
    if (ok && ret_kind->schema.set == NULL) {
        ok = find_in_set(search, &fx_schema_builtin, wanted, ret_kind);
    }
    return ok;
}

/* ---- rules ------------------------------------------------------------------------- */

static int compare_kinds(const struct map_typed_kind *a, const struct map_typed_kind *b) {
    const int by_group = fx_text_compare(a->group, b->group);
    const int by_version = fx_text_compare(a->version, b->version);
    return by_group != 0     ? by_group
           : by_version != 0 ? by_version
                             : fx_text_compare(a->kind, b->kind);
}

/* Adds the kind at its place, unless it is there, or there are too many. */
static void add_kind(struct map_typed_kinds *kinds, const struct map_typed_kind *kind) {
    size_t at = 0;
    while (at < kinds->n && compare_kinds(&kinds->items[at], kind) < 0) {
        at++;
    }
    if (at < kinds->n && compare_kinds(&kinds->items[at], kind) == 0) {
        return;
    }
    if (kinds->n == MAP_MOST_TYPED_KINDS) {
        kinds->is_complete = false;
        return;
    }
    memmove(&kinds->items[at + 1], &kinds->items[at],
            (kinds->n - at) * sizeof kinds->items[0]);
    kinds->items[at] = *kind;
    kinds->n++;
}

/* Of a subresource, the kind of its resource, if it has objects of that. A resource that
 * a known version does not have matches nothing: several groups and
 * resources in one rule are all their combinations. */
static bool add_resource(struct map_kind_search *search,
                         const struct map_kind_wanted *wanted) {
    struct map_typed_kind kind;
    struct map_kind_wanted main = *wanted;
    struct fx_text subresource = wanted->resource;
    main.resource = fx_text_cut(&subresource, '/');
    if (fx_text_contains(wanted->resource, FX_TEXT("*")) || main.resource.len == 0 ||
        !fx_map_subresource_has_own_kind(subresource)) {
        search->kinds->is_complete = false;
        return true;
    }
    if (!find_kind(search, &main, &kind)) {
        return false;
    }
    if (kind.schema.set == NULL) {
        search->kinds->is_complete = search->kinds->is_complete && search->knows_version;
    } else {
        add_kind(search->kinds, &kind);
    }
    return true;
}

static bool has_wildcard(const json_t *list) {
    size_t index = 0;
    const json_t *item = NULL;
    json_array_foreach (list, index, item) {
        if (fx_text_contains(fx_tree_text(item), FX_TEXT("*"))) {
            return true;
        }
    }
    return false;
}

/* Combinations of one rule that are looked at. */
#define MOST_COMBINATIONS 1000u

static bool add_rule(struct map_kind_search *search,
                     const struct map_resource_rule *rule) {
    struct map_typed_kinds *kinds = search->kinds;
    const size_t n_versions = json_array_size(rule->versions);
    const size_t n_resources = json_array_size(rule->resources);
    const size_t n_all = json_array_size(rule->groups) * n_versions * n_resources;
    if (has_wildcard(rule->groups) || has_wildcard(rule->versions)) {
        kinds->is_complete = false;
        return true;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < n_all; i++) {
        if (i == MOST_COMBINATIONS || !fx_spend(1)) {
            kinds->is_complete = false;
            break;
        }
        const struct map_kind_wanted wanted = {
            .group =
                fx_tree_text(json_array_get(rule->groups, i / n_resources / n_versions)),
            .version = fx_tree_text(
                json_array_get(rule->versions, i / n_resources % n_versions)),
            .resource = fx_tree_text(json_array_get(rule->resources, i % n_resources)),
        };
        ok = add_resource(search, &wanted);
    }
    return ok;
}

bool fx_map_typed_kinds_find(const struct map_policy *policy,
                             const struct fx_schemas *schemas,
                             struct map_typed_kinds *ret_kinds, struct fx_err *err) {
    struct map_kind_search search = {.schemas = schemas, .kinds = ret_kinds, .err = err};
    bool ok = true;
    *ret_kinds = (struct map_typed_kinds){.is_complete = true};
    for (size_t i = 0; ok && i < policy->match.n_rules; i++) {
        ok = add_rule(&search, &policy->match.rules[i]);
    }
    if (ok && policy->has_params) {
        const struct map_kind_wanted wanted = {.group = policy->param_kind.group,
                                               .version = policy->param_kind.version,
                                               .kind = policy->param_kind.kind};
        ok = find_kind(&search, &wanted, &ret_kinds->params);
    }
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING ? ok : fx_fail_exceeded(err);
}

void fx_map_typed_kinds_finish(struct map_typed_kinds *kinds) {
    for (size_t i = 0; i < kinds->n_held; i++) {
        fx_schema_catalog_unref(kinds->held[i]);
    }
    free(kinds->held);
    *kinds = (struct map_typed_kinds){.n = 0};
}
