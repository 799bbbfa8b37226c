/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/shapes.h - private: the shapes that several kinds share (spec
 * section 3.1).
 */
#ifndef FX_MUTATORS_GATEKEEPER_SHAPES_H
#define FX_MUTATORS_GATEKEEPER_SHAPES_H

#include "mutators/gatekeeper/shape.h"

extern const struct shape fx_metadata_shape;     /* .metadata */
extern const struct shape fx_match_shape;        /* .spec.match */
extern const struct shape fx_apply_to_shape;     /* .spec.applyTo[] */
extern const struct shape fx_path_test_shape;    /* .spec.parameters.pathTests[] */
extern const struct shape fx_assign_field_shape; /* .spec.parameters.assign */
extern const struct shape fx_condition_shape;    /* .spec.conditions[] */

/* Rows of a struct's list of fields: anything, a text, and those that several have. */
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
/* The fields after it exist only in Fixpoint's own group. */
#define FIELDS_FURTHER {"", FIELD_FURTHER, NULL, NULL, NULL}
#define FIELDS_END     FIELD(NULL)

#endif
