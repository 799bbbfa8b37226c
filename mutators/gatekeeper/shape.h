/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/shape.h - private: the types of a policy's fields, checked before
 * anything is validated, as Go's decoder does it for Gatekeeper. After a check the fields
 * are read with fx_shape_view() and fx_tree_view_string(): wrong types cannot occur.
 */
#ifndef FX_MUTATORS_GATEKEEPER_SHAPE_H
#define FX_MUTATORS_GATEKEEPER_SHAPE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/dialect.h"

/* ANY is not refused here whatever it is (somebody else does, or everything goes). */
enum field_type {
    FIELD_ANY,
    FIELD_STRING,
    FIELD_INTEGER,
    FIELD_OBJECT,
    FIELD_LIST,
    FIELD_STRINGS, /* a list of them */
    /* No field: the fields behind it exist in our own group only, in any other they are
     * unknown. */
    FIELD_FURTHER,
};

/* A field. Null always stands for a field left out. */
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
    bool open; /* further fields are fine, and not looked at */
};

/* Checks the policy against its shape; `extended`: it is of our own group. Wrong types:
 * FX_EINVALID with Go's words. Unknown fields become warnings of `compilation`: `unknown
 * field "spec.parameters.assgin"`, and where our own group knows them they say so. */
bool fx_shape_check(const struct shape *shape, json_t *policy, const char *version,
                    bool extended, struct fx_compilation *compilation,
                    struct fx_err *err) FX_MUST_USE;

/* The node that an error can point at: `node`, or `within` where that is missing or one
 * of true, false and null, which have no place in a document. */
const json_t *fx_shape_place(const json_t *node, const json_t *within);

/* object[key]; NULL where there is none, it is null, or `object` is NULL. */
json_t *fx_shape_view(const json_t *object, const char *key);

#endif
