/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/steps.h - a running review, and its steps (review.c has the table of them).
 * Private to this room.
 */
#ifndef FX_ADMISSION_STEPS_H
#define FX_ADMISSION_STEPS_H

#include <stddef.h>

#include "admission/admit.h"
#include "admission/envelope.h"
#include "admission/mutation.h"
#include "admission/review.h"
#include "base/budget.h"
#include "base/uuid.h"
#include "engine/dialect.h"

/* The result of a step. */
enum fx_next {
    FX_NEXT,       /* continue with the next step */
    FX_NEXT_WAIT,  /* pause; run this step again later */
    FX_NEXT_BACK,  /* continue with the step before this one */
    FX_NEXT_AGAIN, /* continue with the first step */
    FX_NEXT_DONE,  /* the answer is written */
};

/* The arena of most reviews needs no more than this. */
#define FX_REVIEW_SCRATCH_BYTES 4096u
#define FX_REVIEW_INPUT_BYTES   512u /* the same for the inputs */

/* The steps of a review are in a list that ends with NULL. The last one always ends the
 * review. */
typedef enum fx_next fx_step(struct fx_review *review);

struct fx_exemptions;
struct fx_guard;

struct fx_review {
    fx_step *const *steps;
    size_t at; /* index of the next step */
    bool is_done;
    const struct fx_admission *admission;
    const struct fx_guard *guard;       /* of a review by a guard; otherwise NULL */
    const struct fx_exemptions *exempt; /* of a review by a guard; otherwise NULL */
    struct fx_snapshot *snapshot;       /* counted; NULL if the review does not mutate */
    struct fx_text text;                /* the request's body */
    struct fx_budget budget; /* the budget of the thread while the review runs */

    bool partial_decode;         /* only what policies read is decoded */
    struct fx_envelope envelope; /* all fields below borrow from it */
    json_t *object;              /* request.object */
    json_t *old_object;
    struct fx_text api_version; /* of the AdmissionReview */
    struct fx_request request;
    struct fx_text matching_namespace; /* empty if the object is a Namespace */
    struct fx_text subresource; /* `status`; empty if the object itself is written */

    /* What the review needs besides its object (inputs.c). Kept if it starts again. */
    struct fx_inputs inputs;
    const struct fx_input_entry *namespace_; /* one of them; NULL if there is none */
    char *warning;                           /* to the user; owned; may be NULL */

    char mutation_id[FX_UUID_SIZE];
    struct fx_text trigger_namespace; /* of the request, in the arena; for a trigger */

    struct fx_arena arena;
    struct fx_mutation mutation;
    struct fx_compilation compilation; /* of a policy: its faults and warnings */
    json_t *defaulted;                 /* counted: a policy with its defaults set */
    struct fx_patch patch;             /* the patch that sets the defaults */
    struct fx_pod_binding binding;     /* of a Binding; borrowed from the envelope */
    struct fx_buf body;
    struct fx_review_result result;

    /* The fields from here on are not cleared for each review. */
    struct fx_err err;
    max_align_t scratch[FX_REVIEW_SCRATCH_BYTES / sizeof(max_align_t)]; /* the arena's */
    max_align_t input_scratch[FX_REVIEW_INPUT_BYTES / sizeof(max_align_t)];
};

/* review.c: begins a review with these steps. NULL without memory. */
struct fx_review *fx_review_begin(fx_step *const *steps, struct fx_text text,
                                  uint64_t deadline_ns) FX_MUST_USE;

/* review.c: continues with the object of a DELETE, only for validators. */
enum fx_next fx_review_delete(struct fx_review *review);

/* decode.c: read the body, and check the request. */
fx_step fx_step_decode, fx_step_object;

/* gate.c: allow users, operations and objects that are not mutated. */
fx_step fx_step_self, fx_step_operation, fx_step_group, fx_step_exclusion;

/* Returns why objects of this API group are never mutated (a constant); NULL if no
 * dialect has reserved the group. */
const char *fx_reserved_group(struct fx_text group);

/* inputs.c: find the inputs that the review needs, and fetch missing ones. */
fx_step fx_step_wants, fx_step_fetch;

/* inputs.c: returns the object's Namespace, borrowed; NULL if it has none, or it is not
 * known. */
json_t *fx_review_namespace(const struct fx_review *review);

/* answer.c: the ends of a review. Each function writes the answer and returns
 * FX_NEXT_DONE. */

/* Allows unchanged; `message` has the reason, and is NULL for none. */
enum fx_next fx_answer_allow(struct fx_review *review, enum fx_decision decision,
                             const char *message);
/* Allows with the patch. */
enum fx_next fx_answer_patch(struct fx_review *review);
/* Allows with the warnings of the compilation. */
enum fx_next fx_answer_allow_policy(struct fx_review *review);
/* Allows with the patch that sets the policy's defaults. */
enum fx_next fx_answer_defaulted(struct fx_review *review);
/* Denies an invalid policy with all its faults, as an API server does. */
enum fx_next fx_answer_invalid(struct fx_review *review);
/* Denies with the message of review->err. An internal failure is answered as by
 * fx_answer_fail(). */
enum fx_next fx_answer_deny(struct fx_review *review, unsigned code);
/* Answers that the input is not a review: HTTP 400 with review->err; without memory HTTP
 * 503. */
enum fx_next fx_answer_refuse(struct fx_review *review);
/* Answers the failure in review->err: a policy's failure as `on_error` says, an internal
 * one with HTTP 5xx. */
enum fx_next fx_answer_fail(struct fx_review *review);

#endif
