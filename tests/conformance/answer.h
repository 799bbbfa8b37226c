/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.h - the result of a case for its object: mutated directly or by the webhook.
 */
#ifndef FX_CONFORMANCE_ANSWER_H
#define FX_CONFORMANCE_ANSWER_H

#include <stdbool.h>

#include <jansson.h>

#include "admission/mutation.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/snapshot.h"

struct fx_case_answer {
    json_t *object; /* counted; NULL after a failure */
    bool mutated;
    json_t *calls; /* the keys that each provider was asked for: {"p": ["k"]}; counted */
};

void fx_case_answer_finish(struct fx_case_answer *answer); /* NULL or zeroed is fine */

/* Mutates the row's `object` in its circumstances, with its `providers`, and checks that
 * the patch gives the result. Errors: those of fx_mutation_begin() and _end(). */
bool fx_case_mutate_object(json_t *row, const struct fx_snapshot *snapshot,
                           struct fx_case_answer *ret_answer,
                           struct fx_err *err) FX_MUST_USE;

/* Like fx_case_mutate_object(), but through an AdmissionReview made from the row. Errors:
 * FX_EMUTATE with the message of a denial; FX_EINVALID if the response is not valid for a
 * webhook. */
bool fx_case_review_object(json_t *row, struct fx_snapshot *snapshot,
                           struct fx_case_answer *ret_answer,
                           struct fx_err *err) FX_MUST_USE;

/* Checks that the part of the object that policies read gives the same patch as the whole
 * object, with which the mutation began. The webhook mutates only that part. Errors:
 * FX_EINTERNAL. */
bool fx_case_part_agrees(const struct fx_mutation *mutation,
                         struct fx_err *err) FX_MUST_USE;

#endif
