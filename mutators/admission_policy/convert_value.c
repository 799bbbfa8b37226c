/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_value.c - the value of a JSON Patch operation becomes a tree, by the rules of
 * CEL. An Object{…} within it is converted as in convert_object.c.
 */
#include <math.h>

#include "base/limits.h"
#include "location/cel/functions.h"
#include "mutators/admission_policy/convert_internal.h"
#include "value/tree.h"

static json_t *convert_json(struct conversion *conversion, struct fx_cel_value value);

/* ---- values of a JSON Patch ---------------------------------------------------------
 */

/* Integers that a double does not represent are decimal texts. */
static json_t *make_json_integer(const struct conversion *conversion, int64_t integer) {
    struct fx_buf buf;
    if (integer <= FX_MAP_MAX_EXACT && integer >= -FX_MAP_MAX_EXACT) {
        return fx_map_conversion_check(conversion, json_integer(integer));
    }
    fx_buf_init(&buf, 0);
    fx_buf_integer(&buf, integer);
    return fx_map_conversion_text(conversion, &buf);
}

static json_t *make_json_uint(const struct conversion *conversion, uint64_t uinteger) {
    struct fx_buf buf;
    if (uinteger <= (uint64_t)FX_MAP_MAX_EXACT) {
        return fx_map_conversion_check(conversion, json_integer((json_int_t)uinteger));
    }
    fx_buf_init(&buf, 0);
    fx_buf_number(&buf, uinteger);
    return fx_map_conversion_text(conversion, &buf);
}

static json_t *make_json_time(const struct conversion *conversion,
                              struct fx_cel_value value) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    if (value.kind == FX_CEL_DURATION) {
        fx_cel_print_duration(&buf, value.duration);
    } else {
        fx_cel_print_timestamp(&buf, value);
    }
    return fx_map_conversion_text(conversion, &buf);
}

static json_t *convert_json_scalar(struct conversion *conversion,
                                   struct fx_cel_value value) {
    switch (value.kind) {
    case FX_CEL_NULL: return json_null();
    case FX_CEL_BOOL: return json_boolean(value.boolean);
    case FX_CEL_INT: return make_json_integer(conversion, value.integer);
    case FX_CEL_UINT: return make_json_uint(conversion, value.uinteger);
    case FX_CEL_DOUBLE:
        return isfinite(value.real)
                   ? fx_map_conversion_double(conversion, value.real)
                   : fx_map_conversion_refuse_number(conversion, value.real);
    case FX_CEL_STRING:
        return fx_map_conversion_check(conversion, fx_tree_new_string(value.text));
    case FX_CEL_BYTES: return fx_map_conversion_base64(conversion, value.text);
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP: return make_json_time(conversion, value);
    case FX_CEL_TYPE:
        return fx_map_conversion_refuse(conversion,
                                        "type conversion not supported for 'type'");
    default:
        return fx_map_conversion_refuse(
            conversion, "type conversion error from '%s' to '*structpb.Value'",
            fx_map_conversion_name(value).short_name);
    }
}

/* A part of the object is shared, unless it has an integer that becomes a text. */
static json_t *convert_json_array(struct conversion *conversion,
                                  struct fx_cel_value value) {
    json_t *array = fx_map_conversion_check(conversion, json_array());
    const size_t n = fx_cel_list_size(value);
    for (size_t i = 0; array != NULL && i < n; i++) {
        json_t *element = convert_json(conversion, fx_cel_list_at(value, i));
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

static json_t *refuse_key(struct conversion *conversion, struct fx_cel_value key) {
    return key.kind == FX_CEL_BOOL
               ? fx_map_conversion_refuse(conversion,
                                          "type conversion error from bool to 'string'")
               : fx_map_conversion_refuse(
                     conversion, "unsupported type conversion from '%s' to string",
                     fx_cel_type_name(key));
}

static json_t *convert_json_map(struct conversion *conversion,
                                struct fx_cel_value value) {
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    json_t *object = fx_map_conversion_check(conversion, json_object());
    fx_cel_map_walk_start(&walk, value);
    while (object != NULL && fx_cel_map_walk_next(&walk, &entry)) {
        if (entry.key.kind != FX_CEL_STRING) {
            json_decref(object);
            return refuse_key(conversion, entry.key);
        }
        json_t *member = convert_json(conversion, entry.value);
        if (!fx_map_conversion_set(conversion, object, entry.key.text, member)) {
            return NULL;
        }
    }
    return object;
}

/* Does the tree have an integer that a double does not represent? Its depth has been
 * measured. */
static bool has_large_integer(const json_t *node) {
    if (json_is_integer(node)) {
        return json_integer_value(node) > FX_MAP_MAX_EXACT ||
               json_integer_value(node) < -FX_MAP_MAX_EXACT;
    }
    bool found = false;
    for (size_t i = 0; !found && i < json_array_size(node); i++) {
        found = has_large_integer(json_array_get(node, i));
    }
    void *iter = json_is_object(node) ? fx_node_first(node) : NULL;
    for (; !found && iter != NULL; iter = fx_node_next(node, iter)) {
        found = has_large_integer(json_object_iter_value(iter));
    }
    return found;
}

static json_t *convert_json_many(struct conversion *conversion,
                                 struct fx_cel_value value) {
    if ((value.flags & FX_CEL_IN_TREE) != 0) {
        json_t *shared = fx_map_conversion_share(conversion, value.node);
        if (shared == NULL || !has_large_integer(shared)) {
            return shared;
        }
        json_decref(shared);
    }
    return value.kind == FX_CEL_LIST ? convert_json_array(conversion, value)
                                     : convert_json_map(conversion, value);
}

static json_t *convert_patch_object(struct conversion *conversion,
                                    const struct fx_cel_value *value) {
    if (value->structure->type->fields != NULL) {
        return fx_map_conversion_refuse(
            conversion, "type conversion error from '%s' to '*structpb.Value'",
            value->structure->type->name);
    }
    json_t *object = fx_map_convert_fields(conversion, value->structure);
    if (object == NULL && conversion->wrong_key) {
        return fx_map_conversion_refuse(
            conversion, "fail to convert a field: a key of a map is no string");
    }
    return object;
}

static json_t *convert_json(struct conversion *conversion, struct fx_cel_value value) {
    json_t *node = NULL;
    if (!fx_map_conversion_enter(conversion)) {
        return NULL;
    }
    switch (value.kind) {
    case FX_CEL_STRUCT: node = convert_patch_object(conversion, &value); break;
    case FX_CEL_LIST:
    case FX_CEL_MAP: node = convert_json_many(conversion, value); break;
    case FX_CEL_OPTIONAL:
        node = value.inner == NULL
                   ? fx_map_conversion_refuse(conversion, "optional.none() dereference")
                   : convert_json(conversion, *value.inner);
        break;
    default: node = convert_json_scalar(conversion, value);
    }
    conversion->depth--;
    return node;
}

json_t *fx_map_convert_value(struct fx_cel_value value, struct fx_map_refusal *refusal,
                             struct fx_err *err) {
    struct conversion conversion = {
        .is_patch = true, .nodes = FX_LIMIT_YAML_NODES, .refusal = refusal, .err = err};
    return convert_json(&conversion, value);
}
