/* SPDX-License-Identifier: Apache-2.0
 *
 * builder.c - sets of schemas that are made while the program runs: their arrays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "merge/builder_internal.h"

struct fx_schema_builder *fx_schema_builder_create(void) {
    struct fx_schema_builder *builder = calloc(1, sizeof *builder);
    if (builder != NULL) {
        fx_buf_init(&builder->texts, UINT32_MAX);
    }
    return builder;
}

void fx_schema_builder_destroy(struct fx_schema_builder *builder) {
    if (builder == NULL) {
        return;
    }
    free(builder->nodes);
    free(builder->fields);
    free(builder->defaults);
    free(builder->kinds);
    free(builder->resources);
    free(builder->keys);
    fx_buf_finish(&builder->texts);
    free(builder);
}

const struct fx_schema_set *fx_schema_builder_set(struct fx_schema_builder *builder) {
    builder->set = (struct fx_schema_set){.nodes = builder->nodes,
                                          .fields = builder->fields,
                                          .defaults = builder->defaults,
                                          .kinds = builder->kinds,
                                          .keys = builder->keys,
                                          .texts = builder->texts.data,
                                          .resources = builder->resources,
                                          .n_resources = builder->n_resources,
                                          .n_nodes = builder->n_nodes,
                                          .n_kinds = builder->n_kinds};
    return &builder->set;
}

/* ---- appending ----------------------------------------------------------------------
 */

static bool fail_limit(struct fx_err *err) {
    return fx_fail(err, FX_ELIMIT, "schemas have more than %u types or fields",
                   FX_LIMIT_SCHEMA_NODES);
}

bool fx_schema_push_node(struct fx_schema_builder *builder, struct fx_schema_node node,
                         uint32_t *ret_node, struct fx_err *err) {
    if (builder->n_nodes >= FX_LIMIT_SCHEMA_NODES) {
        return fail_limit(err);
    }
    if (!FX_VEC_GROW(builder->nodes, builder->n_nodes, builder->cap_nodes)) {
        return fx_fail_nomem(err);
    }
    *ret_node = (uint32_t)builder->n_nodes;
    builder->nodes[builder->n_nodes++] = node;
    return true;
}

bool fx_schema_push_fields(struct fx_schema_builder *builder,
                           const struct fx_schema_field *fields, size_t n,
                           uint32_t *ret_first, struct fx_err *err) {
    if (n > FX_LIMIT_SCHEMA_NODES - builder->n_fields) {
        return fail_limit(err);
    }
    *ret_first = (uint32_t)builder->n_fields;
    for (size_t i = 0; i < n; i++) {
        if (!FX_VEC_GROW(builder->fields, builder->n_fields, builder->cap_fields)) {
            return fx_fail_nomem(err);
        }
        builder->fields[builder->n_fields++] = fields[i];
    }
    return true;
}

bool fx_schema_push_key(struct fx_schema_builder *builder, uint32_t text,
                        struct fx_err *err) {
    if (builder->n_keys >= FX_LIMIT_SCHEMA_NODES) {
        return fail_limit(err);
    }
    if (!FX_VEC_GROW(builder->keys, builder->n_keys, builder->cap_keys)) {
        return fx_fail_nomem(err);
    }
    builder->keys[builder->n_keys++] = text;
    return true;
}

bool fx_schema_push_default(struct fx_schema_builder *builder,
                            struct fx_schema_default given, uint32_t *ret_default,
                            struct fx_err *err) {
    if (builder->n_defaults >= FX_LIMIT_SCHEMA_NODES) {
        return fail_limit(err);
    }
    if (!FX_VEC_GROW(builder->defaults, builder->n_defaults, builder->cap_defaults)) {
        return fx_fail_nomem(err);
    }
    builder->defaults[builder->n_defaults++] = given;
    *ret_default = (uint32_t)builder->n_defaults;
    return true;
}

bool fx_schema_push_text(struct fx_schema_builder *builder, struct fx_text text,
                         uint32_t *ret_text, struct fx_err *err) {
    *ret_text = (uint32_t)builder->texts.len;
    fx_buf_text(&builder->texts, text);
    fx_buf_char(&builder->texts, '\0');
    if (builder->texts.failed) {
        return builder->texts.full ? fail_limit(err) : fx_fail_nomem(err);
    }
    return true;
}

/* A kind that is looked for, and the texts of those that the set has. */
struct kind_key {
    const char *name;
    const char *texts;
};

static int compare_kinds(const void *key, const void *item) {
    const struct kind_key *wanted = key;
    const struct fx_schema_kind *kind = item;
    return strcmp(wanted->name, wanted->texts + kind->name);
}

