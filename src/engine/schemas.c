/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/schemas.c - catalogs of schemas, and the order in which they are asked.
 */
#include "engine/schemas.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/buf.h"
#include "engine/admission_request.h"
#include "engine/request.h"
#include "engine/request_memo.h"

/* ---- catalogs -------------------------------------------------------------------- */

struct fx_schema_catalog {
    atomic_uint refs;
    struct fx_schema_builder *builder; /* owns the set */
    const struct fx_schema_set *set;
};

struct fx_schema_catalog *
fx_schema_catalog_create(struct fx_schema_builder *builder_take) {
    struct fx_schema_catalog *catalog = malloc(sizeof *catalog);
    if (catalog == NULL) {
        fx_schema_builder_destroy(builder_take);
        return NULL;
    }
    atomic_init(&catalog->refs, 1);
    catalog->builder = builder_take;
    catalog->set = fx_schema_builder_set(builder_take);
    return catalog;
}

struct fx_schema_catalog *fx_schema_catalog_ref(struct fx_schema_catalog *catalog) {
    if (catalog != NULL) {
        atomic_fetch_add_explicit(&catalog->refs, 1, memory_order_relaxed);
    }
    return catalog;
}

void fx_schema_catalog_unref(struct fx_schema_catalog *catalog) {
    if (catalog != NULL &&
        atomic_fetch_sub_explicit(&catalog->refs, 1, memory_order_acq_rel) == 1) {
        fx_schema_builder_destroy(catalog->builder);
        free(catalog);
    }
}

const struct fx_schema_set *
fx_schema_catalog_set(const struct fx_schema_catalog *catalog) {
    return catalog->set;
}

/* ---- resources ------------------------------------------------------------------- */

/* Is it the name of a kind of this group and version? *ret_kind is the kind then. */
static bool is_of_version(struct fx_text name, struct fx_text group,
                          struct fx_text version, struct fx_text *ret_kind) {
    const struct fx_text first = fx_text_cut(&name, '/');
    if (group.len > 0) {
        *ret_kind = name;
        return fx_text_equal(first, group) &&
               fx_text_equal(fx_text_cut(ret_kind, '/'), version) && ret_kind->len > 0;
    }
    *ret_kind = name;
    return fx_text_equal(first, version) && !fx_text_contains(name, FX_TEXT("/"));
}

bool fx_schemas_find_resource(const struct fx_schema_set *set, struct fx_text group,
                              struct fx_text version, struct fx_text resource,
                              struct fx_text *ret_kind) {
    bool ok = true;
    *ret_kind = fx_schema_find_resource(set, group, version, resource);
    for (size_t i = 0; ok && ret_kind->data == NULL && i < set->n_kinds && fx_spend(1);
         i++) {
        struct fx_text kind = {0};
        if (!is_of_version(fx_text_of(set->texts + set->kinds[i].name), group, version,
                           &kind)) {
            continue;
        }
        struct fx_buf plural;
        fx_buf_init(&plural, 0);
        fx_resource_guess(&plural, kind);
        ok = !plural.failed;
        *ret_kind = fx_text_equal(fx_buf_view(&plural), resource) ? kind : *ret_kind;
        fx_buf_finish(&plural);
    }
    return ok;
}

bool fx_schemas_have_version(const struct fx_schema_set *set, struct fx_text group,
                             struct fx_text version) {
    struct fx_text kind = {0};
    for (size_t i = 0; i < set->n_kinds && fx_spend(1); i++) {
        if (is_of_version(fx_text_of(set->texts + set->kinds[i].name), group, version,
                          &kind)) {
            return true;
        }
    }
    return false;
}

/* ---- CustomResourceDefinitions --------------------------------------------------- */

bool fx_schemas_is_crd(const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    return fx_text_is(subject.kind, "CustomResourceDefinition") &&
           fx_text_is(subject.api_version, "apiextensions.k8s.io/v1");
}

bool fx_schemas_check_crd(const json_t *crd, struct fx_err *err) {
    struct fx_schema_builder *builder = fx_schema_builder_create();
    const bool ok =
        builder == NULL ? fx_fail_nomem(err) : fx_schema_add_crd(builder, crd, err);
    fx_schema_builder_destroy(builder);
    return ok;
}

/* Adds one definition, and leaves it out if it cannot be read. Errors: FX_ENOMEM,
 * FX_EDEADLINE. */
static bool add_crd(struct fx_schema_builder *builder, const json_t *crd,
                    struct fx_err *err) {
    if (fx_schema_add_crd(builder, crd, err)) {
        return true;
    }
    if (err->code == FX_EINVALID || err->code == FX_ELIMIT) {
        fx_err_reset(err);
        return true;
    }
    return false;
}

bool fx_schemas_of_crds(json_t *const *objects, size_t n_objects,
                        struct fx_schema_catalog **ret_catalog, struct fx_err *err) {
    struct fx_schema_builder *builder = NULL;
    bool ok = true;
    *ret_catalog = NULL;
    for (size_t i = 0; ok && i < n_objects; i++) {
        if (!fx_schemas_is_crd(objects[i])) {
            continue;
        }
        builder = builder == NULL ? fx_schema_builder_create() : builder;
        ok = builder == NULL ? fx_fail_nomem(err) : add_crd(builder, objects[i], err);
    }
    if (!ok || builder == NULL) {
        fx_schema_builder_destroy(builder);
        return ok;
    }
    *ret_catalog = fx_schema_catalog_create(builder);
    return *ret_catalog != NULL || fx_fail_nomem(err);
}

/* ---- finding --------------------------------------------------------------------- */

/* The kind of which a rule needs the schema. */
struct wanted_schema {
    struct fx_text group, version, kind;
};

