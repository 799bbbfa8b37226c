/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/schemas.h - finds the schema of a kind (merge/schema.h) for a rule.
 *
 * Schemas that are read while the program runs are in catalogs, which are immutable and
 * counted: a review that holds a catalog is not disturbed if a newer one replaces it.
 */
#ifndef FX_ENGINE_SCHEMAS_H
#define FX_ENGINE_SCHEMAS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/input.h"
#include "merge/schema.h"

struct fx_request;

/* ---- catalogs -------------------------------------------------------------------- */

struct fx_schema_catalog; /* opaque */

/* Makes a catalog of everything that was added to the builder, and takes the builder over
 * in any case. NULL without memory. */
struct fx_schema_catalog *
fx_schema_catalog_create(struct fx_schema_builder *builder_take) FX_MUST_USE;

/* Any thread. NULL is fine. */
struct fx_schema_catalog *fx_schema_catalog_ref(struct fx_schema_catalog *catalog);
void fx_schema_catalog_unref(struct fx_schema_catalog *catalog);

/* The set of its schemas: valid as long as the catalog. */
const struct fx_schema_set *
fx_schema_catalog_set(const struct fx_schema_catalog *catalog);

/* The kind of a resource ("deployments") of a group and version: the one that the
 * documents of the set name, else the one whose resource is probably called so
 * (fx_resource_guess()). Its data is NULL if the set has none; else the text belongs to
 * the set. False without memory. */
bool fx_schemas_find_resource(const struct fx_schema_set *set, struct fx_text group,
                              struct fx_text version, struct fx_text resource,
                              struct fx_text *ret_kind) FX_MUST_USE;

/* Does the set have a kind of this group and version? */
bool fx_schemas_have_version(const struct fx_schema_set *set, struct fx_text group,
                             struct fx_text version);

/* Is the object a CustomResourceDefinition (apiextensions.k8s.io/v1)? */
bool fx_schemas_is_crd(const json_t *object);

/* Can the schemas of the CustomResourceDefinition be read? Errors: those of
 * fx_schema_add_crd(). */
bool fx_schemas_check_crd(const json_t *crd, struct fx_err *err) FX_MUST_USE;

/* Makes a catalog of the CustomResourceDefinitions among the objects; of several with the
 * same kind, the first one counts. *ret_catalog is NULL if there are none. Those that
 * cannot be read, or for which there is no room any more, are left out: check each with
 * fx_schemas_check_crd() before. Errors: FX_ENOMEM, FX_EDEADLINE. */
bool fx_schemas_of_crds(json_t *const *objects, size_t n_objects,
                        struct fx_schema_catalog **ret_catalog,
                        struct fx_err *err) FX_MUST_USE;

/* ---- what a caller of reviews knows ---------------------------------------------- */

/* Looks up the schemas of a group and version (of the API server) without waiting. FOUND:
 * *ret_catalog is a new reference. FAILED: they cannot be had, and the built-in table
 * counts. Called on the thread of the review. */
typedef enum fx_lookup fx_schemas_look_up(void *user, struct fx_text group,
                                          struct fx_text version,
                                          struct fx_schema_catalog **ret_catalog,
                                          struct fx_err *err);

#define FX_SCHEMAS_GIVEN 3u

/* Immutable while a review has it (fx_request.schemas). */
struct fx_schemas {
    /* Catalogs of the caller, borrowed: the first that has a kind counts. NULL: none. */
    struct fx_schema_catalog *given[FX_SCHEMAS_GIVEN];
    /* NULL: no schema is fetched. Otherwise the caller of the review answers inputs of
     * the type FX_INPUT_SCHEMA. */
    fx_schemas_look_up *look_up;
    void *user; /* an argument of `look_up` */
};

/* ---- what a rule asks ------------------------------------------------------------ */

/* For `apply` of a rule: finds the schema of a kind; `group` is empty for the core group.
 * The given catalogs have precedence, then what the API server says, then the built-in
 * table. If the kind is unknown, the `set` of *ret_schema is NULL, and the rule decides
 * what that means. The schema is valid until the end of the review. Errors: FX_EINPUT (it
 * has to be fetched), FX_EMUTATE (the rule needs too many inputs or rounds), FX_ENOMEM,
 * FX_EDEADLINE. A schema that could not be fetched is not an error. */
bool fx_schemas_find(const struct fx_request *request, struct fx_text group,
                     struct fx_text version, struct fx_text kind,
                     struct fx_schema *ret_schema, struct fx_err *err) FX_MUST_USE;

/* Does the built-in table have the kind? */
bool fx_schemas_is_builtin(const struct fx_request *request, struct fx_text group,
                           struct fx_text version, struct fx_text kind);

#endif
