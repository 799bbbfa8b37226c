/* SPDX-License-Identifier: Apache-2.0
 *
 * find.c - what is under a key.
 */
#include "location/cel/find.h"

#include "location/cel/map.h"
#include "location/cel/number.h"
#include "location/cel/print_key.h"
#include "value/tree.h"

static struct fx_cel_value find_index(struct fx_cel_run *run, struct fx_cel_value list,
                                      struct fx_cel_value key) {
    int64_t index = 0;
    if (!fx_cel_is_number(key)) {
        return fx_cel_fail(run, "unsupported index type '%s' in list",
                           fx_cel_type_name(key));
    }
    if (!fx_cel_number_to_int(key, &index)) {
        return fx_cel_fail_key(run, "unsupported index value ", key, " in list");
    }
    return index >= 0 && (uint64_t)index < fx_cel_list_size(list)
               ? fx_cel_list_at(list, (size_t)index)
               : (struct fx_cel_value){.kind = FX_CEL_UNSET};
}

static const struct fx_cel_field *find_declared(const struct fx_cel_type *type,
                                                struct fx_text name) {
    const struct fx_cel_field *field = type->fields;
    while (field->name != NULL && !fx_text_is(name, field->name)) {
        field++;
    }
    return field->name == NULL ? NULL : field;
}

/* A field of a struct with declared fields (JSONPatch): one that is not set has the
 * default of its type. */
static struct fx_cel_value find_declared_field(struct fx_cel_run *run,
                                               const struct fx_cel_struct *structure,
                                               const struct fx_cel_step *step) {
    const struct fx_cel_value key = *step->key;
    const struct fx_cel_field *field =
        key.kind == FX_CEL_STRING ? find_declared(structure->type, key.text) : NULL;
    struct fx_cel_value value = {.kind = FX_CEL_UNSET};
    if (field == NULL) {
        return fx_cel_fail_key(run, "unsupported indexer: ", key, "");
    }
    if (fx_cel_map_find(fx_cel_fields(structure), key, &value) || step->is_question) {
        return value;
    }
    return field->type->kind == FX_CEL_TYPE_STRING ? fx_cel_make_string(FX_TEXT(""))
                                                   : fx_cel_make_null();
}

/* A field of Object{…}: optional steps do not see it (measured), nor does has() without
 * a static type. A field that is not set reads as null. */
static struct fx_cel_value find_any_field(const struct fx_cel_struct *structure,
                                          const struct fx_cel_step *step) {
    struct fx_cel_value value = {.kind = FX_CEL_UNSET};
    if (step->is_question && !step->is_field) {
        return value;
    }
    return fx_cel_map_find(fx_cel_fields(structure), *step->key, &value) ||
                   step->is_question
               ? value
               : fx_cel_make_null();
}

static struct fx_cel_value find_opaque_field(struct fx_cel_run *run,
                                             const struct fx_cel_value *value,
                                             const struct fx_cel_value *key) {
    return value->opaque.ops->field == NULL || key->kind != FX_CEL_STRING
               ? (struct fx_cel_value){.kind = FX_CEL_UNSET}
               : value->opaque.ops->field(run, value->opaque.data, key->text);
}

/* The common case: a field of an object of the tree. */
static void find_in_tree(const json_t *object, const struct fx_cel_value *key,
                         struct fx_cel_value *ret) {
    const json_t *node =
        key->kind == FX_CEL_STRING ? fx_tree_view_text(object, key->text) : NULL;
    if (node == NULL) {
        ret->kind = FX_CEL_UNSET;
    } else {
        fx_cel_set_node(ret, node);
    }
}

void fx_cel_find(struct fx_cel_run *run, const struct fx_cel_value *in,
                 const struct fx_cel_step *step, struct fx_cel_value *ret) {
    struct fx_cel_value found = {.kind = FX_CEL_UNSET};
    if (in->kind == FX_CEL_MAP && (in->flags & FX_CEL_IN_TREE) != 0) {
        find_in_tree(in->node, step->key, ret);
        return;
    }
    if (in->kind == FX_CEL_MAP) {
        (void)fx_cel_map_find(*in, *step->key, &found);
    } else if (in->kind == FX_CEL_LIST) {
        found = find_index(run, *in, *step->key);
    } else if (in->kind == FX_CEL_STRUCT) {
        found = in->structure->type->fields == NULL
                    ? find_any_field(in->structure, step)
                    : find_declared_field(run, in->structure, step);
    } else if (in->kind == FX_CEL_OPAQUE) {
        found = find_opaque_field(run, in, step->key);
    }
    *ret = found;
}
