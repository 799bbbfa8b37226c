/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.c - values of expressions become trees of JSON.
 *
 * Kubernetes has two conversions. An Object{…} becomes Go values: a list or map of a
 * field is converted, but not one within it, and dates and the like keep a type that JSON
 * does not have. Any other value of a JSON Patch operation becomes JSON by the rules of
 * CEL; an Object{…} within it is converted in the first way.
 */
#include "mutators/admission_policy/convert.h"

#include <math.h>
#include <string.h>

#include "base/base64.h"
#include "base/budget.h"
#include "base/limits.h"
#include "location/cel/functions.h"
#include "merge/typed.h"
#include "value/measure.h"
#include "value/tree.h"

#define JSON_PREFIX \
    "JSONPath valueExpression evaluated to a type that could not marshal to JSON: "

#define MAX_EXACT INT64_C(9007199254740991) /* 2^53-1 */

/* A conversion under way. Every function returns a new reference, NULL if it failed:
 * then `err` has the reason. */
struct conversion {
    bool is_patch;  /* for a JSON Patch: there are no foreign nodes */
    bool wrong_key; /* an object failed because of a map key that is no string */
    size_t nodes;   /* that the tree may still have */
    unsigned depth;
    struct fx_map_refusal *refusal;
    struct fx_err *err;
};

static json_t *convert_native(struct conversion *conversion, struct fx_cel_value value,
                              bool is_nested);
static json_t *convert_json(struct conversion *conversion, struct fx_cel_value value);

static json_t *check_made(const struct conversion *conversion, json_t *node) {
    if (node == NULL) {
        (void)fx_fail_nomem(conversion->err);
    }
    return node;
}

FX_PRINTF(2, 3)
static json_t *refuse(struct conversion *conversion, const char *fmt, ...) {
    va_list args;
    fx_buf_str(&conversion->refusal->message, JSON_PREFIX);
    va_start(args, fmt);
    fx_buf_vprintf(&conversion->refusal->message, fmt, args);
    va_end(args);
    (void)fx_map_reject(conversion->refusal, 403, conversion->err);
    return NULL;
}

static json_t *fail_size(const struct conversion *conversion) {
    (void)(fx_budget_exceeded() != FX_EXCEEDED_NOTHING
               ? fx_fail_exceeded(conversion->err)
               : fx_fail(conversion->err, FX_ELIMIT,
                         "a mutation makes a value that is too large or too deep"));
    return NULL;
}

/* Enters a value that is one level deeper. */
static bool enter(struct conversion *conversion) {
    if (!fx_spend(2) || conversion->nodes == 0 ||
        conversion->depth >= FX_LIMIT_JSON_DEPTH) {
        (void)fail_size(conversion);
        return false;
    }
    conversion->nodes--;
    conversion->depth++;
    return true;
}

/* A part of the object. */
static json_t *share(struct conversion *conversion, const json_t *node) {
    if (!fx_tree_measure(node, FX_LIMIT_JSON_DEPTH - conversion->depth,
                         &conversion->nodes)) {
        return fail_size(conversion);
    }
    return json_incref(fx_node_unconst(node));
}

/* ---- names of types ------------------------------------------------------------------
 */

/* How messages name the values of libraries: the Go type, and the name in errors of
 * conversions. */
static const struct opaque_name {
    const char *type, *go_type, *short_name;
} opaque_names[] = {
    {"kubernetes.URL", "*url.URL", "URL"},
    {"kubernetes.Quantity", "*resource.Quantity", "Quantity"},
    {"net.IP", "netip.Addr", "IP"},
    {"net.CIDR", "netip.Prefix", "CIDR"},
    {"kubernetes.Semver", "semver.Version", "Semver"},
    {"kubernetes.NamedFormat", "*cel.Format", "Format"},
};

