/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/full_example.c - for `fixpoint check`: the example of a rule
 * with all fields that its expressions read, if the kind is built in. A rule that fails
 * on this object does not fail because a field is missing.
 *
 * The tree of parts is at most FX_LIMIT_JSON_PART_DEPTH levels deep, so recursion is.
 */
#include "engine/access.h"
#include "engine/request.h"
#include "mutators/admission_policy/policy.h"
#include "mutators/admission_policy/rule.h"
#include "value/tree.h"

/* Fields that are added to an object. */
struct map_filling {
    /* An expression reads fields that are not known: it takes a map or a list whole. Then
     * it may fail because the example lacks them. */
    bool lacks_fields;
};

static bool fill(struct map_filling *filling, json_t *node, struct fx_schema schema,
                 const struct fx_json_part *part);

/* A value that API servers accept; NULL if none is known, or without memory. */
static json_t *make_scalar(const struct fx_schema_node *type) {
    switch ((enum fx_schema_format)type->format) {
    case FX_SCHEMA_QUANTITY: return json_string("1");
    case FX_SCHEMA_BYTES: return json_string("");
    case FX_SCHEMA_DATE_TIME: return json_string("2026-01-01T00:00:00Z");
    case FX_SCHEMA_INT_OR_STRING:
    case FX_SCHEMA_OPTIONAL_INT_OR_STRING: return json_integer(1);
    case FX_SCHEMA_NO_FORMAT:
    case FX_SCHEMA_INT32:
    case FX_SCHEMA_INT64:
    case FX_SCHEMA_DOUBLE: break;
    }
    return type->type == FX_SCHEMA_STRING   ? json_string("example")
           : type->type == FX_SCHEMA_NUMBER ? json_integer(1)
           : type->type == FX_SCHEMA_BOOL   ? json_true()
                                            : NULL;
}

static json_t *make_value(struct fx_schema schema) {
    const struct fx_schema_node *type = fx_schema_node(schema);
    return type->type == FX_SCHEMA_STRUCT || type->type == FX_SCHEMA_MAP ? json_object()
           : type->type == FX_SCHEMA_LIST                                ? json_array()
                                          : make_scalar(type);
}

/* Adds the member, if there is none, and fills it. */
static bool fill_member(struct map_filling *filling, json_t *object,
                        struct fx_schema member, const struct fx_json_part *part) {
    json_t *value = fx_tree_view_text(object, part->key);
    if (member.set == NULL) {
        return true;
    }
    if (value == NULL) {
        value = make_value(member);
        if (value == NULL || !fx_tree_set_take(object, part->key, value)) {
            return value == NULL;
        }
    }
    return fill(filling, value, member, part);
}

/* Adds an element, if there is none, and fills all. */
static bool fill_elements(struct map_filling *filling, json_t *list,
                          struct fx_schema schema, const struct fx_json_part *part) {
    const struct fx_schema element = fx_schema_element(schema);
    if (json_array_size(list) == 0) {
        json_t *value = make_value(element);
        if (value == NULL || !fx_tree_append_take(list, value)) {
            return value == NULL;
        }
    }
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        ok = fill(filling, json_array_get(list, i), element, part);
    }
    return ok;
}

/* Adds what the part has and the node does not. False without memory. */
static bool fill(struct map_filling *filling, json_t *node, struct fx_schema schema,
                 const struct fx_json_part *part) {
    const enum fx_schema_type type = (enum fx_schema_type)fx_schema_node(schema)->type;
    if (!part->omits_rest && (type == FX_SCHEMA_LIST || type == FX_SCHEMA_STRUCT)) {
        filling->lacks_fields = true;
    }
    if (type == FX_SCHEMA_LIST) {
        return !json_is_array(node) || fill_elements(filling, node, schema, part);
    }
    if (!json_is_object(node) || (type != FX_SCHEMA_STRUCT && type != FX_SCHEMA_MAP)) {
        return true;
    }
    bool ok = true;
    for (const struct fx_json_part *below = part->first; ok && below != NULL;
         below = below->next) {
        ok = fill_member(filling, node,
                         type == FX_SCHEMA_STRUCT ? fx_schema_field(schema, below->key)
                                                  : fx_schema_element(schema),
                         below);
    }
    return ok;
}

/* Does it read only the object and the parameter? */
static bool needs_no_more(const struct map_owning_rule *own) {
    const unsigned known =
        (1u << MAP_SLOT_OBJECT) | (1u << MAP_SLOT_VARIABLES) | (1u << MAP_SLOT_PARAMS);
    return (own->slots & ~known) == 0;
}

json_t *fx_map_full_example(const struct fx_mutator *self, struct fx_err *err) {
    json_t *object =
        needs_no_more(fx_map_rule_of(self)) ? fx_map_example(self, err) : NULL;
    if (object == NULL) {
        return NULL;
    }
    struct fx_subject subject;
    struct fx_json_part parts = {.omits_rest = true};
    fx_subject_read(object, &subject);
    const struct fx_schema schema =
        fx_schema_find(&fx_schema_builtin, subject.group, subject.version, subject.kind);
    struct map_filling filling = {.lacks_fields = false};
    const bool ok = fx_access_add_parts_of(self, &parts) &&
                    (schema.set == NULL || fill(&filling, object, schema, &parts));
    fx_json_part_finish(&parts);
    if (!ok) {
        (void)fx_fail_nomem(err);
    }
    return fx_tree_keep_if(ok && !filling.lacks_fields, object);
}
