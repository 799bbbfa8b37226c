/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/steps.h - a review under way, and the steps of its journey (review.c has the
 * table of them). Private to this room.
 */
#ifndef FX_ADMISSION_STEPS_H
#define FX_ADMISSION_STEPS_H

#include "admission/review.h"
#include "base/uuid.h"

/* Where the object's namespace stands. */
enum fx_namespace_state {
    FX_NAMESPACE_UNASKED,
    FX_NAMESPACE_AWAITED, /* the caller was told to bring it */
    FX_NAMESPACE_GIVEN,   /* it did, or brought the reason why not (review->err) */
};

struct fx_review {
    const struct fx_admission *admission;
    struct fx_snapshot *snapshot; /* counted */
    struct fx_text text;          /* the request's body */
    size_t at;                    /* the step to be run next */

    json_t *document; /* the AdmissionReview, counted; all below borrows of it */
    json_t *object;   /* request.object */
    struct fx_text api_version; /* of the AdmissionReview */
    struct fx_request request;
    struct fx_text matching_namespace; /* empty for a Namespace itself */
    enum fx_namespace_state namespace_state;
    json_t *namespace_object; /* counted, or NULL */
    char mutation_id[FX_UUID_SIZE];

    struct fx_arena arena;
    json_t *mutated; /* counted; the patch borrows of it */
    struct fx_patch patch;
    struct fx_outcome outcome;
    struct fx_err err;
    struct fx_buf body;
    struct fx_review_result result;
};

/* What a step says. */
enum fx_next {
    FX_NEXT,      /* go on with the next step */
    FX_NEXT_WAIT, /* stop here; run this step again later */
    FX_NEXT_DONE, /* the answer is written */
};

/* decode.c: bytes to a checked request. */
enum fx_next fx_step_decode(struct fx_review *review);
enum fx_next fx_step_object(struct fx_review *review);

/* gate.c: who and what is not mutated at all. */
enum fx_next fx_step_self(struct fx_review *review);
enum fx_next fx_step_operation(struct fx_review *review);
enum fx_next fx_step_group(struct fx_review *review);

/* answer.c: the four ends of a review. Each writes the answer and says FX_NEXT_DONE. */

/* Allowed as it is, with Gatekeeper's words why. */
enum fx_next fx_answer_allow(struct fx_review *review, enum fx_decision decision,
                             const char *message);
/* Allowed with the patch. */
enum fx_next fx_answer_patch(struct fx_review *review);
/* The input is no review: HTTP 400 with review->err. No memory: HTTP 503. */
enum fx_next fx_answer_refuse(struct fx_review *review);
/* review->err says what failed, and whose failure it is: a policy's is answered as
 * `on_error` says, our own with HTTP 5xx. */
enum fx_next fx_answer_fail(struct fx_review *review);

#endif