static struct opaque_name name_opaque(struct fx_cel_value value) {
    const char *type = fx_cel_type_name(value);
    for (size_t i = 0; i < FX_COUNT(opaque_names); i++) {
        if (strcmp(opaque_names[i].type, type) == 0) {
            return opaque_names[i];
        }
    }
    return (struct opaque_name){type, "*library.value", type};
}

/* ---- scalars --------------------------------------------------------------------------
 */

static json_t *make_text(const struct conversion *conversion, struct fx_buf *buf) {
    json_t *node = buf->failed ? NULL : fx_tree_new_string(fx_buf_view(buf));
    fx_buf_finish(buf);
    return check_made(conversion, node);
}

static json_t *make_base64(const struct conversion *conversion, struct fx_text bytes) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, "");
    if (!fx_spend(bytes.len / FX_BUDGET_BYTES)) {
        (void)fx_fail_exceeded(conversion->err);
        return NULL;
    }
    fx_base64_encode(&buf, bytes);
    return make_text(conversion, &buf);
}

/* Is it written without a fraction and an exponent, and an int64? */
static bool is_short_integer(double real) {
    return real == trunc(real) && fabs(real) < 9.2e18;
}

static json_t *make_double(const struct conversion *conversion, double real) {
    return check_made(conversion, is_short_integer(real) ? json_integer((int64_t)real)
                                                         : json_real(real));
}

/* A value of Go that JSON does not have, or not by itself. */
static json_t *make_foreign(struct conversion *conversion, const char *go_type) {
    return conversion->is_patch ? refuse(conversion, "proto: invalid type: %s", go_type)
                                : check_made(conversion, fx_typed_new_foreign(go_type));
}

/* An integer within an Object{…}; in a JSON Patch it passes through a double. */
static json_t *make_native_integer(const struct conversion *conversion, int64_t integer) {
    return conversion->is_patch && (integer > MAX_EXACT || integer < -MAX_EXACT)
               ? make_double(conversion, (double)integer)
               : check_made(conversion, json_integer(integer));
}

static json_t *make_native_uint(struct conversion *conversion, uint64_t uinteger) {
    return conversion->is_patch ? make_double(conversion, (double)uinteger)
                                : make_foreign(conversion, "uint64");
}

static json_t *refuse_number(struct conversion *conversion, double real) {
    return refuse(conversion,
                  "json: error calling MarshalJSON for type *structpb.Value: proto: "
                  "google.protobuf.Value.number_value: invalid %s value",
                  isnan(real) ? "NaN"
                  : real > 0  ? "+Inf"
                              : "-Inf");
}

static json_t *make_native_double(struct conversion *conversion, double real) {
    if (isfinite(real)) {
        return conversion->is_patch ? make_double(conversion, real)
                                    : check_made(conversion, json_real(real));
    }
    return conversion->is_patch ? refuse_number(conversion, real)
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
    case FX_CEL_STRING: return check_made(conversion, fx_tree_new_string(value.text));
    case FX_CEL_TYPE:
        return check_made(conversion, fx_tree_new_string(fx_text_of(value.type->name)));
    case FX_CEL_BYTES:
        return conversion->is_patch ? make_base64(conversion, value.text)
                                    : make_foreign(conversion, "[]uint8");
    case FX_CEL_NULL: return make_foreign(conversion, "structpb.NullValue");
    case FX_CEL_DURATION: return make_foreign(conversion, "time.Duration");
    case FX_CEL_TIMESTAMP: return make_foreign(conversion, "time.Time");
    case FX_CEL_OPAQUE: return make_foreign(conversion, name_opaque(value).go_type);
    default: return make_foreign(conversion, "*types.Err");
    }
}

/* ---- objects ------------------------------------------------------------------------
 */

/* Sets a member of `object`, which is freed if this fails. */
static bool set_member(struct conversion *conversion, json_t *object, struct fx_text key,
                       json_t *member_take) {
    if (member_take == NULL) {
        json_decref(object);
        return false;
    }
    if (!fx_tree_set_take(object, key, member_take)) {
        json_decref(object);
        return fx_fail_nomem(conversion->err);
    }
    return true;
}

