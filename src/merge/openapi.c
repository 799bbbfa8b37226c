/* SPDX-License-Identifier: Apache-2.0
 *
 * openapi.c - reads a schema of OpenAPI as the API server does for server-side apply
 * (spec/mutating-admission-policy.md section 15).
 */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "base/vec.h"
#include "merge/builder_internal.h"
#include "value/tree.h"

/* A node that becomes a copy of another one when all have been read. */
struct schema_alias {
    uint32_t node, of;
    bool sets_atomic; /* else it is as the other one */
    bool is_atomic;
};

bool fx_schema_reader_init(struct schema_reader *reader,
                           struct fx_schema_builder *builder, const json_t *definitions,
                           struct fx_err *err) {
    *reader = (struct schema_reader){.builder = builder,
                                     .definitions = definitions,
                                     .known = json_object(),
                                     .err = err};
    return reader->known != NULL || fx_fail_nomem(err);
}

void fx_schema_reader_finish(struct schema_reader *reader) {
    json_decref(reader->known);
    free(reader->aliases);
}

void fx_schema_reader_end(struct schema_reader *reader) {
    struct fx_schema_node *nodes = reader->builder->nodes;
    for (size_t i = 0; i < reader->n_aliases; i++) {
        const struct schema_alias *alias = &reader->aliases[i];
        nodes[alias->node] = nodes[alias->of];
        if (alias->sets_atomic) {
            nodes[alias->node].is_atomic = alias->is_atomic;
        }
    }
}

static bool push_node(struct schema_reader *reader, struct fx_schema_node node,
                      uint32_t *ret_node) {
    return fx_schema_push_node(reader->builder, node, ret_node, reader->err);
}

/* Appends a text of the document, which must not have a NUL. */
static bool push_text(struct schema_reader *reader, const json_t *where,
                      struct fx_text text, uint32_t *ret_text) {
    if (text.len > 0 && memchr(text.data, '\0', text.len) != NULL) {
        return fx_fail_in(reader->err, where, FX_EINVALID, "a name has a NUL");
    }
    return fx_schema_push_text(reader->builder, text, ret_text, reader->err);
}

/* ---- references ---------------------------------------------------------------------
 */

/* The name of the definition to which the schema refers, directly or by an allOf of one;
 * data NULL: to none. */
static struct fx_text find_reference(const json_t *schema) {
    const json_t *all_of = fx_tree_view_key(schema, "allOf");
    struct fx_text reference = fx_tree_view_string(schema, "$ref");
    if (reference.len == 0 && json_array_size(all_of) == 1) {
        reference = fx_tree_view_string(json_array_get(all_of, 0), "$ref");
    }
    for (size_t i = reference.len; i > 0; i--) {
        if (reference.data[i - 1] == '/') {
            return fx_text_rest(reference, i);
        }
    }
    return reference;
}

/* The types of Kubernetes whose schema does not say how they are read. */
static bool find_special(struct fx_text name, struct fx_schema_node *ret_node) {
    static const struct {
        const char *name;
        uint8_t type, format;
    } special[] = {
        {"io.k8s.apimachinery.pkg.api.resource.Quantity", FX_SCHEMA_SCALAR,
         FX_SCHEMA_QUANTITY},
        {"io.k8s.apimachinery.pkg.util.intstr.IntOrString", FX_SCHEMA_ANY,
         FX_SCHEMA_OPTIONAL_INT_OR_STRING},
        {"io.k8s.apimachinery.pkg.runtime.RawExtension", FX_SCHEMA_ANY,
         FX_SCHEMA_NO_FORMAT},
    };
    for (size_t i = 0; i < FX_COUNT(special); i++) {
        if (fx_text_is(name, special[i].name)) {
            *ret_node = (struct fx_schema_node){.type = special[i].type,
                                                .format = special[i].format};
            return true;
        }
    }
    return false;
}

static bool add_alias(struct schema_reader *reader, struct schema_alias alias) {
    if (!FX_VEC_GROW(reader->aliases, reader->n_aliases, reader->cap_aliases)) {
        return fx_fail_nomem(reader->err);
    }
    reader->aliases[reader->n_aliases++] = alias;
    return true;
}

/* The node of a definition is known before the definition is read, since it may refer to
 * itself. */
