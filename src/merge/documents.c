/* SPDX-License-Identifier: Apache-2.0
 *
 * documents.c - adds the kinds of a document to a set of schemas: of an OpenAPI document,
 * of a CustomResourceDefinition, or of one schema.
 */
#include <string.h>

#include "base/budget.h"
#include "merge/builder_internal.h"
#include "value/tree.h"

/* ---- OpenAPI ------------------------------------------------------------------------
 */

/* Adds the kinds whose schema this is. */
static bool add_definition(struct schema_reader *reader, struct fx_text name,
                           const json_t *schema) {
    const json_t *kinds = fx_tree_view_key(schema, "x-kubernetes-group-version-kind");
    uint32_t node = 0;
    bool ok = json_array_size(kinds) == 0 ||
              fx_schema_read_definition(reader, name, schema, &node);
    for (size_t i = 0; ok && i < json_array_size(kinds); i++) {
        const json_t *kind = json_array_get(kinds, i);
        ok = fx_spend(4) ? fx_schema_push_kind(
                               reader->builder, fx_tree_view_string(kind, "group"),
                               fx_tree_view_string(kind, "version"),
                               fx_tree_view_string(kind, "kind"), node, reader->err)
                         : fx_fail_exceeded(reader->err);
    }
    return ok;
}

/* The name of a resource at whose path objects are created, the last part of the path;
 * empty if there is none. */
static struct fx_text find_collection(struct fx_text path) {
    size_t start = path.len;
    while (start > 0 && path.data[start - 1] != '/') {
        start--;
    }
    const struct fx_text last = fx_text_rest(path, start);
    return fx_text_first(last) == '{' ? (struct fx_text){0} : last;
}

/* Adds the resource of a path, if objects of a kind are created there. A path below an
 * object is that of a subresource: it ends in a name, too, but after `{name}`. */
static bool add_path(struct fx_schema_builder *builder, struct fx_text path,
                     const json_t *item, struct fx_err *err) {
    const json_t *kind = fx_tree_view_key(fx_tree_view_key(item, "post"),
                                          "x-kubernetes-group-version-kind");
    const struct fx_text resource = find_collection(path);
    const struct fx_text name = fx_tree_view_string(kind, "kind");
    if (resource.len == 0 || name.len == 0 || fx_text_contains(path, FX_TEXT("{name}")) ||
        memchr(path.data, '\0', path.len) != NULL ||
        memchr(name.data, '\0', name.len) != NULL) {
        return true;
    }
    return fx_schema_push_resource(builder, fx_tree_view_string(kind, "group"),
                                   fx_tree_view_string(kind, "version"), resource, name,
                                   err);
}

static bool add_paths(struct fx_schema_builder *builder, const json_t *document,
                      struct fx_err *err) {
    const json_t *paths = fx_tree_view_key(document, "paths");
    bool ok = true;
    void *iter = json_is_object(paths) ? fx_node_first(paths) : NULL;
    for (; ok && iter != NULL; iter = fx_node_next(paths, iter)) {
        ok = fx_spend(4)
                 ? add_path(builder, fx_node_key(iter), json_object_iter_value(iter), err)
                 : fx_fail_exceeded(err);
    }
    return ok;
}

static bool add_definitions(struct fx_schema_builder *builder, const json_t *definitions,
                            struct fx_err *err) {
    struct schema_reader reader;
    bool ok = fx_schema_reader_init(&reader, builder, definitions, err);
    void *iter = ok ? fx_node_first(definitions) : NULL;
    for (; ok && iter != NULL; iter = fx_node_next(definitions, iter)) {
        ok = add_definition(&reader, fx_node_key(iter), json_object_iter_value(iter));
    }
    if (ok) {
        fx_schema_reader_end(&reader);
    }
    fx_schema_reader_finish(&reader);
    return ok;
}

bool fx_schema_add_openapi(struct fx_schema_builder *builder, const json_t *document,
                           struct fx_err *err) {
    const json_t *definitions =
        fx_tree_view_key(fx_tree_view_key(document, "components"), "schemas");
    struct schema_lengths lengths;
    if (!json_is_object(definitions)) {
        return fx_fail_in(err, document, FX_EINVALID,
                          "not an OpenAPI document: components.schemas is missing");
    }
    return fx_schema_note_lengths(builder, &lengths, err) &&
           fx_schema_end_change(builder, &lengths,
                                add_definitions(builder, definitions, err) &&
                                    add_paths(builder, document, err));
}

/* ---- CustomResourceDefinitions --------------------------------------------------------
 */

/* Adds one kind; undoes nothing. */
static bool add_kind(struct fx_schema_builder *builder, struct fx_text group,
                     struct fx_text version, struct fx_text kind, const json_t *schema,
                     struct fx_err *err) {
    struct schema_reader reader;
    uint32_t node = 0;
    bool ok = fx_schema_reader_init(&reader, builder, NULL, err) &&
              fx_schema_read(&reader, schema, true, &node) &&
              fx_schema_push_kind(builder, group, version, kind, node, err);
    fx_schema_reader_finish(&reader);
    return ok;
}

bool fx_schema_add_structural(struct fx_schema_builder *builder, struct fx_text group,
                              struct fx_text version, struct fx_text kind,
                              const json_t *schema, struct fx_err *err) {
    struct schema_lengths lengths;
    return fx_schema_note_lengths(builder, &lengths, err) &&
           fx_schema_end_change(builder, &lengths,
                                add_kind(builder, group, version, kind, schema, err));
}

/* Adds a served version. One without a schema has no kind here. */
static bool add_version(struct fx_schema_builder *builder, const json_t *spec,
                        const json_t *version, struct fx_err *err) {
    const json_t *schema =
        fx_tree_view_key(fx_tree_view_key(version, "schema"), "openAPIV3Schema");
    const struct fx_text name = fx_tree_view_string(version, "name");
    const struct fx_text kind =
        fx_tree_view_string(fx_tree_view_key(spec, "names"), "kind");
    if (!json_is_true(fx_tree_view_key(version, "served")) || schema == NULL) {
        return true;
    }
    if (name.len == 0 || kind.len == 0) {
        return fx_fail_in(err, version, FX_EINVALID,
                          "a version of a CustomResourceDefinition has no name or kind");
    }
    const struct fx_text group = fx_tree_view_string(spec, "group");
    const struct fx_text plural =
        fx_tree_view_string(fx_tree_view_key(spec, "names"), "plural");
    return add_kind(builder, group, name, kind, schema, err) &&
           (plural.len == 0 || memchr(plural.data, '\0', plural.len) != NULL ||
            fx_schema_push_resource(builder, group, name, plural, kind, err));
}

static bool add_versions(struct fx_schema_builder *builder, const json_t *spec,
                         struct fx_err *err) {
    const json_t *versions = fx_tree_view_key(spec, "versions");
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(versions); i++) {
        ok = add_version(builder, spec, json_array_get(versions, i), err);
    }
    return ok;
}

bool fx_schema_add_crd(struct fx_schema_builder *builder, const json_t *crd,
                       struct fx_err *err) {
    const json_t *spec = fx_tree_view_key(crd, "spec");
    struct schema_lengths lengths;
    if (!json_is_object(spec)) {
        return fx_fail_in(err, crd, FX_EINVALID,
                          "not a CustomResourceDefinition: spec is missing");
    }
    return fx_schema_note_lengths(builder, &lengths, err) &&
           fx_schema_end_change(builder, &lengths, add_versions(builder, spec, err));
}