static bool find_in(const struct fx_schema_catalog *catalog,
                    const struct wanted_schema *wanted, struct fx_schema *ret_schema) {
    if (catalog == NULL) {
        return false;
    }
    *ret_schema =
        fx_schema_find(catalog->set, wanted->group, wanted->version, wanted->kind);
    return ret_schema->set != NULL;
}

static bool find_given(const struct fx_schemas *schemas,
                       const struct wanted_schema *wanted, struct fx_schema *ret_schema) {
    for (size_t i = 0; i < FX_SCHEMAS_GIVEN; i++) {
        if (find_in(schemas->given[i], wanted, ret_schema)) {
            return true;
        }
    }
    return false;
}

/* Asks for the schemas of a group and version, and answers at once if they are there. */
static void look_up(const struct fx_schemas *schemas, struct fx_input_entry *entry) {
    struct fx_schema_catalog *catalog = NULL;
    struct fx_err why;
    fx_err_reset(&why);
    entry->state = FX_INPUT_AWAITED;
    switch (schemas->look_up(schemas->user, entry->key.group, entry->key.version,
                             &catalog, &why)) {
    case FX_LOOKUP_FOUND: fx_inputs_give_schemas(entry, catalog, NULL); break;
    case FX_LOOKUP_FAILED: fx_inputs_give_schemas(entry, NULL, &why); break;
    case FX_LOOKUP_WAIT: break;
    }
}

/* Finds the schema among those of the API server. True with an empty schema if they
 * cannot be had, or do not have the kind. */
static bool find_fetched(const struct fx_request *request,
                         const struct wanted_schema *wanted, struct fx_schema *ret_schema,
                         struct fx_err *err) {
    const struct fx_input_key key = {
        .type = FX_INPUT_SCHEMA,
        .group = wanted->group,
        .version = wanted->version,
    };
    struct fx_input_entry *entry = fx_inputs_find(request->inputs, &key);
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(err);
    }
    if (entry == NULL) {
        entry = fx_inputs_want(request->inputs, &key, err);
    }
    if (entry == NULL) {
        return false;
    }
    if (entry->state == FX_INPUT_WANTED) {
        look_up(request->schemas, entry);
    }
    if (entry->state == FX_INPUT_AWAITED) {
        return fx_fail(err, FX_EINPUT, "a schema has to be fetched");
    }
    if (entry->state == FX_INPUT_FAILED &&
        (entry->code == FX_ENOMEM || entry->code == FX_EDEADLINE)) {
        return fx_input_fail(entry, err);
    }
    (void)find_in(entry->schemas, wanted, ret_schema);
    return true;
}

static bool is_builtin(const struct wanted_schema *wanted) {
    return fx_schema_find(&fx_schema_builtin, wanted->group, wanted->version,
                          wanted->kind)
               .set != NULL;
}

static bool has_schema_of(const struct fx_request_memo *memo,
                          const struct wanted_schema *wanted) {
    return memo != NULL && memo->schema.set != NULL &&
           fx_text_equal(memo->kind, wanted->kind) &&
           fx_text_equal(memo->version, wanted->version) &&
           fx_text_equal(memo->group, wanted->group);
}

static struct fx_text keep_text(char **at, struct fx_text text) {
    const struct fx_text kept = {*at, text.len};
    if (text.len > 0) {
        memcpy(*at, text.data, text.len);
        *at += text.len;
    }
    return kept;
}

/* Keeps the schema for the next rule, unless the texts are very long. */
static void keep_schema(struct fx_request_memo *memo, const struct wanted_schema *wanted,
                        struct fx_schema schema) {
    if (memo == NULL || schema.set == NULL ||
        wanted->group.len + wanted->version.len + wanted->kind.len > sizeof memo->texts) {
        return;
    }
    char *at = memo->texts;
    memo->group = keep_text(&at, wanted->group);
    memo->version = keep_text(&at, wanted->version);
    memo->kind = keep_text(&at, wanted->kind);
    memo->is_builtin = schema.set == &fx_schema_builtin || is_builtin(wanted);
    memo->schema = schema;
}

bool fx_schemas_is_builtin(const struct fx_request *request, struct fx_text group,
                           struct fx_text version, struct fx_text kind) {
    const struct wanted_schema wanted = {group, version, kind};
    return has_schema_of(request->memo, &wanted) ? request->memo->is_builtin
                                                 : is_builtin(&wanted);
}

/* Finds the schema of a kind that is not the last one. */
static bool find(const struct fx_request *request, const struct wanted_schema *wanted,
                 struct fx_schema *ret_schema, struct fx_err *err) {
    const struct fx_schemas *schemas = request->schemas;
    *ret_schema = (struct fx_schema){.set = NULL};
    if (schemas != NULL && find_given(schemas, wanted, ret_schema)) {
        return true;
    }
    if (schemas != NULL && schemas->look_up != NULL && request->inputs != NULL &&
        !find_fetched(request, wanted, ret_schema, err)) {
        return false;
    }
    if (ret_schema->set == NULL) {
        *ret_schema = fx_schema_find(&fx_schema_builtin, wanted->group, wanted->version,
                                     wanted->kind);
    }
    return true;
}

bool fx_schemas_find(const struct fx_request *request, struct fx_text group,
                     struct fx_text version, struct fx_text kind,
                     struct fx_schema *ret_schema, struct fx_err *err) {
    const struct wanted_schema wanted = {group, version, kind};
    if (has_schema_of(request->memo, &wanted)) {
        *ret_schema = request->memo->schema;
        return true;
    }
    if (!find(request, &wanted, ret_schema, err)) {
        return false;
    }
    keep_schema(request->memo, &wanted, *ret_schema);
    return true;
}