bool fx_schema_read_definition(struct schema_reader *reader, struct fx_text name,
                               const json_t *schema, uint32_t *ret_node) {
    struct fx_schema_node node = {.type = FX_SCHEMA_ANY};
    const json_t *known = fx_tree_view_text(reader->known, name);
    uint32_t read = 0;
    if (known != NULL) {
        *ret_node = (uint32_t)json_integer_value(known);
        return true;
    }
    const bool is_special = find_special(name, &node);
    if (!push_node(reader, node, ret_node)) {
        return false;
    }
    if (!fx_tree_set_take(reader->known, name, json_integer(*ret_node))) {
        return fx_fail_nomem(reader->err);
    }
    return is_special ||
           (fx_schema_read(reader, schema, false, &read) &&
            add_alias(reader, (struct schema_alias){.node = *ret_node, .of = read}));
}

static bool read_reference(struct schema_reader *reader, const json_t *schema,
                           struct fx_text name, uint32_t *ret_node) {
    const struct fx_text map_type = fx_tree_view_string(schema, "x-kubernetes-map-type");
    const json_t *definition = fx_tree_view_text(reader->definitions, name);
    uint32_t of = 0;
    if (definition == NULL) {
        return fx_fail_in(reader->err, schema, FX_EINVALID,
                          "the schema refers to a definition that does not exist");
    }
    if (!fx_schema_read_definition(reader, name, definition, &of)) {
        return false;
    }
    if (map_type.len == 0) {
        *ret_node = of;
        return true;
    }
    const struct schema_alias alias = {
        .of = of, .sets_atomic = true, .is_atomic = fx_text_is(map_type, "atomic")};
    return push_node(reader, (struct fx_schema_node){.type = FX_SCHEMA_ANY}, ret_node) &&
           add_alias(reader, (struct schema_alias){.node = *ret_node,
                                                   .of = alias.of,
                                                   .sets_atomic = true,
                                                   .is_atomic = alias.is_atomic});
}

/* ---- objects ------------------------------------------------------------------------
 */

static bool read_type(struct schema_reader *reader, const json_t *schema, bool preserves,
                      bool is_resource, uint32_t *ret_node);

static bool is_flag_set(const json_t *schema, const char *key) {
    return json_is_true(fx_tree_view_key(schema, key));
}

/* The default of a field, if it may be that of a key. */
static bool read_default(struct schema_reader *reader, const json_t *schema,
                         uint32_t *ret_default) {
    const json_t *given = fx_tree_view_key(schema, "default");
    struct fx_schema_default made = {.is_number = json_is_integer(given),
                                     .number = json_integer_value(given)};
    *ret_default = 0;
    if (!json_is_integer(given) && !json_is_string(given)) {
        return true;
    }
    return (made.is_number ||
            push_text(reader, given, fx_tree_text(given), &made.text)) &&
           fx_schema_push_default(reader->builder, made, ret_default, reader->err);
}

/* The fields that a custom resource has by itself. */
static const char *const resource_fields[] = {"apiVersion", "kind", "metadata"};

static bool is_resource_field(struct fx_text name) {
    for (size_t i = 0; i < FX_COUNT(resource_fields); i++) {
        if (fx_text_is(name, resource_fields[i])) {
            return true;
        }
    }
    return false;
}

static bool add_resource_field(struct schema_reader *reader, const char *name,
                               struct fx_schema_field *field) {
    const struct fx_schema_node string = {.type = FX_SCHEMA_STRING};
    field->default_ = 0;
    return fx_schema_push_text(reader->builder, fx_text_of(name), &field->name,
                               reader->err) &&
           (strcmp(name, "metadata") == 0
                ? fx_schema_push_metadata(reader->builder, &field->node, reader->err)
                : push_node(reader, string, &field->node));
}

static bool read_field(struct schema_reader *reader, struct fx_text name,
                       const json_t *schema, bool preserves,
                       struct fx_schema_field *field) {
    return read_default(reader, schema, &field->default_) &&
           push_text(reader, schema, name, &field->name) &&
           read_type(reader, schema, preserves, false, &field->node);
}

/* A field, and the text of its name while the texts are complete. */
struct named_field {
    const char *name;
    struct fx_schema_field field;
};

static int compare_named(const void *a, const void *b) {
    const struct named_field *left = a;
    const struct named_field *right = b;
    return strcmp(left->name, right->name);
}

/* Sorts the fields by name and appends them. */
static bool push_sorted(struct schema_reader *reader, struct fx_schema_field *fields,
                        size_t n, uint32_t *ret_first) {
    struct named_field *named = malloc((n + 1) * sizeof *named);
    if (named == NULL) {
        return fx_fail_nomem(reader->err);
    }
    for (size_t i = 0; i < n; i++) {
        named[i] =
            (struct named_field){reader->builder->texts.data + fields[i].name, fields[i]};
    }
    qsort(named, n, sizeof *named, compare_named);
    for (size_t i = 0; i < n; i++) {
        fields[i] = named[i].field;
    }
    free(named);
    return fx_schema_push_fields(reader->builder, fields, n, ret_first, reader->err);
}

