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

#include "base/err.h"
#include "base/macros.h"
#include "engine/dialect.h"

/* ANY accepts any value here (another check follows, or every value is valid). */
enum field_type {
    FIELD_ANY,
    FIELD_STRING,
    FIELD_INTEGER,
    FIELD_OBJECT,
    FIELD_LIST,
    FIELD_STRINGS, /* a list of them */
    /* Not a field: the fields after it exist only in Fixpoint's own group; in other
     * groups they are unknown. */
    FIELD_FURTHER,
};

/* A field. Null always means an absent field. */
struct field {
    const char *name; /* NULL ends a list of fields */
    enum field_type type;
    /* Go's type, and that of the elements of STRINGS, and of a LIST, which are then
     * objects; `@` stands for the policy's version. */
    const char *go_type, *go_element;
    const struct shape *shape; /* of the object, or of each element of the list */
};

/* An object: a struct of Go. */
struct shape {
    const char *go_name;
    const struct field *fields;
    bool open; /* additional fields are allowed and ignored */
};

/* Checks the policy against its shape; `extended`: the policy is in Fixpoint's own group.
 * Wrong types: FX_EINVALID with Go's messages. Unknown fields become warnings of
 * `compilation`: `unknown field "spec.parameters.assgin"`; the warning says if Fixpoint's
 * own group has the field. */
bool fx_shape_check(const struct shape *shape, json_t *policy, const char *version,
                    bool extended, struct fx_compilation *compilation,
                    struct fx_err *err) FX_MUST_USE;

/* The node that an error can point at: `node`, or `within` if `node` is missing or is
 * true, false or null, which have no position in a document. */
const json_t *fx_shape_place(const json_t *node, const json_t *within);

/* object[key]; NULL if it is missing or null, or `object` is NULL. */
json_t *fx_shape_view(const json_t *object, const char *key);

#endif
