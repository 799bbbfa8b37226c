/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_case.h - the policies and the request of a case of Kyverno's rules.
 */
#ifndef FX_CONFORMANCE_KYVERNO_CASE_H
#define FX_CONFORMANCE_KYVERNO_CASE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"
#include "engine/input.h"
#include "engine/request.h"
#include "policy/policies.h"

/* Builds the policies and exceptions of the case. Appends the first error. NULL with an
 * error. */
struct fx_policies *fx_kyverno_case_build(const json_t *row, struct fx_buf *ret_fault);

/* The request of a case; `row` is borrowed. */
struct fx_kyverno_case {
    struct fx_request request;
    struct fx_inputs inputs; /* objects of the case */
    json_t *admission, *namespace_;
};
void fx_kyverno_case_begin(json_t *row, struct fx_kyverno_case *ret);
void fx_kyverno_case_end(struct fx_kyverno_case *case_);

#endif
