/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.h - what became of the object of a case: mutated in hand, or by the webhook.
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
    json_t *calls; /* which provider was asked for which keys: {"p": ["k"]}; counted */
};

void fx_case_answer_finish(struct fx_case_answer *answer); /* NULL, zeroed are fine */

/* Mutates the row's `object` under its circumstances, with its `providers`, and proves
 * that the patch gives the result. Errors: those of fx_mutation_begin() and _end(). */
bool fx_case_mutate_object(json_t *row, const struct fx_snapshot *snapshot,
                           struct fx_case_answer *ret_answer,
                           struct fx_err *err) FX_MUST_USE;

/* The same through an AdmissionReview made of the row. Errors: FX_EMUTATE with the words
 * of a denial; FX_EINVALID where the response is not what a webhook may answer. */
bool fx_case_review_object(json_t *row, struct fx_snapshot *snapshot,
                           struct fx_case_answer *ret_answer,
                           struct fx_err *err) FX_MUST_USE;

/* The webhook mutates the part of the object that policies read: its patch must be that
 * of the whole, which the mutation began with. Errors: FX_EINTERNAL. */
bool fx_case_part_agrees(const struct fx_mutation *mutation,
                         struct fx_err *err) FX_MUST_USE;

#endif