static json_t *convert_fields(struct conversion *conversion,
                              const struct fx_cel_struct *structure) {
    json_t *object = check_made(conversion, json_object());
    for (size_t i = 0; object != NULL && i < structure->fields.n; i++) {
        const struct fx_cel_map_entry *field = &structure->fields.entries[i];
        json_t *member = convert_native(conversion, field->value, false);
        if (!set_member(conversion, object, field->key.text, member)) {
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
    json_t *object = convert_fields(conversion, structure);
    if (object == NULL && conversion->wrong_key) {
        conversion->wrong_key = false;
        return make_foreign(conversion, "*types.Err");
    }
    return object;
}

static json_t *convert_native_list(struct conversion *conversion,
                                   const struct fx_cel_list *list) {
    json_t *array = check_made(conversion, json_array());
    for (size_t i = 0; array != NULL && i < list->n; i++) {
        json_t *element = convert_native(conversion, list->items[i], true);
        if (element == NULL) {
            json_decref(array);
            return NULL;
        }
        if (!fx_tree_append_take(array, element)) {
            json_decref(array);
            return check_made(conversion, NULL);
        }
    }
    return array;
}

static json_t *convert_native_map(struct conversion *conversion,
                                  const struct fx_cel_map *map) {
    json_t *object = check_made(conversion, json_object());
    for (size_t i = 0; object != NULL && i < map->n; i++) {
        const struct fx_cel_map_entry *entry = &map->entries[i];
        if (entry->key.kind != FX_CEL_STRING) {
            conversion->wrong_key = true;
            json_decref(object);
            return NULL;
        }
        json_t *member = convert_native(conversion, entry->value, true);
        if (!set_member(conversion, object, entry->key.text, member)) {
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
        return share(conversion, value.node);
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
    if (!enter(conversion)) {
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

/* ---- values of a JSON Patch ---------------------------------------------------------
 */

/* Integers that a double does not represent are decimal texts. */
static json_t *make_json_integer(const struct conversion *conversion, int64_t integer) {
    struct fx_buf buf;
    if (integer <= MAX_EXACT && integer >= -MAX_EXACT) {
        return check_made(conversion, json_integer(integer));
    }
    fx_buf_init(&buf, 0);
    fx_buf_integer(&buf, integer);
    return make_text(conversion, &buf);
}

static json_t *make_json_uint(const struct conversion *conversion, uint64_t uinteger) {
    struct fx_buf buf;
    if (uinteger <= (uint64_t)MAX_EXACT) {
        return check_made(conversion, json_integer((json_int_t)uinteger));
    }
    fx_buf_init(&buf, 0);
    fx_buf_number(&buf, uinteger);
    return make_text(conversion, &buf);
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
    return make_text(conversion, &buf);
}

static json_t *convert_json_scalar(struct conversion *conversion,
                                   struct fx_cel_value value) {
    switch (value.kind) {
    case FX_CEL_NULL: return json_null();
    case FX_CEL_BOOL: return json_boolean(value.boolean);
    case FX_CEL_INT: return make_json_integer(conversion, value.integer);
    case FX_CEL_UINT: return make_json_uint(conversion, value.uinteger);
    case FX_CEL_DOUBLE:
        return isfinite(value.real) ? make_double(conversion, value.real)
                                    : refuse_number(conversion, value.real);
    case FX_CEL_STRING: return check_made(conversion, fx_tree_new_string(value.text));
    case FX_CEL_BYTES: return make_base64(conversion, value.text);
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP: return make_json_time(conversion, value);
    case FX_CEL_TYPE:
        return refuse(conversion, "type conversion not supported for 'type'");
    default:
        return refuse(conversion, "type conversion error from '%s' to '*structpb.Value'",
                      name_opaque(value).short_name);
    }
}

/* A part of the object is shared, unless it has an integer that becomes a text. */
static json_t *convert_json_array(struct conversion *conversion,
                                  struct fx_cel_value value) {
    json_t *array = check_made(conversion, json_array());
    const size_t n = fx_cel_list_size(value);
    for (size_t i = 0; array != NULL && i < n; i++) {
        json_t *element = convert_json(conversion, fx_cel_list_at(value, i));
        if (element == NULL) {
            json_decref(array);
            return NULL;
        }
        if (!fx_tree_append_take(array, element)) {
            json_decref(array);
            return check_made(conversion, NULL);
        }
    }
    return array;
}

static json_t *refuse_key(struct conversion *conversion, struct fx_cel_value key) {
    return key.kind == FX_CEL_BOOL
               ? refuse(conversion, "type conversion error from bool to 'string'")
               : refuse(conversion, "unsupported type conversion from '%s' to string",
                        fx_cel_type_name(key));
}

static json_t *convert_json_map(struct conversion *conversion,
                                struct fx_cel_value value) {
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    json_t *object = check_made(conversion, json_object());
    fx_cel_map_walk_start(&walk, value);
    while (object != NULL && fx_cel_map_walk_next(&walk, &entry)) {
        if (entry.key.kind != FX_CEL_STRING) {
            json_decref(object);
            return refuse_key(conversion, entry.key);
        }
        json_t *member = convert_json(conversion, entry.value);
        if (!set_member(conversion, object, entry.key.text, member)) {
            return NULL;
        }
    }
    return object;
}

/* Does the tree have an integer that a double does not represent? Its depth has been
 * measured. */
static bool has_large_integer(const json_t *node) {
    if (json_is_integer(node)) {
        return json_integer_value(node) > MAX_EXACT ||
               json_integer_value(node) < -MAX_EXACT;
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
        json_t *shared = share(conversion, value.node);
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
        return refuse(conversion, "type conversion error from '%s' to '*structpb.Value'",
                      value->structure->type->name);
    }
    json_t *object = convert_fields(conversion, value->structure);
    if (object == NULL && conversion->wrong_key) {
        return refuse(conversion, "fail to convert a field: a key of a map is no string");
    }
    return object;
}

static json_t *convert_json(struct conversion *conversion, struct fx_cel_value value) {
    json_t *node = NULL;
    if (!enter(conversion)) {
        return NULL;
    }
    switch (value.kind) {
    case FX_CEL_STRUCT: node = convert_patch_object(conversion, &value); break;
    case FX_CEL_LIST:
    case FX_CEL_MAP: node = convert_json_many(conversion, value); break;
    case FX_CEL_OPTIONAL:
        node = value.inner == NULL ? refuse(conversion, "optional.none() dereference")
                                   : convert_json(conversion, *value.inner);
        break;
    default: node = convert_json_scalar(conversion, value);
    }
    conversion->depth--;
    return node;
}

/* ---- the whole ------------------------------------------------------------------------
 */

json_t *fx_map_convert_object(struct fx_cel_value object, struct fx_map_refusal *refusal,
                              struct fx_err *err) {
    struct conversion conversion = {
        .nodes = FX_LIMIT_YAML_NODES, .refusal = refusal, .err = err};
    json_t *root = convert_fields(&conversion, object.structure);
    if (root == NULL && conversion.wrong_key) {
        (void)fx_map_reject_with(refusal, 403, err,
                                 "invalid return type: *dynamic.ObjectVal");
    }
    return root;
}

json_t *fx_map_convert_value(struct fx_cel_value value, struct fx_map_refusal *refusal,
                             struct fx_err *err) {
    struct conversion conversion = {
        .is_patch = true, .nodes = FX_LIMIT_YAML_NODES, .refusal = refusal, .err = err};
    return convert_json(&conversion, value);
}
