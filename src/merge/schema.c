/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.c - finds kinds, fields and keys in a set of schemas.
 */
#include "merge/schema.h"

#include <string.h>

#include "value/tree.h"

static const struct fx_schema_node any_node = {.type = FX_SCHEMA_ANY};
static const struct fx_schema_set any_set = {.nodes = &any_node, .n_nodes = 1};
const struct fx_schema fx_schema_any = {.set = &any_set};

/* Compares a part of a name with the name at *at, bytewise, and moves *at behind it if
 * they are equal. Most names differ in their first bytes. */
static int compare_part(struct fx_text part, const char **at) {
    for (size_t i = 0; i < part.len; i++, ++*at) {
        const int order = (unsigned char)part.data[i] - (unsigned char)**at;
        if (order != 0 || **at == '\0') {
            return order != 0 ? order : 1;
        }
    }
    return 0;
}

/* Compares "group/version/kind", or "version/kind" of the core group, with the name of a
 * kind, or of a resource: bytewise. */
static int compare_name(struct fx_text group, struct fx_text version, struct fx_text kind,
                        const char *name) {
    const struct fx_text slash = FX_TEXT("/");
    const struct fx_text parts[] = {group, slash, version, slash, kind};
    const char *at = name;
    for (size_t i = group.len == 0 ? 2 : 0; i < FX_COUNT(parts); i++) {
        const int order = compare_part(parts[i], &at);
        if (order != 0) {
            return order;
        }
    }
    return *at == '\0' ? 0 : -1;
}

struct fx_schema fx_schema_find(const struct fx_schema_set *set, struct fx_text group,
                                struct fx_text version, struct fx_text kind) {
    size_t low = 0;
    size_t high = set->n_kinds;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order =
            compare_name(group, version, kind, set->texts + set->kinds[middle].name);
        if (order == 0) {
            return (struct fx_schema){set, set->kinds[middle].node};
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return (struct fx_schema){NULL, 0};
}

bool fx_schema_next_of_kind(const struct fx_schema_set *set, struct fx_text kind,
                            size_t *at, struct fx_text *ret_group,
                            struct fx_text *ret_version) {
    while (*at < set->n_kinds) {
        struct fx_text version = fx_text_of(set->texts + set->kinds[(*at)++].name);
        struct fx_text group = fx_text_cut(&version, '/');
        struct fx_text name = version;
        version = fx_text_cut(&name, '/');
        if (name.len == 0) { /* the core group has no name */
            name = version;
            version = group;
            group = (struct fx_text){version.data, 0};
        }
        if (fx_text_equal(name, kind)) {
            *ret_group = group;
            *ret_version = version;
            return true;
        }
    }
    return false;
}

struct fx_text fx_schema_find_resource(const struct fx_schema_set *set,
                                       struct fx_text group, struct fx_text version,
                                       struct fx_text resource) {
    size_t low = 0;
    size_t high = set->n_resources;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fx_schema_resource *found = &set->resources[middle];
        const int order =
            compare_name(group, version, resource, set->texts + found->name);
        if (order == 0) {
            return fx_text_of(set->texts + found->kind);
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return (struct fx_text){0};
}

/* The field of the struct with this name; NULL: it has none. */
static const struct fx_schema_field *find_field(struct fx_schema schema,
                                                struct fx_text name) {
    const struct fx_schema_node *node = fx_schema_node(schema);
    size_t low = node->first;
    size_t high = low + node->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fx_schema_field *field = &schema.set->fields[middle];
        const char *at = schema.set->texts + field->name;
        const int order = compare_part(name, &at);
        if (order == 0 && *at == '\0') {
            return field;
        }
        if (order <= 0) { /* equal: the field has a longer name */
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

struct fx_schema fx_schema_field(struct fx_schema schema, struct fx_text name) {
    const struct fx_schema_field *field = find_field(schema, name);
    if (field != NULL) {
        return (struct fx_schema){schema.set, field->node};
    }
    return fx_schema_node(schema)->allows_any ? fx_schema_any
                                              : (struct fx_schema){NULL, 0};
}

struct fx_text fx_schema_key(struct fx_schema list, size_t i) {
    const struct fx_schema_set *set = list.set;
    return fx_text_of(set->texts + set->keys[fx_schema_node(list)->first + i]);
}

const struct fx_schema_default *fx_schema_key_default(struct fx_schema list, size_t i) {
    const struct fx_schema element = fx_schema_element(list);
    const struct fx_schema_field *field =
        fx_schema_node(element)->type == FX_SCHEMA_STRUCT
            ? find_field(element, fx_schema_key(list, i))
            : NULL;
    return field == NULL || field->default_ == 0
               ? NULL
               : &list.set->defaults[field->default_ - 1];
}

json_t *fx_schema_default_node(const struct fx_schema_set *set,
                               const struct fx_schema_default *given) {
    return given->is_number ? json_integer(given->number)
                            : fx_tree_new_string(fx_text_of(set->texts + given->text));
}
