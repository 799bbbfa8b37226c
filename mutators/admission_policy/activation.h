/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/activation.h - private: the values that the expressions of a
 * policy see (spec/mutating-admission-policy.md sections 6 and 12), and evaluating one.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_ACTIVATION_H
#define FX_MUTATORS_ADMISSION_POLICY_ACTIVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/request.h"
#include "location/cel/cel.h"
#include "location/cel_library/authorizer.h"
#include "location/cel_library/kyverno.h"
#include "mutators/admission_policy/policy.h"

/* What the expressions of an evaluation may cost together (section 14). */
#define MAP_CONDITIONS_COST UINT64_C(2500000)
#define MAP_MUTATION_COST   UINT64_C(10000000)

/* The values of one rule for one request; the caller's storage. Values are made when an
 * expression first reads them. */
struct map_activation {
    const struct map_policy *policy;
    const struct fx_request *request;
    json_t *params;    /* borrowed; NULL for none */
    json_t *described; /* the value of `request`, counted; NULL: not made yet */
    json_t *nobody;    /* a user without members, counted; NULL: not made */
    struct fx_arena arena;
    struct fx_cel_authorizer authorizer;
    /* Of policies of Kyverno: */
    json_t *whole;   /* borrowed: the object of the request, if the expressions see a part
                      * of it; NULL: they see it */
    json_t *old_pod; /* borrowed: the same part of the old object; may be NULL */
    struct fx_cel_kyverno_reader reader;     /* of `resource` */
    const struct map_exception **exceptions; /* in the arena: what they allow counts */
    size_t n_exceptions, cap_exceptions;

    /* Of the current expression, or list of conditions. */
    json_t *object; /* borrowed */
    bool is_condition;
    uint64_t cost_left;
    uint64_t cost_of_variables;
    unsigned depth; /* of variables in variables */
    struct fx_cel_value slots[MAP_SLOTS];
    struct fx_cel_value *variables; /* those of the policy, as far as they are computed */
    max_align_t block[1024 / sizeof(max_align_t)]; /* first memory of the arena */
};

/* Begins with the values of a request. Everything is borrowed. Finish it in any case. */
void fx_map_activation_init(struct map_activation *activation,
                            const struct map_policy *policy, json_t *params,
                            const struct fx_request *request);
void fx_map_activation_finish(struct map_activation *activation);

/* Adds an exception whose lists are values of `exceptions`. False without memory. */
bool fx_map_activation_allow(struct map_activation *activation,
                             const struct map_exception *exception) FX_MUST_USE;

/* Begins match conditions, or a mutation of this object: variables are computed anew, and
 * the expressions may cost so much together. Errors: FX_ENOMEM. */
bool fx_map_activation_begin(struct map_activation *activation, json_t *object,
                             bool is_condition, uint64_t cost,
                             struct fx_err *err) FX_MUST_USE;

/* The result of one expression. */
enum map_evaluation {
    MAP_EVALUATED, /* there is a value */
    MAP_FAILED,    /* there is a message */
    MAP_EXHAUSTED, /* the same: the expressions cost too much together */
    MAP_BROKEN,    /* err has an internal failure, or FX_EINPUT */
};

/* Evaluates an expression. Its value lives until the activation is finished. A message is
 * appended to `message`: "expression '…' resulted in error: …". */
enum map_evaluation fx_map_evaluate(struct map_activation *activation,
                                    const struct map_expression *expression,
                                    struct fx_cel_value *ret_value,
                                    struct fx_buf *message, struct fx_err *err);

/* Evaluates one node of an expression, for explanations; `bound` has the values of names
 * that loops around the node declare. The value may be an error value, whose reason `err`
 * has if it is fatal. It lives until the activation is finished. */
struct fx_cel_value fx_map_evaluate_part(struct map_activation *activation,
                                         const struct map_expression *expression,
                                         const struct fx_cel_node *node,
                                         const struct fx_cel_bound *bound, size_t n_bound,
                                         struct fx_err *err);

/* ---- request (described.c) --------------------------------------------------------- */

/* Makes the value of `request`: the AdmissionRequest without empty members. Returns a new
 * reference; NULL without memory. */
json_t *fx_map_describe_request(const struct fx_request *request,
                                json_t *object) FX_MUST_USE;

/* ---- the values of Kyverno's variables (kyverno_values.c) ----------------------------
 */

/* The value of a slot that only policies of Kyverno declare, or an error value. The texts
 * of `images` are those of the object. */
struct fx_cel_value fx_map_resolve_kyverno(struct fx_cel_run *run,
                                           struct map_activation *activation,
                                           enum map_slot slot);

/* Adds `object` and `oldObject` to the value of `request`, copying on write. False
 * without memory. */
bool fx_map_describe_objects(json_t **described, const struct fx_request *request,
                             json_t *object) FX_MUST_USE;

/* ---- authorizer (access_review.c) -------------------------------------------------- */

/* Answers the access reviews of expressions from the inputs of the request, which is the
 * context. */
fx_cel_review fx_map_review_access;

#endif
