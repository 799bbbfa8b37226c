/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/shape.h - private: the types of a policy's fields, checked before
 * the validation, as Go's decoder does for Gatekeeper. After a check the fields are read
 * with fx_shape_view() and fx_tree_view_string(): wrong types cannot occur.
 */
#ifndef FX_MUTATORS_GATEKEEPER_SHAPE_H
#define FX_MUTATORS_GATEKEEPER_SHAPE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/dialect.h"

/* The types of fields. ANY accepts any value here: another check follows, or every value
 * is valid. */
enum field_type {
    FIELD_ANY,
    FIELD_STRING,
    FIELD_INTEGER,
    FIELD_OBJECT,
    FIELD_LIST,
    FIELD_STRINGS, /* a list of strings */
    /* Not a field. The fields after it exist only in Fixpoint's own group, and are
     * unknown in other groups. */
    FIELD_FURTHER,
};

/* A field. Null always means an absent field. */
struct field {
    const char *name; /* NULL ends a list of fields */
    enum field_type type;
    /* Go's type of the field, and that of the elements of STRINGS, or of a LIST of
     * objects. `@` stands for the policy's version. */
    const char *go_type, *go_element;
    const struct shape *shape; /* of the object, or of each element of the list */
};

/* An object, which is a struct in Go. */
struct shape {
    const char *go_name;
    const struct field *fields;
    bool open; /* additional fields are allowed and ignored */
};

/* Checks the policy against its shape. `extended` is true for Fixpoint's own group. Wrong
 * types: FX_EINVALID with Go's messages. An unknown field becomes a warning of
 * `compilation`: `unknown field "spec.parameters.assgin"`. The warning says if Fixpoint's
 * own group has the field. */
bool fx_shape_check(const struct shape *shape, json_t *policy, const char *version,
                    bool extended, struct fx_compilation *compilation,
                    struct fx_err *err) FX_MUST_USE;

/* Returns the node that an error can point at: `node`, or `within` if `node` is missing
 * or is true, false or null, which have no position in a document. */
const json_t *fx_shape_node(const json_t *node, const json_t *within);

/* Fails with the text of `message`, and finishes it. If the message itself has failed,
 * the error is FX_ENOMEM. Always false. `node` may be NULL if the error has no node. */
bool fx_fail_buf_finish(struct fx_err *err, const json_t *node, enum fx_code code,
                        struct fx_buf *message);

/* Returns object[key]; NULL if it is missing or null, or if `object` is NULL. */
json_t *fx_shape_view(const json_t *object, const char *key);

extern const struct shape fx_metadata_shape;     /* .metadata */
extern const struct shape fx_match_shape;        /* .spec.match */
extern const struct shape fx_apply_to_shape;     /* .spec.applyTo[] */
extern const struct shape fx_path_test_shape;    /* .spec.parameters.pathTests[] */
extern const struct shape fx_assign_field_shape; /* .spec.parameters.assign */
extern const struct shape fx_condition_shape;    /* .spec.conditions[] */

/* Rows of a struct's list of fields: a field of any type, a text, and fields that several
 * structs have. */
#define FIELD(name)            {name, FIELD_ANY, NULL, NULL, NULL}
#define FIELD_TEXT(name, type) {name, FIELD_STRING, type, NULL, NULL}
#define FIELD_METADATA \
    {"metadata", FIELD_OBJECT, "v1.ObjectMeta", NULL, &fx_metadata_shape}
#define FIELD_MATCH    {"match", FIELD_ANY, NULL, NULL, &fx_match_shape}
#define FIELD_APPLY_TO {"applyTo", FIELD_ANY, NULL, NULL, &fx_apply_to_shape}
#define FIELD_LOCATION FIELD_TEXT("location", "string")
#define FIELD_ASSIGN \
    {"assign", FIELD_OBJECT, "@.AssignField", NULL, &fx_assign_field_shape}
#define FIELD_PATH_TESTS \
    {"pathTests", FIELD_LIST, "[]@.PathTest", "@.PathTest", &fx_path_test_shape}
#define FIELD_CONDITIONS \
    {"conditions", FIELD_LIST, "[]@.Condition", "@.Condition", &fx_condition_shape}
#define FIELD_STRUCT(name, type, shape) {name, FIELD_OBJECT, type, NULL, &(shape)}
/* A row after which the fields exist only in Fixpoint's own group. */
#define FIELDS_FURTHER {"", FIELD_FURTHER, NULL, NULL, NULL}
#define FIELDS_END     FIELD(NULL)

/* Defines the shape `<name>_shape` of a Go struct with these fields. */
#define SHAPE(name, go_name, ...)                                          \
    static const struct field name##_fields[] = {__VA_ARGS__, FIELDS_END}; \
    static const struct shape name##_shape = {go_name, name##_fields, false}

/* Defines the shape `name` of a policy of this kind, whose `spec` has these fields. */
#define POLICY_SHAPE(name, kind, ...)                                            \
    SHAPE(spec, kind "Spec", __VA_ARGS__);                                       \
    static const struct field root_fields[] = {                                  \
        FIELD("apiVersion"), FIELD("kind"),                                      \
        FIELD_METADATA,      FIELD_STRUCT("spec", "@." kind "Spec", spec_shape), \
        FIELD("status"),     FIELDS_END};                                        \
    const struct shape name = {kind, root_fields, false}

#endif