/* Reads the properties into `fields`, which has room for them and for the fields of a
 * resource. */
static bool read_fields(struct schema_reader *reader, const json_t *properties,
                        bool preserves, bool is_resource, struct fx_schema_field *fields,
                        size_t *ret_n) {
    size_t n = 0;
    bool ok = true;
    for (size_t i = 0; ok && is_resource && i < FX_COUNT(resource_fields); i++) {
        ok = add_resource_field(reader, resource_fields[i], &fields[n++]);
    }
    void *iter = json_is_object(properties) ? fx_node_first(properties) : NULL;
    for (; ok && iter != NULL; iter = fx_node_next(properties, iter)) {
        const struct fx_text name = fx_node_key(iter);
        if (!is_resource || !is_resource_field(name)) {
            ok = read_field(reader, name, json_object_iter_value(iter), preserves,
                            &fields[n++]);
        }
    }
    *ret_n = n;
    return ok;
}

static bool read_struct(struct schema_reader *reader, const json_t *properties,
                        bool preserves, bool is_resource, struct fx_schema_node *node) {
    const size_t room = json_object_size(properties) + FX_COUNT(resource_fields);
    struct fx_schema_field *fields = malloc(room * sizeof *fields);
    size_t n = 0;
    if (fields == NULL) {
        return fx_fail_nomem(reader->err);
    }
    const bool ok = read_fields(reader, properties, preserves, is_resource, fields, &n) &&
                    push_sorted(reader, fields, n, &node->first);
    free(fields);
    node->type = FX_SCHEMA_STRUCT;
    node->n = (uint32_t)n;
    return ok;
}

/* An object with properties is a struct; any other one a map. */
static bool read_object(struct schema_reader *reader, const json_t *schema,
                        bool preserves, bool is_resource, uint32_t *ret_node) {
    const json_t *properties = fx_tree_view_key(schema, "properties");
    const json_t *additional = fx_tree_view_key(schema, "additionalProperties");
    struct fx_schema_node node = {
        .type = FX_SCHEMA_MAP,
        .is_atomic =
            fx_text_is(fx_tree_view_string(schema, "x-kubernetes-map-type"), "atomic"),
        .allows_any = preserves || json_is_object(additional) || json_is_true(additional),
    };
    bool ok = true;
    if (json_object_size(properties) > 0 || is_resource || json_is_false(additional)) {
        ok = read_struct(reader, properties, preserves, is_resource, &node);
    } else if (json_is_object(additional)) {
        ok = read_type(reader, additional, preserves, false, &node.element);
    } else {
        ok = push_node(reader, (struct fx_schema_node){.type = FX_SCHEMA_ANY},
                       &node.element);
    }
    return ok && push_node(reader, node, ret_node);
}

/* ---- lists --------------------------------------------------------------------------
 */

static bool read_keys(struct schema_reader *reader, const json_t *keys,
                      struct fx_schema_node *node) {
    bool ok = true;
    node->first = (uint32_t)reader->builder->n_keys;
    for (size_t i = 0; ok && i < json_array_size(keys); i++) {
        const json_t *key = json_array_get(keys, i);
        uint32_t text = 0;
        if (!json_is_string(key)) {
            return fx_fail_in(reader->err, keys, FX_EINVALID,
                              "x-kubernetes-list-map-keys: not a list of strings");
        }
        ok = push_text(reader, keys, fx_tree_text(key), &text) &&
             fx_schema_push_key(reader->builder, text, reader->err);
    }
    node->n = (uint32_t)json_array_size(keys);
    return ok;
}

static bool read_merge_key(struct schema_reader *reader, const json_t *schema,
                           struct fx_text key, struct fx_schema_node *node) {
    uint32_t text = 0;
    node->first = (uint32_t)reader->builder->n_keys;
    node->n = 1;
    return push_text(reader, schema, key, &text) &&
           fx_schema_push_key(reader->builder, text, reader->err);
}

/* How the elements of the list belong together: the extensions of server-side apply, else
 * those of strategic merge patches. */
