/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/values_read.h - private: the fields that an expression reads,
 * with their values, for explanations.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_VALUES_READ_H
#define FX_MUTATORS_ADMISSION_POLICY_VALUES_READ_H

#include <jansson.h>

#include "base/buf.h"
#include "location/cel/ast.h"

/* The trees that fields are read from; each may be NULL. */
struct map_values_read {
    const json_t *object, *old_object, *request, *params;
};

/* Appends "object.spec.replicas = 3, request.operation = "CREATE"": each field once, in
 * the order in which the expression names them. The text quotes the object. */
void fx_map_print_values_read(struct fx_buf *buf, const struct fx_cel_node *root,
                              const struct map_values_read *values);

#endif
