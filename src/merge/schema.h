/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/schema.h - how objects of a kind are merged: which lists have keys, which maps
 * and lists are replaced as a whole (structured-merge-diff's schema, as in the API
 * server's OpenAPI document; spec/mutating-admission-policy.md section 15).
 *
 * A set of schemas is a few arrays that refer to each other by index: the built-in one is
 * constant data without a pointer that would have to be relocated.
 */
#ifndef FX_MERGE_SCHEMA_H
#define FX_MERGE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

enum fx_schema_type {
    FX_SCHEMA_ANY, /* not known: maps merge, lists are atomic, scalars are any */
    FX_SCHEMA_STRING,
    FX_SCHEMA_NUMBER, /* integer or fraction */
    FX_SCHEMA_BOOL,
    FX_SCHEMA_SCALAR, /* a string, a number or a bool: quantities, dates */
    FX_SCHEMA_STRUCT, /* an object with these fields */
    FX_SCHEMA_MAP,    /* an object with any keys: `element` is the type of the values */
    FX_SCHEMA_LIST,   /* atomic, or a set, or with keys; `element` */
};

/* How the API server decodes a scalar, where the schema says so. */
enum fx_schema_format {
    FX_SCHEMA_NO_FORMAT,
    FX_SCHEMA_INT32,
    FX_SCHEMA_INT64,
    FX_SCHEMA_DOUBLE,
    FX_SCHEMA_BYTES, /* base64 */
    FX_SCHEMA_QUANTITY,
    FX_SCHEMA_INT_OR_STRING,          /* null is 0 */
    FX_SCHEMA_OPTIONAL_INT_OR_STRING, /* null is absent */
    FX_SCHEMA_DATE_TIME,
};

struct fx_schema_node {
    uint8_t type;     /* enum fx_schema_type */
    uint8_t format;   /* enum fx_schema_format */
    bool is_atomic;   /* a struct, map or list that is replaced as a whole */
    bool is_set;      /* a list whose elements are unique */
    bool allows_any;  /* a struct that may have other fields, too: they are ANY */
    uint32_t element; /* of a list or map: its node */
    uint32_t first;   /* of a struct: its first field; of a list with keys: its first key,
                       * in `keys` of the set */
    uint32_t n;       /* of fields or keys; a list without keys has 0 */
};

/* A field of a struct. The fields of one struct are sorted by name, bytewise. */
struct fx_schema_field {
    uint32_t name; /* offset in `texts` */
    uint32_t node;
    uint32_t default_; /* of a field that is a key of a list: 1 + index in `defaults`; 0:
                        * it has none */
};

/* The default of a key. */
struct fx_schema_default {
    int64_t number;
    uint32_t text; /* offset in `texts` */
    bool is_number;
};

/* A kind: "v1/Pod", "apps/v1/Deployment"; sorted by name. */
struct fx_schema_kind {
    uint32_t name; /* offset in `texts` */
    uint32_t node;
};

/* A resource: "apps/v1/deployments" has the kind "Deployment". */
struct fx_schema_resource {
    uint32_t name; /* offset in `texts` */
    uint32_t kind; /* the same */
};

struct fx_schema_set {
    const struct fx_schema_node *nodes;
    const struct fx_schema_field *fields;
    const struct fx_schema_default *defaults;
    const struct fx_schema_kind *kinds;
    const uint32_t *keys; /* offsets in `texts` */
    const char *texts;    /* NUL-terminated, one after the other */
    /* For each node: it is a list with two keys, or has one below. NULL in sets that are
     * not for strategic merges. */
    const bool *two_keys;
    /* Of the kinds whose document names their resource; sorted by name. */
    const struct fx_schema_resource *resources;
    size_t n_nodes, n_kinds, n_resources;
};

/* The kinds of Kubernetes 1.32. (builtin_types.c) */
extern const struct fx_schema_set fx_schema_builtin;

/* The kind of a resource ("deployments"), as far as documents name resources; data NULL:
 * not known. The text belongs to the set. */
struct fx_text fx_schema_find_resource(const struct fx_schema_set *set,
                                       struct fx_text group, struct fx_text version,
                                       struct fx_text resource);

/* A schema: a node of a set. `set` NULL: none. */
struct fx_schema {
    const struct fx_schema_set *set;
    uint32_t node;
};

/* The schema of a kind; `group` is empty for the core group. Its `set` is NULL if the set
 * does not have the kind. */
struct fx_schema fx_schema_find(const struct fx_schema_set *set, struct fx_text group,
                                struct fx_text version, struct fx_text kind);

/* Gives the group and version of the next kind of this name, from the one at *at on, and
 * moves *at behind it. The texts belong to the set. False if there is none any more. */
bool fx_schema_next_of_kind(const struct fx_schema_set *set, struct fx_text kind,
                            size_t *at, struct fx_text *ret_group,
                            struct fx_text *ret_version);

static inline const struct fx_schema_node *fx_schema_node(struct fx_schema schema) {
    return &schema.set->nodes[schema.node];
}

/* The field of a struct. `set` NULL: it does not have the field. */
struct fx_schema fx_schema_field(struct fx_schema schema, struct fx_text name);

/* The type of the elements of a list or of the values of a map. */
static inline struct fx_schema fx_schema_element(struct fx_schema schema) {
    return (struct fx_schema){schema.set, fx_schema_node(schema)->element};
}

/* Key `i` of a list with keys, and its default; NULL if there is none. */
struct fx_text fx_schema_key(struct fx_schema list, size_t i);
const struct fx_schema_default *fx_schema_key_default(struct fx_schema list, size_t i);

/* A new node with the default; NULL without memory. */
json_t *fx_schema_default_node(const struct fx_schema_set *set,
                               const struct fx_schema_default *given) FX_MUST_USE;

/* A schema for which nothing is known (FX_SCHEMA_ANY). */
extern const struct fx_schema fx_schema_any;

/* ---- sets that are made while the program runs
 * ----------------------------------------- */

struct fx_schema_builder; /* opaque */

/* An empty builder; NULL without memory. */
struct fx_schema_builder *fx_schema_builder_create(void) FX_MUST_USE;
void fx_schema_builder_destroy(struct fx_schema_builder *builder); /* NULL is fine */

/* Adds the kinds of an OpenAPI v3 document (`components.schemas` with
 * x-kubernetes-group-version-kind, as /openapi/v3/… of an API server has them), or of a
 * CustomResourceDefinition (each served version); and their resources: those of the
 * `paths` at which objects are created, or the plural of the definition. Of a kind that
 * was added before, the first one stays. Errors: FX_EINVALID, with the node of the
 * document; FX_ELIMIT; FX_ENOMEM. */
bool fx_schema_add_openapi(struct fx_schema_builder *builder, const json_t *document,
                           struct fx_err *err) FX_MUST_USE;
bool fx_schema_add_crd(struct fx_schema_builder *builder, const json_t *crd,
                       struct fx_err *err) FX_MUST_USE;

/* Adds one kind with a structural schema (openAPIV3Schema). Errors: as above. */
bool fx_schema_add_structural(struct fx_schema_builder *builder, struct fx_text group,
                              struct fx_text version, struct fx_text kind,
                              const json_t *schema, struct fx_err *err) FX_MUST_USE;

/* The set of all that was added; valid until the builder is changed or destroyed. After a
 * failure the set is as it was before the call. */
const struct fx_schema_set *fx_schema_builder_set(struct fx_schema_builder *builder);

#endif