static bool read_relation(struct schema_reader *reader, const json_t *schema,
                          struct fx_schema_node *node) {
    const struct fx_text type = fx_tree_view_string(schema, "x-kubernetes-list-type");
    const json_t *keys = fx_tree_view_key(schema, "x-kubernetes-list-map-keys");
    const struct fx_text merge_key =
        fx_tree_view_string(schema, "x-kubernetes-patch-merge-key");
    const bool merges = fx_text_contains(
        fx_tree_view_string(schema, "x-kubernetes-patch-strategy"), FX_TEXT("merge"));
    node->is_set =
        fx_text_is(type, "set") || (type.len == 0 && merges && merge_key.len == 0);
    if (fx_text_is(type, "map") && json_array_size(keys) > 0) {
        return read_keys(reader, keys, node);
    }
    if (type.len == 0 && merges && merge_key.len > 0) {
        return read_merge_key(reader, schema, merge_key, node);
    }
    node->is_atomic = !node->is_set;
    return true;
}

static bool read_array(struct schema_reader *reader, const json_t *schema, bool preserves,
                       uint32_t *ret_node) {
    const json_t *items = fx_tree_view_key(schema, "items");
    struct fx_schema_node node = {.type = FX_SCHEMA_LIST};
    const bool ok =
        items == NULL ? push_node(reader, (struct fx_schema_node){.type = FX_SCHEMA_ANY},
                                  &node.element)
                      : read_type(reader, items, preserves, false, &node.element);
    return ok && read_relation(reader, schema, &node) &&
           push_node(reader, node, ret_node);
}

/* ---- any type -----------------------------------------------------------------------
 */

static uint8_t read_number_format(struct fx_text type, struct fx_text format) {
    return fx_text_is(type, "number")    ? FX_SCHEMA_DOUBLE
           : fx_text_is(format, "int32") ? FX_SCHEMA_INT32
                                         : FX_SCHEMA_INT64;
}

/* A string with another format than byte may be any scalar. */
static struct fx_schema_node read_scalar(struct fx_text type, struct fx_text format) {
    struct fx_schema_node node = {.type = FX_SCHEMA_ANY};
    if (fx_text_is(type, "boolean")) {
        node.type = FX_SCHEMA_BOOL;
    } else if (fx_text_is(type, "integer") || fx_text_is(type, "number")) {
        node.type = FX_SCHEMA_NUMBER;
        node.format = read_number_format(type, format);
    } else if (fx_text_is(type, "string")) {
        const bool is_bytes = fx_text_is(format, "byte");
        node.type = format.len == 0 || is_bytes ? FX_SCHEMA_STRING : FX_SCHEMA_SCALAR;
        node.format = is_bytes                          ? FX_SCHEMA_BYTES
                      : fx_text_is(format, "date-time") ? FX_SCHEMA_DATE_TIME
                                                        : FX_SCHEMA_NO_FORMAT;
    }
    return node;
}

static bool read_plain_type(struct schema_reader *reader, const json_t *schema,
                            bool preserves, bool is_resource, uint32_t *ret_node) {
    const struct fx_text type = fx_tree_view_string(schema, "type");
    const bool keeps =
        preserves || is_flag_set(schema, "x-kubernetes-preserve-unknown-fields");
    const bool is_embedded =
        is_resource || is_flag_set(schema, "x-kubernetes-embedded-resource");
    if (fx_text_is(type, "object") || is_embedded) {
        return read_object(reader, schema, keeps, is_embedded, ret_node);
    }
    if (fx_text_is(type, "array")) {
        return read_array(reader, schema, keeps, ret_node);
    }
    return push_node(reader, read_scalar(type, fx_tree_view_string(schema, "format")),
                     ret_node);
}

static bool read_type(struct schema_reader *reader, const json_t *schema, bool preserves,
                      bool is_resource, uint32_t *ret_node) {
    const struct fx_text reference = find_reference(schema);
    if (!json_is_object(schema)) {
        return fx_fail_in(reader->err, schema, FX_EINVALID, "a schema is not an object");
    }
    if (reader->depth >= FX_LIMIT_SCHEMA_DEPTH) {
        return fx_fail_in(reader->err, schema, FX_ELIMIT,
                          "a schema has more than %u levels", FX_LIMIT_SCHEMA_DEPTH);
    }
    if (!fx_spend(16)) {
        return fx_fail_exceeded(reader->err);
    }
    reader->depth++;
    const bool ok =
        reference.len > 0
            ? read_reference(reader, schema, reference, ret_node)
            : read_plain_type(reader, schema, preserves, is_resource, ret_node);
    reader->depth--;
    return ok;
}

bool fx_schema_read(struct schema_reader *reader, const json_t *schema, bool is_resource,
                    uint32_t *ret_node) {
    return read_type(reader, schema, false, is_resource, ret_node);
}
