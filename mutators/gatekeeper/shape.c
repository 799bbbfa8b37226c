/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/shape.c - checks a policy against its shape, and defines the shapes
 * that several kinds share.
 */
#include "mutators/gatekeeper/shape.h"

#include <string.h>

#include "base/buf.h"
#include "mutators/gatekeeper/policy.h"
#include "value/number.h"
#include "value/tree.h"

/* The state of the check. The path of a list's element ends in its index: "a.b[2]". */
struct shape_check {
    const char *version;
    bool extended;
    struct fx_compilation *compilation;
    struct fx_buf path;
    const json_t *within; /* the innermost object */
    struct fx_err *err;
};

json_t *fx_shape_view(const json_t *object, const char *key) {
    json_t *value = fx_tree_view_key(object, key);
    return json_is_null(value) ? NULL : value;
}

const json_t *fx_shape_node(const json_t *node, const json_t *within) {
    const bool placed = node != NULL && !json_is_boolean(node) && !json_is_null(node);
    return placed ? node : within;
}

bool fx_fail_buf_finish(struct fx_err *err, const json_t *node, enum fx_code code,
                        struct fx_buf *message) {
    (void)(message->failed ? fx_fail_nomem(err)
                           : fx_fail_in(err, node, code, "%s", message->data));
    fx_buf_finish(message);
    return false;
}

static void path_cut(struct fx_buf *path, size_t len) {
    if (path->data != NULL) {
        path->data[len] = '\0';
    }
    path->len = len;
}

static void path_push(struct fx_buf *path, struct fx_text name) {
    if (path->len > 0) {
        fx_buf_char(path, '.');
    }
    fx_buf_text(path, name);
}

/* Prints Go's name for the type of the value. */
static void print_found(struct fx_buf *buf, const json_t *value, const struct field *to) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: fx_buf_str(buf, "object"); return;
    case JSON_ARRAY: fx_buf_str(buf, "array"); return;
    case JSON_STRING: fx_buf_str(buf, "string"); return;
    case JSON_TRUE:
    case JSON_FALSE: fx_buf_str(buf, "bool"); return;
    case JSON_NULL: fx_buf_str(buf, "null"); return;
    case JSON_INTEGER:
    case JSON_REAL: fx_buf_str(buf, "number"); break;
    }
    if (to->type == FIELD_INTEGER) {
        char digits[FX_NUMBER_SIZE];
        const size_t len = fx_number_print(value, digits);
        fx_buf_printf(buf, " %.*s", (int)len, digits);
    }
}

/* Prints the path as Go does, without indexes. */
static void print_path(struct fx_buf *buf, const char *path) {
    while (*path != '\0') {
        const size_t plain = strcspn(path, "[");
        fx_buf_add(buf, path, plain);
        path += plain;
        path += strcspn(path, "]");
        path += *path == ']' ? 1 : 0;
    }
}

static void print_type(struct fx_buf *buf, const char *go_type, const char *version) {
    const char *at = strchr(go_type, '@');
    if (at == NULL) {
        fx_buf_str(buf, go_type);
        return;
    }
    fx_buf_add(buf, go_type, (size_t)(at - go_type));
    fx_buf_str(buf, version);
    fx_buf_str(buf, at + 1);
}

static bool fail_type(struct shape_check *check, const struct shape *shape,
                      const struct field *field, const char *go_type,
                      const json_t *value) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "json: cannot unmarshal ");
    print_found(&text, value, field);
    fx_buf_printf(&text, " into Go struct field %s.", shape->go_name);
    print_path(&text, check->path.data);
    fx_buf_str(&text, " of type ");
    print_type(&text, go_type, check->version);
    return fx_fail_buf_finish(check->err, fx_shape_node(value, check->within),
                              FX_EINVALID, &text);
}

