/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_object.c - an Object{…} becomes a tree.
 *
 * Kubernetes makes Go values of it: a list or map of a field is converted, but not one
 * within it, and dates and the like keep a type that JSON does not have.
 */
#include <math.h>

#include "base/limits.h"
#include "merge/typed.h"
#include "mutators/admission_policy/convert_internal.h"
#include "value/tree.h"

static json_t *convert_native(struct conversion *conversion, struct fx_cel_value value,
                              bool is_nested);

/* A value of Go that JSON does not have, or not by itself. */
static json_t *make_foreign(struct conversion *conversion, const char *go_type) {
    return conversion->is_patch
               ? fx_map_conversion_refuse(conversion, "proto: invalid type: %s", go_type)
               : fx_map_conversion_check(conversion, fx_typed_new_foreign(go_type));
}

/* An integer within an Object{…}; in a JSON Patch it passes through a double. */
static json_t *make_native_integer(const struct conversion *conversion, int64_t integer) {
    return conversion->is_patch &&
                   (integer > FX_MAP_MAX_EXACT || integer < -FX_MAP_MAX_EXACT)
               ? fx_map_conversion_double(conversion, (double)integer)
               : fx_map_conversion_check(conversion, json_integer(integer));
}

static json_t *make_native_uint(struct conversion *conversion, uint64_t uinteger) {
    return conversion->is_patch ? fx_map_conversion_double(conversion, (double)uinteger)
                                : make_foreign(conversion, "uint64");
}

static json_t *make_native_double(struct conversion *conversion, double real) {
    if (isfinite(real)) {
        return conversion->is_patch
                   ? fx_map_conversion_double(conversion, real)
                   : fx_map_conversion_check(conversion, json_real(real));
    }
    return conversion->is_patch ? fx_map_conversion_refuse_number(conversion, real)
                                : make_foreign(conversion, "float64");
}

/* A scalar as Value() of Go's CEL returns it. */
static json_t *convert_native_scalar(struct conversion *conversion,
                                     struct fx_cel_value value) {
    switch (value.kind) {
    case FX_CEL_BOOL: return json_boolean(value.boolean);
    case FX_CEL_INT: return make_native_integer(conversion, value.integer);
    case FX_CEL_UINT: return make_native_uint(conversion, value.uinteger);
    case FX_CEL_DOUBLE: return make_native_double(conversion, value.real);
    case FX_CEL_STRING:
        return fx_map_conversion_check(conversion, fx_tree_new_string(value.text));
    case FX_CEL_TYPE:
        return fx_map_conversion_check(conversion,
                                       fx_tree_new_string(fx_text_of(value.type->name)));
    case FX_CEL_BYTES:
        return conversion->is_patch ? fx_map_conversion_base64(conversion, value.text)
                                    : make_foreign(conversion, "[]uint8");
    case FX_CEL_NULL: return make_foreign(conversion, "structpb.NullValue");
    case FX_CEL_DURATION: return make_foreign(conversion, "time.Duration");
    case FX_CEL_TIMESTAMP: return make_foreign(conversion, "time.Time");
    case FX_CEL_OPAQUE:
        return make_foreign(conversion, fx_map_conversion_name(value).go_type);
    default: return make_foreign(conversion, "*types.Err");
    }
}

/* ---- objects ------------------------------------------------------------------------
 */

json_t *fx_map_convert_fields(struct conversion *conversion,
                              const struct fx_cel_struct *structure) {
    json_t *object = fx_map_conversion_check(conversion, json_object());
    for (size_t i = 0; object != NULL && i < structure->fields.n; i++) {
        const struct fx_cel_map_entry *field = &structure->fields.entries[i];
        json_t *member = convert_native(conversion, field->value, false);
        if (!fx_map_conversion_set(conversion, object, field->key.text, member)) {
            return NULL;
        }
    }
    return object;
}

/* An Object{…} in a field, list or map. If a map within it has a key that is no string,
 * its value is an error of Go. */
static json_t *convert_inner_object(struct conversion *conversion,
                                    const struct fx_cel_struct *structure) {
    if (structure->type->fields != NULL) {
        return make_foreign(conversion, "*mutation.JSONPatchVal");
    }
    json_t *object = fx_map_convert_fields(conversion, structure);
    if (object == NULL && conversion->wrong_key) {
        conversion->wrong_key = false;
        return make_foreign(conversion, "*types.Err");
    }
    return object;
}

static json_t *convert_native_list(struct conversion *conversion,
                                   const struct fx_cel_list *list) {
    json_t *array = fx_map_conversion_check(conversion, json_array());
    for (size_t i = 0; array != NULL && i < list->n; i++) {
        json_t *element = convert_native(conversion, list->items[i], true);
        if (element == NULL) {
            json_decref(array);
            return NULL;
        }
        if (!fx_tree_append_take(array, element)) {
            json_decref(array);
            return fx_map_conversion_check(conversion, NULL);
        }
    }
    return array;
}

static json_t *convert_native_map(struct conversion *conversion,
                                  const struct fx_cel_map *map) {
    json_t *object = fx_map_conversion_check(conversion, json_object());
    for (size_t i = 0; object != NULL && i < map->n; i++) {
        const struct fx_cel_map_entry *entry = &map->entries[i];
        if (entry->key.kind != FX_CEL_STRING) {
            conversion->wrong_key = true;
            json_decref(object);
            return NULL;
        }
        json_t *member = convert_native(conversion, entry->value, true);
        if (!fx_map_conversion_set(conversion, object, entry->key.text, member)) {
            return NULL;
        }
    }
    return object;
}

/* A list or map, which may be within another one. */
static json_t *convert_native_many(struct conversion *conversion,
                                   struct fx_cel_value value, bool is_nested) {
    const bool is_list = value.kind == FX_CEL_LIST;
    if ((value.flags & FX_CEL_IN_TREE) != 0) {
        return fx_map_conversion_share(conversion, value.node);
    }
    if ((value.flags & FX_CEL_NATIVE) != 0) {
        return make_foreign(conversion, is_list ? "[]string" : "map[string][]string");
    }
    if (is_nested) {
        return make_foreign(conversion, is_list ? "[]ref.Val" : "map[ref.Val]ref.Val");
    }
    return is_list ? convert_native_list(conversion, value.list)
                   : convert_native_map(conversion, value.map);
}

/* A value within an Object{…}; `is_nested`: within a list or map of a field. */
static json_t *convert_native(struct conversion *conversion, struct fx_cel_value value,
                              bool is_nested) {
    json_t *node = NULL;
    if (!fx_map_conversion_enter(conversion)) {
        return NULL;
    }
    switch (value.kind) {
    case FX_CEL_STRUCT: node = convert_inner_object(conversion, value.structure); break;
    case FX_CEL_LIST:
    case FX_CEL_MAP: node = convert_native_many(conversion, value, is_nested); break;
    case FX_CEL_OPTIONAL:
        node = value.inner == NULL ? json_null()
                                   : convert_native(conversion, *value.inner, is_nested);
        break;
    default: node = convert_native_scalar(conversion, value);
    }
    conversion->depth--;
    return node;
}

json_t *fx_map_convert_object(struct fx_cel_value object, struct fx_map_refusal *refusal,
                              struct fx_err *err) {
    struct conversion conversion = {
        .nodes = FX_LIMIT_YAML_NODES, .refusal = refusal, .err = err};
    json_t *root = fx_map_convert_fields(&conversion, object.structure);
    if (root == NULL && conversion.wrong_key) {
        (void)fx_map_reject_with(refusal, 403, err,
                                 "invalid return type: *dynamic.ObjectVal");
    }
    return root;
}
