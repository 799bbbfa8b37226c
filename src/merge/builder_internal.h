/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/builder_internal.h - private: the arrays of a set of schemas while they grow, and
 * the reader of schemas of OpenAPI.
 */
#ifndef FX_MERGE_BUILDER_INTERNAL_H
#define FX_MERGE_BUILDER_INTERNAL_H

#include "base/buf.h"
#include "merge/schema.h"

struct fx_schema_builder {
    struct fx_schema_node *nodes;
    struct fx_schema_field *fields;
    struct fx_schema_default *defaults;
    struct fx_schema_kind *kinds;
    uint32_t *keys;
    struct fx_schema_resource *resources;
    size_t n_resources, cap_resources;
    size_t n_nodes, cap_nodes, n_fields, cap_fields, n_defaults, cap_defaults;
    size_t n_kinds, cap_kinds, n_keys, cap_keys;
    struct fx_buf texts;
    uint32_t metadata; /* the node of ObjectMeta; 0: not made yet */
    struct fx_schema_set set;
};

/* These append to an array; false with FX_ENOMEM or FX_ELIMIT. */
bool fx_schema_push_node(struct fx_schema_builder *builder, struct fx_schema_node node,
                         uint32_t *ret_node, struct fx_err *err) FX_MUST_USE;
bool fx_schema_push_fields(struct fx_schema_builder *builder,
                           const struct fx_schema_field *fields, size_t n,
                           uint32_t *ret_first, struct fx_err *err) FX_MUST_USE;
bool fx_schema_push_key(struct fx_schema_builder *builder, uint32_t text,
                        struct fx_err *err) FX_MUST_USE;

/* `*ret_default` is what a field has (struct fx_schema_field). */
bool fx_schema_push_default(struct fx_schema_builder *builder,
                            struct fx_schema_default given, uint32_t *ret_default,
                            struct fx_err *err) FX_MUST_USE;

/* The text has no NUL. */
bool fx_schema_push_text(struct fx_schema_builder *builder, struct fx_text text,
                         uint32_t *ret_text, struct fx_err *err) FX_MUST_USE;

/* Adds the kind, unless the set has it. */
bool fx_schema_push_kind(struct fx_schema_builder *builder, struct fx_text group,
                         struct fx_text version, struct fx_text kind, uint32_t node,
                         struct fx_err *err) FX_MUST_USE;

/* Adds a resource and its kind, unless the set has the resource. */
bool fx_schema_push_resource(struct fx_schema_builder *builder, struct fx_text group,
                             struct fx_text version, struct fx_text resource,
                             struct fx_text kind, struct fx_err *err) FX_MUST_USE;

/* The node of ObjectMeta, with the types of the built-in set. */
bool fx_schema_push_metadata(struct fx_schema_builder *builder, uint32_t *ret_node,
                             struct fx_err *err) FX_MUST_USE;

/* Reads one schema of OpenAPI into a new node. `definitions` (NULL: none) has the schemas
 * to which it refers. `is_resource`: it is the schema of a custom resource, which has
 * metadata by itself. Errors: FX_EINVALID with the node of the document, FX_ELIMIT,
 * FX_ENOMEM. (openapi.c) */
struct schema_reader {
    struct fx_schema_builder *builder;
    const json_t *definitions;
    json_t *known; /* of definitions that were read: their nodes */
    struct schema_alias *aliases;
    size_t n_aliases, cap_aliases;
    unsigned depth;
    struct fx_err *err;
};

/* False without memory. */
bool fx_schema_reader_init(struct schema_reader *reader,
                           struct fx_schema_builder *builder, const json_t *definitions,
                           struct fx_err *err) FX_MUST_USE;
void fx_schema_reader_finish(struct schema_reader *reader);

bool fx_schema_read(struct schema_reader *reader, const json_t *schema, bool is_resource,
                    uint32_t *ret_node) FX_MUST_USE;

/* Reads the definition of this name. */
bool fx_schema_read_definition(struct schema_reader *reader, struct fx_text name,
                               const json_t *schema, uint32_t *ret_node) FX_MUST_USE;

/* Ends the reading of a document: nodes that are copies of others become so. */
void fx_schema_reader_end(struct schema_reader *reader);

/* The lengths of the arrays, to undo what was appended after them. */
struct schema_lengths {
    size_t nodes, fields, defaults, keys, texts;
    struct fx_schema_kind *kinds; /* a copy */
    size_t n_kinds;
    struct fx_schema_resource *resources; /* a copy */
    size_t n_resources;
    uint32_t metadata;
};

bool fx_schema_note_lengths(const struct fx_schema_builder *builder,
                            struct schema_lengths *ret_lengths,
                            struct fx_err *err) FX_MUST_USE;

/* Undoes it unless `ok`; frees the notes; returns `ok`. */
bool fx_schema_end_change(struct fx_schema_builder *builder,
                          struct schema_lengths *lengths, bool ok);

#endif