/* Adds the kind whose name was appended last to the texts, unless the set has it. */
static bool insert_kind(struct fx_schema_builder *builder, struct fx_schema_kind kind,
                        struct fx_err *err) {
    bool found = false;
    const struct kind_key key = {builder->texts.data + kind.name, builder->texts.data};
    const size_t at = fx_sorted_find(builder->kinds, builder->n_kinds,
                                     sizeof *builder->kinds, &key, compare_kinds, &found);
    if (found) {
        builder->texts.len = kind.name;
        return true;
    }
    if (builder->n_kinds >= FX_LIMIT_SCHEMA_KINDS) {
        return fx_fail(err, FX_ELIMIT, "schemas of more than %u kinds",
                       FX_LIMIT_SCHEMA_KINDS);
    }
    if (!FX_VEC_GROW(builder->kinds, builder->n_kinds, builder->cap_kinds)) {
        return fx_fail_nomem(err);
    }
    FX_SORTED_INSERT(builder->kinds, builder->n_kinds, at);
    builder->kinds[at] = kind;
    return true;
}

/* Appends "group/version/name", or "version/name" of the core group. */
static bool push_name(struct fx_schema_builder *builder, struct fx_text group,
                      struct fx_text version, struct fx_text name, uint32_t *ret_text,
                      struct fx_err *err) {
    struct fx_buf whole;
    fx_buf_init(&whole, 0);
    fx_buf_text(&whole, group);
    fx_buf_str(&whole, group.len > 0 ? "/" : "");
    fx_buf_text(&whole, version);
    fx_buf_char(&whole, '/');
    fx_buf_text(&whole, name);
    const bool ok = !whole.failed
                        ? fx_schema_push_text(builder, fx_buf_view(&whole), ret_text, err)
                        : fx_fail_nomem(err);
    fx_buf_finish(&whole);
    return ok;
}

bool fx_schema_push_kind(struct fx_schema_builder *builder, struct fx_text group,
                         struct fx_text version, struct fx_text kind, uint32_t node,
                         struct fx_err *err) {
    uint32_t text = 0;
    return push_name(builder, group, version, kind, &text, err) &&
           insert_kind(builder, (struct fx_schema_kind){text, node}, err);
}

static int compare_resources(const void *key, const void *item) {
    const struct kind_key *wanted = key;
    const struct fx_schema_resource *resource = item;
    return strcmp(wanted->name, wanted->texts + resource->name);
}

/* Adds the resource whose name was appended last to the texts, unless the set has it. */
static bool insert_resource(struct fx_schema_builder *builder, uint32_t name,
                            struct fx_text kind, struct fx_err *err) {
    bool found = false;
    const struct kind_key key = {builder->texts.data + name, builder->texts.data};
    const size_t at =
        fx_sorted_find(builder->resources, builder->n_resources,
                       sizeof *builder->resources, &key, compare_resources, &found);
    if (found) {
        builder->texts.len = name;
        return true;
    }
    struct fx_schema_resource resource = {.name = name};
    if (builder->n_resources >= FX_LIMIT_SCHEMA_KINDS) {
        return fx_fail(err, FX_ELIMIT, "schemas of more than %u kinds",
                       FX_LIMIT_SCHEMA_KINDS);
    }
    if (!fx_schema_push_text(builder, kind, &resource.kind, err)) {
        return false;
    }
    if (!FX_VEC_GROW(builder->resources, builder->n_resources, builder->cap_resources)) {
        return fx_fail_nomem(err);
    }
    FX_SORTED_INSERT(builder->resources, builder->n_resources, at);
    builder->resources[at] = resource;
    return true;
}

bool fx_schema_push_resource(struct fx_schema_builder *builder, struct fx_text group,
                             struct fx_text version, struct fx_text resource,
                             struct fx_text kind, struct fx_err *err) {
    uint32_t text = 0;
    return push_name(builder, group, version, resource, &text, err) &&
           insert_resource(builder, text, kind, err);
}

/* ---- undoing ------------------------------------------------------------------------
 */

/* A copy of an array; NULL without memory. */
static void *copy_array(const void *items, size_t n, size_t size) {
    void *copy = malloc((n + 1) * size);
    if (copy != NULL && n > 0) {
        memcpy(copy, items, n * size);
    }
    return copy;
}

bool fx_schema_note_lengths(const struct fx_schema_builder *builder,
                            struct schema_lengths *ret_lengths, struct fx_err *err) {
    const size_t n = builder->n_kinds;
    *ret_lengths = (struct schema_lengths){.nodes = builder->n_nodes,
                                           .fields = builder->n_fields,
                                           .defaults = builder->n_defaults,
                                           .keys = builder->n_keys,
                                           .texts = builder->texts.len,
                                           .n_kinds = n,
                                           .n_resources = builder->n_resources,
                                           .metadata = builder->metadata};
    ret_lengths->kinds = copy_array(builder->kinds, n, sizeof *builder->kinds);
    ret_lengths->resources =
        copy_array(builder->resources, builder->n_resources, sizeof *builder->resources);
    if (ret_lengths->kinds == NULL || ret_lengths->resources == NULL) {
        free(ret_lengths->kinds);
        free(ret_lengths->resources);
        return fx_fail_nomem(err);
    }
    return true;
}