static bool has_type(const json_t *value, enum field_type type) {
    switch (type) {
    case FIELD_ANY: return true;
    case FIELD_STRING: return json_is_string(value);
    case FIELD_INTEGER: return json_is_integer(value);
    case FIELD_OBJECT: return json_is_object(value);
    case FIELD_LIST:
    case FIELD_STRINGS: return json_is_array(value);
    case FIELD_FURTHER: break;
    }
    return false;
}

static bool check_struct(struct shape_check *check, const struct shape *shape,
                         json_t *object);

/* Checks the elements of a list of objects. Within ANY, elements of other types are
 * skipped. */
static bool check_elements(struct shape_check *check, const struct shape *shape,
                           const struct field *field, json_t *list) {
    const size_t len = check->path.len;
    size_t index = 0;
    json_t *element = NULL;
    json_array_foreach (list, index, element) {
        fx_buf_printf(&check->path, "[%zu]", index);
        if (check->path.failed) {
            return fx_fail_nomem(check->err);
        }
        if (json_is_object(element)) {
            if (!check_struct(check, field->shape, element)) {
                return false;
            }
        } else if (field->type != FIELD_ANY && !json_is_null(element)) {
            return fail_type(check, shape, field, field->go_element, element);
        }
        path_cut(&check->path, len);
    }
    return true;
}

static bool check_strings(struct shape_check *check, const struct shape *shape,
                          const struct field *field, const json_t *list) {
    size_t index = 0;
    const json_t *element = NULL;
    json_array_foreach (list, index, element) {
        if (!json_is_string(element) && !json_is_null(element)) {
            return fail_type(check, shape, field, field->go_element, element);
        }
    }
    return true;
}

static bool check_field(struct shape_check *check, const struct shape *shape,
                        const struct field *field, json_t *value) {
    if (json_is_null(value)) {
        return true;
    }
    if (!has_type(value, field->type)) {
        return fail_type(check, shape, field, field->go_type, value);
    }
    if (field->type == FIELD_STRINGS) {
        return check_strings(check, shape, field, value);
    }
    if (field->shape == NULL) {
        return true;
    }
    return json_is_array(value) ? check_elements(check, shape, field, value)
                                : check_struct(check, field->shape, value);
}

/* Finds a field. *ret_further is true if only Fixpoint's own group has it. */
static const struct field *find_field(const struct shape *shape, struct fx_text name,
                                      bool *ret_further) {
    *ret_further = false;
    for (const struct field *field = shape->fields; field->name != NULL; field++) {
        if (field->type == FIELD_FURTHER) {
            *ret_further = true;
        } else if (fx_text_is(name, field->name)) {
            return field;
        }
    }
    return NULL;
}

/* Warns about an unknown field; the message ends with `hint`. */
static bool warn_unknown(struct shape_check *check, const json_t *value,
                         const char *hint) {
    struct fx_buf path;
    fx_buf_init(&path, 0);
    fx_text_quote_go(&path, (struct fx_text){check->path.data, check->path.len});
    const bool ok =
        !path.failed &&
        fx_compilation_warn(check->compilation, fx_shape_node(value, check->within),
                            "unknown field %s%s", path.data, hint);
    fx_buf_finish(&path);
    return ok || fx_fail_nomem(check->err);
}

static bool check_entry(struct shape_check *check, const struct shape *shape,
                        struct fx_text name, json_t *value) {
    bool further = false;
    const struct field *field = find_field(shape, name, &further);
    path_push(&check->path, name);
    if (check->path.failed) {
        return fx_fail_nomem(check->err);
    }
    if (field == NULL) {
        return shape->open || warn_unknown(check, value, "");
    }
    if (further && !check->extended) {
        return warn_unknown(check, value, "; " FIXPOINT_GROUP "/v1alpha1 has it");
    }
    return check_field(check, shape, field, value);
}

/* Checks every field of the object. Within ANY the value may have another type; then it
 * has no fields. */
