/* SPDX-License-Identifier: Apache-2.0
 *
 * check_literals.c - the types of lists, maps and structs that an expression writes.
 */
#include <string.h>

#include "base/budget.h"
#include "location/cel/checker.h"
#include "location/cel/messages.h"

/* The type that the elements before (NULL: none) and this one have in common; dyn if
 * there is none. */
static const struct fx_cel_type *join(struct fx_cel_checker *checker,
                                      const struct fx_cel_type *before,
                                      const struct fx_cel_type *type) {
    struct fx_cel_unifier *unifier = &checker->unifier;
    if (before == NULL) {
        return type;
    }
    return fx_cel_unify(unifier, before, type) ? fx_cel_unify_join(unifier, before, type)
                                               : &fx_cel_dyn;
}

/* The type that an optional entry or element gives: its value must be an optional. */
static const struct fx_cel_type *unwrap(struct fx_cel_checker *checker,
                                        const struct fx_cel_node *value) {
    bool unwrapped = false;
    const struct fx_cel_type *type = value->checked;
    const struct fx_cel_type *inner = fx_cel_check_unwrap(type, &unwrapped);
    if (!unwrapped && !fx_cel_is_dyn(type)) {
        fx_cel_check_mismatch(checker, value->at,
                              fx_cel_unify_optional(&checker->unifier, type), type);
    }
    return inner;
}

static const struct fx_cel_type *
check_value(struct fx_cel_checker *checker, struct fx_cel_node *value, bool is_optional) {
    fx_cel_check_node(checker, value);
    return is_optional ? unwrap(checker, value) : value->checked;
}

void fx_cel_check_list(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    const struct fx_cel_type *element = NULL;
    for (size_t i = 0; i < node->list.n && !fx_cel_checker_stopped(checker); i++) {
        const bool is_optional =
            node->list.is_optional != NULL && node->list.is_optional[i];
        element = join(checker, element,
                       check_value(checker, node->list.items[i], is_optional));
    }
    if (element == NULL) {
        element = fx_cel_unify_free(&checker->unifier);
    }
    node->checked = fx_cel_unify_list(&checker->unifier, element);
}

void fx_cel_check_map(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    const struct fx_cel_type *key = NULL;
    const struct fx_cel_type *value = NULL;
    for (size_t i = 0; i < node->map.n && !fx_cel_checker_stopped(checker); i++) {
        const struct fx_cel_entry *entry = &node->map.entries[i];
        key = join(checker, key, check_value(checker, entry->key, false));
        value =
            join(checker, value, check_value(checker, entry->value, entry->is_optional));
    }
    if (key == NULL) {
        key = fx_cel_unify_free(&checker->unifier);
        value = fx_cel_unify_free(&checker->unifier);
    }
    node->checked = fx_cel_unify_map(&checker->unifier, key, value);
}

/* The type of the parts of the merged object that values of the type "Object.a.b" are:
 * lists on the way add nothing to the name, maps a key. NULL: not known; or the literal
 * is only read (`Object{a: 1}.a`). */
static const struct fx_cel_type *find_merged(const struct fx_cel_checker *checker,
                                             const struct fx_cel_type *type) {
    const struct fx_cel_type *found = checker->env->merged;
    struct fx_text rest = fx_text_of(type->name);
    const struct fx_text root = fx_text_cut(&rest, '.');
    if (checker->n_reads > 0 || !fx_text_is(root, fx_cel_object.name)) {
        return NULL;
    }
    while (rest.len > 0 && found != NULL && fx_spend(1)) {
        const struct fx_text name = fx_text_cut(&rest, '.');
        found = found->kind == FX_CEL_TYPE_MAP && found->fields == NULL
                    ? found->params[1]
                    : fx_cel_check_find_field(found, name);
        while (found != NULL && found->kind == FX_CEL_TYPE_LIST) {
            found = found->params[0];
        }
    }
    return found != NULL && found->fields != NULL ? found : NULL;
}

/* Has the type values that are what they are in JSON, too? (Others are written as text.)
 */
