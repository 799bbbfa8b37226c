/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/policy_reading.h - private: what the readers of
 * MutatingAdmissionPolicy, Kyverno's MutatingPolicy and its PolicyException share.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_POLICY_READING_H
#define FX_MUTATORS_ADMISSION_POLICY_POLICY_READING_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "mutators/admission_policy/policy.h"
#include "mutators/admission_policy/reading.h"

/* A policy that is being read. */
struct map_policy_reading {
    struct map_reading reading;
    struct map_policy *policy;
    const json_t *spec;
};

/* Reads the fields of a policy whose `spec` is an object; the current object of the
 * reading is the document. */
typedef void fx_map_read_fields(struct map_policy_reading *of);

/* Compiles a policy whose fields `read` reads. Errors: those of fx_map_policy_compile().
 */
bool fx_map_policy_compile_as(json_t *document, bool is_kyverno, fx_map_read_fields *read,
                              struct fx_compilation *ret_compilation,
                              struct fx_err *err) FX_MUST_USE;

/* Each reads one field of `spec`, which is the current object. Variables come first: they
 * make the environments of the expressions. */
fx_map_read_fields fx_map_read_failure_policy, fx_map_read_constraints,
    fx_map_read_variables, fx_map_read_conditions, fx_map_read_mutations;

/* Frees what a policy owns, and not the struct. */
void fx_map_policy_finish(struct map_policy *policy);

/* ---- pod_controllers.c ------------------------------------------------------------- */

/* Reads `autogen` and its annotation, and sets the matches of views: a policy that
 * matches nothing but Pods also mutates the templates of Pods in their controllers
 * (Kyverno spec section 18). */
fx_map_read_fields fx_map_read_pod_controllers;

#endif