static bool check_struct(struct shape_check *check, const struct shape *shape,
                         json_t *object) {
    const size_t len = check->path.len;
    const json_t *outer = check->within;
    check->within = object;
    for (void *at = json_object_iter(object); at != NULL;
         at = json_object_iter_next(object, at)) {
        const struct fx_text name = {json_object_iter_key(at),
                                     json_object_iter_key_len(at)};
        if (!check_entry(check, shape, name, json_object_iter_value(at))) {
            return false;
        }
        path_cut(&check->path, len);
    }
    check->within = outer;
    return true;
}

bool fx_shape_check(const struct shape *shape, json_t *policy, const char *version,
                    bool extended, struct fx_compilation *compilation,
                    struct fx_err *err) {
    struct shape_check check = {
        .version = version, .extended = extended, .compilation = compilation, .err = err};
    fx_buf_init(&check.path, 0);
    const bool ok = check_struct(&check, shape, policy);
    fx_buf_finish(&check.path);
    return ok;
}

/* ---- shapes that several kinds share ---------------------------------------------- */

static const struct field metadata_fields[] = {
    FIELD_TEXT("name", "string"),
    FIELD_TEXT("namespace", "string"),
    {"generation", FIELD_INTEGER, "int64", NULL, NULL},
    FIELDS_END,
};

const struct shape fx_metadata_shape = {"ObjectMeta", metadata_fields, .open = true};

SHAPE(match_kinds, "Kinds", FIELD("apiGroups"), FIELD("kinds"));

SHAPE(requirement, "LabelSelectorRequirement", FIELD("key"), FIELD("operator"),
      FIELD("values"));

SHAPE(selector, "LabelSelector", FIELD("matchLabels"),
      {"matchExpressions", FIELD_ANY, NULL, NULL, &requirement_shape});

static const struct field match_fields[] = {
    {"kinds", FIELD_ANY, NULL, NULL, &match_kinds_shape},
    FIELD("scope"),
    FIELD("namespaces"),
    FIELD("excludedNamespaces"),
    {"labelSelector", FIELD_ANY, NULL, NULL, &selector_shape},
    {"namespaceSelector", FIELD_ANY, NULL, NULL, &selector_shape},
    FIELD("name"),
    FIELD("source"),
    FIELDS_FURTHER,
    {"annotationSelector", FIELD_ANY, NULL, NULL, &selector_shape},
    FIELDS_END,
};

const struct shape fx_match_shape = {"Match", match_fields, false};

static const struct field apply_to_fields[] = {
    FIELD("groups"), FIELD("versions"), FIELD("kinds"), FIELD("operations"), FIELDS_END,
};

const struct shape fx_apply_to_shape = {"ApplyTo", apply_to_fields, false};

static const struct field path_test_fields[] = {
    FIELD_TEXT("subPath", "string"),
    FIELD_TEXT("condition", "tester.Condition"),
    FIELDS_END,
};

const struct shape fx_path_test_shape = {"PathTest", path_test_fields, false};

SHAPE(from_metadata, "FromMetadata", FIELD_TEXT("field", "unversioned.Field"));

SHAPE(external_data, "ExternalData", FIELD_TEXT("provider", "string"),
      FIELD_TEXT("dataSource", "types.ExternalDataSource"),
      FIELD_TEXT("failurePolicy", "types.ExternalDataFailurePolicy"),
      FIELD_TEXT("default", "string"));

static const struct field assign_field_fields[] = {
    FIELD("value"),
    {"fromMetadata", FIELD_OBJECT, "@.FromMetadata", NULL, &from_metadata_shape},
    {"externalData", FIELD_OBJECT, "@.ExternalData", NULL, &external_data_shape},
    FIELDS_FURTHER,
    FIELD_TEXT("fromObject", "string"),
    FIELDS_END,
};

const struct shape fx_assign_field_shape = {"AssignField", assign_field_fields, false};

static const struct field condition_fields[] = {
    FIELD_LOCATION,
    FIELD_TEXT("operator", "@.ConditionOperator"),
    {"values", FIELD_LIST, "[]interface {}", NULL, NULL},
    FIELDS_END,
};

const struct shape fx_condition_shape = {"Condition", condition_fields, false};