static bool is_plain(const struct fx_cel_type *type) {
    return type->kind == FX_CEL_TYPE_LIST || type->kind == FX_CEL_TYPE_MAP ||
           (type->kind >= FX_CEL_TYPE_BOOL && type->kind <= FX_CEL_TYPE_STRING);
}

/* May the value be written into the field? Only scalars are compared: objects, lists and
 * maps have fields or literals of their own. An optional value stands for what is in it,
 * and a number need not be an int: merging does not tell them apart. */
static bool fits_merged(struct fx_cel_checker *checker, const struct fx_cel_type *field,
                        const struct fx_cel_type *value) {
    bool unwrapped = false;
    value = fx_cel_check_unwrap(value, &unwrapped);
    return field->kind >= FX_CEL_TYPE_TYPE || !is_plain(value) ||
           (field->kind == FX_CEL_TYPE_INT &&
            (value->kind == FX_CEL_TYPE_DOUBLE || value->kind == FX_CEL_TYPE_UINT)) ||
           fx_cel_unify(&checker->unifier, field, value);
}

/* Is it a field that a configuration does not set: it is that of the object? */
static bool is_identity(const struct fx_cel_type *type, struct fx_text field) {
    return strcmp(type->name, fx_cel_object.name) == 0 &&
           (fx_text_is(field, "apiVersion") || fx_text_is(field, "kind"));
}

/* Checks a field of an Object{…} against the type of the merged object. */
static void check_merged(struct fx_cel_checker *checker, const struct fx_cel_entry *entry,
                         const struct fx_cel_type *merged) {
    const struct fx_cel_type *field =
        fx_cel_check_field(checker, entry->at, merged, entry->field);
    const struct fx_cel_type *value =
        entry->is_optional ? unwrap(checker, entry->value) : entry->value->checked;
    if (!fits_merged(checker, field, value)) {
        fx_cel_check_field_mismatch(checker, entry, field, value);
    }
}

static void check_fields(struct fx_cel_checker *checker, const struct fx_cel_node *node,
                         const struct fx_cel_type *type) {
    const struct fx_cel_type *merged = find_merged(checker, type);
    for (size_t i = 0; i < node->map.n && !fx_cel_checker_stopped(checker); i++) {
        const struct fx_cel_entry *entry = &node->map.entries[i];
        fx_cel_check_node(checker, entry->value);
        if (merged != NULL && !is_identity(type, entry->field)) {
            check_merged(checker, entry, merged);
            continue;
        }
        const struct fx_cel_type *field =
            fx_cel_check_field(checker, entry->at, type, entry->field);
        const struct fx_cel_type *value =
            entry->is_optional ? unwrap(checker, entry->value) : entry->value->checked;
        if (!fx_cel_unify(&checker->unifier, field, value)) {
            fx_cel_check_field_mismatch(checker, entry, field, value);
        }
    }
}

/* A message of protobuf: what it gives is a value of another type. */
static void check_message(struct fx_cel_checker *checker, struct fx_cel_node *node,
                          const struct fx_cel_message *message) {
    const struct fx_cel_type fields = {
        .kind = FX_CEL_TYPE_STRUCT, .name = message->name, .fields = message->fields};
    node->checked = message->type;
    node->map.name = fx_text_of(message->name);
    check_fields(checker, node, &fields);
}

void fx_cel_check_struct(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    const struct fx_cel_type *value = NULL;
    const struct fx_text name =
        fx_text_rest(node->map.name, fx_text_first(node->map.name) == '.');
    const struct fx_cel_message *message = fx_cel_message_find(name);
    if (message != NULL) {
        check_message(checker, node, message);
        return;
    }
    const struct fx_cel_type *type = fx_cel_check_find_type(checker, name, &value);
    if (type == NULL) {
        fx_cel_check_undeclared(checker, node->at, false, node->map.name);
        return;
    }
    if (type->kind == FX_CEL_TYPE_STRUCT) {
        node->checked = type;
        node->map.name = fx_text_of(type->name);
    } else {
        fx_cel_check_fault_type(checker, node->at, "", type, " is not a message type");
    }
    check_fields(checker, node, type);
}