bool fx_schema_end_change(struct fx_schema_builder *builder,
                          struct schema_lengths *lengths, bool ok) {
    if (!ok) {
        builder->n_nodes = lengths->nodes;
        builder->n_fields = lengths->fields;
        builder->n_defaults = lengths->defaults;
        builder->n_keys = lengths->keys;
        builder->texts.len = lengths->texts;
        builder->texts.failed = builder->texts.full = false;
        builder->metadata = lengths->metadata;
        builder->n_kinds = lengths->n_kinds;
        if (lengths->n_kinds > 0) {
            memcpy(builder->kinds, lengths->kinds,
                   lengths->n_kinds * sizeof *lengths->kinds);
        }
        builder->n_resources = lengths->n_resources;
        if (lengths->n_resources > 0) {
            memcpy(builder->resources, lengths->resources,
                   lengths->n_resources * sizeof *lengths->resources);
        }
    }
    free(lengths->kinds);
    free(lengths->resources);
    return ok;
}

/* ---- ObjectMeta ---------------------------------------------------------------------
 */

static bool copy_type(struct fx_schema_builder *builder, struct fx_schema from,
                      uint32_t *ret_node, struct fx_err *err);

static bool copy_field(struct fx_schema_builder *builder, const struct fx_schema_set *set,
                       const struct fx_schema_field *from, struct fx_schema_field *to,
                       struct fx_err *err) {
    const struct fx_schema type = {set, from->node};
    to->default_ = 0;
    if (from->default_ != 0) {
        struct fx_schema_default given = set->defaults[from->default_ - 1];
        if (!fx_schema_push_text(builder, fx_text_of(set->texts + given.text),
                                 &given.text, err) ||
            !fx_schema_push_default(builder, given, &to->default_, err)) {
            return false;
        }
    }
    return fx_schema_push_text(builder, fx_text_of(set->texts + from->name), &to->name,
                               err) &&
           copy_type(builder, type, &to->node, err);
}

static bool copy_fields(struct fx_schema_builder *builder, struct fx_schema from,
                        uint32_t *ret_first, struct fx_err *err) {
    const struct fx_schema_node *node = fx_schema_node(from);
    struct fx_schema_field *fields = calloc(node->n + 1, sizeof *fields);
    bool ok = true;
    if (fields == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; ok && i < node->n; i++) {
        ok = copy_field(builder, from.set, &from.set->fields[node->first + i], &fields[i],
                        err);
    }
    ok = ok && fx_schema_push_fields(builder, fields, node->n, ret_first, err);
    free(fields);
    return ok;
}

static bool copy_keys(struct fx_schema_builder *builder, struct fx_schema list,
                      uint32_t *ret_first, struct fx_err *err) {
    bool ok = true;
    *ret_first = (uint32_t)builder->n_keys;
    for (size_t i = 0; ok && i < fx_schema_node(list)->n; i++) {
        uint32_t text = 0;
        ok = fx_schema_push_text(builder, fx_schema_key(list, i), &text, err) &&
             fx_schema_push_key(builder, text, err);
    }
    return ok;
}

/* Copies a type of the built-in set that does not contain itself. */
static bool copy_type(struct fx_schema_builder *builder, struct fx_schema from,
                      uint32_t *ret_node, struct fx_err *err) {
    struct fx_schema_node node = *fx_schema_node(from);
    const bool has_element = node.type == FX_SCHEMA_LIST || node.type == FX_SCHEMA_MAP;
    if (has_element && !copy_type(builder, fx_schema_element(from), &node.element, err)) {
        return false;
    }
    if (node.type == FX_SCHEMA_STRUCT && !copy_fields(builder, from, &node.first, err)) {
        return false;
    }
    if (node.type == FX_SCHEMA_LIST && !copy_keys(builder, from, &node.first, err)) {
        return false;
    }
    return fx_schema_push_node(builder, node, ret_node, err);
}

bool fx_schema_push_metadata(struct fx_schema_builder *builder, uint32_t *ret_node,
                             struct fx_err *err) {
    if (builder->metadata == 0) {
        const struct fx_schema kind = fx_schema_find(&fx_schema_builtin, FX_TEXT(""),
                                                     FX_TEXT("v1"), FX_TEXT("ConfigMap"));
        if (!copy_type(builder, fx_schema_field(kind, FX_TEXT("metadata")),
                       &builder->metadata, err)) {
            builder->metadata = 0;
            return false;
        }
    }
    *ret_node = builder->metadata;
    return true;
}
