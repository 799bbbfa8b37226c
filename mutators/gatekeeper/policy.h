/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/policy.h - private: one policy under compilation, and the list of
 * the kinds there are.
 */
#ifndef FX_MUTATORS_GATEKEEPER_POLICY_H
#define FX_MUTATORS_GATEKEEPER_POLICY_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"
#include "mutators/gatekeeper/shape.h"

#define GATEKEEPER_GROUP "mutations.gatekeeper.sh"
#define GATEKEEPER_RANK  1u /* place in a pass */

/* A policy whose types are checked. Everything is borrowed; what is missing is NULL. */
struct policy {
    json_t *source;
    const char *kind;
    struct fx_text name;
    json_t *spec, *parameters;
};

/* The node that an error points at: `node`, or where that has no place, its policy. */
const json_t *fx_policy_node(const struct policy *policy, const json_t *node);

/* Validates a policy in the order and with the words of spec section 3.2 and adds its
 * mutator. */
typedef bool compile_policy(const struct policy *policy,
                            struct fx_compilation *ret_compilation, struct fx_err *err);

/* kind, prefix of its shape and compile function, the list of its versions in dialect.c.
 * A further kind is one file and one row. */
#define KINDS(X)                                          \
    X("Assign", fx_assign, all_versions)                  \
    X("AssignImage", fx_assign_image, only_v1alpha1)      \
    X("AssignMetadata", fx_assign_metadata, all_versions) \
    X("ModifySet", fx_modify_set, all_versions)

#define X(kind, prefix, versions)             \
    extern const struct shape prefix##_shape; \
    compile_policy prefix##_compile;
KINDS(X)
#undef X

#endif
